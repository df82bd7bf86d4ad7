// SPDX-License-Identifier: MIT
// A finished answer as bytes: so that `show`, `report` and `export` need not compute it again.
//
// Each structure is listed once, in fields(); writing and reading both follow that list, so that
// they cannot disagree. Numbers are varints, strings have their lengths in front:
//
//     magic (8)  checksum (8, XXH3-64 of all behind it)  uuid of A (16)  uuid of B (16)
//     version, key, warnings, report
//
// Read are any bytes. The checksum finds damage; what somebody made on purpose finds, too, no way
// to more memory than it has bytes, each enumerator is looked at by a switch that the compiler
// holds complete, and is_sound() follows every reference that report/ will follow.
#include "explain/answer/why_bytes.h"

#include "explain/answer/statements.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace twinrun {
namespace {

constexpr std::string_view kMagic = "TWINWHY\n";
constexpr size_t kChecked = 16;      // where that begins which the checksum is of
constexpr uint32_t kWhyVersion = 7;  // changes with fields() and with every enumeration below

// ---- enumerations: without a default, so that a new enumerator is not forgotten ----

bool is_known(CausalGraph::Node::Kind kind) {
  using enum CausalGraph::Node::Kind;
  switch (kind) {
    case kAligned:
    case kUnaligned:
    case kInput:
    case kSingle: return true;
  }
  return false;
}
bool is_known(DivergenceType type) {
  using enum DivergenceType;
  switch (type) {
    case kNone:
    case kExtraExecution:
    case kExecutionOmission:
    case kExecutionDifference:
    case kWildWrite: return true;
  }
  return false;
}
bool is_known(RunSide side) {
  switch (side) {
    case RunSide::kA:
    case RunSide::kB: return true;
  }
  return false;
}
bool is_known(OutsideSource::Kind kind) {
  using enum OutsideSource::Kind;
  switch (kind) {
    case kSyscall:
    case kSignal:
    case kStartup:
    case kUnseen:
    case kFile:
    case kZero:
    case kParent:
    case kStart:
    case kAnchor:
    case kLate: return true;
  }
  return false;
}
bool is_known(HowEnded::Kind kind) {
  using enum HowEnded::Kind;
  switch (kind) {
    case kExited:
    case kCrashed:
    case kStopped:
    case kKilled:
    case kOtherBegan: return true;
  }
  return false;
}
bool is_known(Target::Kind kind) {
  using enum Target::Kind;
  switch (kind) {
    case kCrash:
    case kHang:
    case kExit:
    case kOutput:
    case kDivergence:
    case kPlace:
    case kValue: return true;
  }
  return false;
}
bool is_known(TargetSubject::Kind kind) {
  using enum TargetSubject::Kind;
  switch (kind) {
    case kExitStatus:
    case kEndOfProgram:
    case kEndOfRecording:
    case kOutputByte:
    case kDivergence:
    case kExecution:
    case kUses:
    case kValue: return true;
  }
  return false;
}
bool is_known(InputDifference::Kind kind) {
  using enum InputDifference::Kind;
  switch (kind) {
    case kArgument:
    case kVariable:
    case kDirectory:
    case kFile:
    case kOpened:
    case kFailed: return true;
  }
  return false;
}
bool is_known(TargetValue::Kind kind) {
  using enum TargetValue::Kind;
  switch (kind) {
    case kUntold:
    case kNothing:
    case kEnd:
    case kBytes:
    case kExecuted:
    case kNotExecuted:
    case kText: return true;
  }
  return false;
}
bool is_known(Sameness::Kind kind) {
  using enum Sameness::Kind;
  switch (kind) {
    case kAll:
    case kSubject:
    case kEnds:
    case kNotEnded: return true;
  }
  return false;
}
bool is_known(WhyNote::Kind kind) {
  using enum WhyNote::Kind;
  switch (kind) {
    case kValueOfOneRun:
    case kOnlyNoise:
    case kOnlyNames:
    case kNotRecorded:
    case kFewAligned:
    case kPartlyChecked:
    case kNotChecked: return true;
  }
  return false;
}
bool is_known(WhyReport::Outcome outcome) {
  using enum WhyReport::Outcome;
  switch (outcome) {
    case kSame:
    case kNoise:
    case kDifferent: return true;
  }
  return false;
}
bool is_known(WhyReport::Line::Kind kind) {
  using enum WhyReport::Line::Kind;
  switch (kind) {
    case kTarget:
    case kPlace:
    case kState:
    case kSite:
    case kInput:
    case kAside: return true;
  }
  return false;
}
bool is_known(WhyReport::Headline::Kind kind) {
  using enum WhyReport::Headline::Kind;
  switch (kind) {
    case kNone:
    case kSame:
    case kInput:
    case kCut:
    case kNoInput: return true;
  }
  return false;
}

bool is_known(Misuse::Kind kind) {
  using enum Misuse::Kind;
  switch (kind) {
    case kFreed:
    case kReused:
    case kOutside:
    case kReturnAddress:
    case kUninitialised:
    case kDoubleFree:
    case kBadFree:
    case kNull:
    case kWild: return true;
  }
  return false;
}
bool is_known(Misuse::Access access) {
  using enum Misuse::Access;
  switch (access) {
    case kRead:
    case kWrite:
    case kJump:
    case kFree: return true;
  }
  return false;
}

// ---- structures ----

template <typename Archive>
void fields(Archive& io, Position& x) {
  io(x.process.value, x.thread.value, x.step.value);
}
template <typename Archive>
void fields(Archive& io, NamedInstruction& x) {
  io(x.position, x.pc, x.module, x.function, x.offset, x.file, x.line, x.text);
}
template <typename Archive>
void fields(Archive& io, OutsideSource& x) {
  io(x.kind, x.position, x.call, x.path, x.result, x.value, x.field, x.input, x.offset);
}
template <typename Archive>
void fields(Archive& io, HowEnded& x) {
  io(x.kind, x.status, x.is_cut, x.text);
}
template <typename Archive>
void fields(Archive& io, TargetSubject& x) {
  io(x.kind, x.name, x.number, x.value);
}
template <typename Archive>
void fields(Archive& io, TargetValue& x) {
  io(x.kind, x.end, x.text);
}
template <typename Archive>
void fields(Archive& io, Sameness& x) {
  io(x.kind, x.what, x.a, x.b, x.instruction);
}
template <typename Archive>
void fields(Archive& io, InputDifference& x) {
  io(x.kind, x.name_a, x.name_b, x.value_a, x.value_b, x.before, x.line, x.column, x.offset,
     x.has_ended, x.error);
}
template <typename Archive>
void fields(Archive& io, WhyNote& x) {
  io(x.kind, x.what, x.side, x.count);
}
template <typename Archive>
void fields(Archive& io, Misuse& x) {
  io(x.kind, x.access, x.side, x.is_in_both, x.node, x.at, x.by, x.address, x.time, x.size,
     x.offset, x.allocated, x.freed, x.reused, x.name, x.callers, x.allocated_for, x.freed_for,
     x.passed, x.let_in, x.bounds);
}
template <typename Archive>
void fields(Archive& io, WhyReport::Side& x) {
  io(x.path, x.command, x.end, x.instructions, x.prefix_note, x.from, x.says);
}
template <typename Archive>
void fields(Archive& io, WhyReport::Node& x) {
  io(x.kind, x.type, x.is_decision, x.is_target, x.has_no_cause, x.is_enhanced, x.is_common,
     x.is_beside, x.is_after, x.is_name, x.a, x.b, x.caller_a, x.caller_b, x.more, x.source_a,
     x.source_b, x.only_a, x.only_b, x.weight);
}
template <typename Archive>
void fields(Archive& io, WhyReport::Edge& x) {
  io(x.from, x.to, x.is_control, x.for_address, x.in_memory, x.name, x.place, x.value_a, x.value_b,
     x.is_reused, x.freed_by, x.rounds, x.is_new);
}
template <typename Archive>
void fields(Archive& io, WhyReport::Statement& x) {
  io(x.at, x.in_a, x.in_b, x.is_basic, x.is_different, x.is_decision, x.is_beside, x.is_apart,
     x.is_after, x.weight, x.nodes, x.times_a, x.times_b, x.is_branch, x.has_new_way, x.suspicion);
}
template <typename Archive>
void fields(Archive& io, WhyReport::StatementEdge& x) {
  io(x.from, x.to, x.is_control);
}
template <typename Archive>
void fields(Archive& io, WhyReport::Line& x) {
  io(x.kind, x.finding, x.run, x.nodes, x.edge, x.statements, x.decides, x.is_first_wrong, x.copies,
     x.between, x.frees, x.rounds);
}
template <typename Archive>
void fields(Archive& io, TextPlace& x) {
  io(x.line, x.column, x.word);
}
template <typename Archive>
void fields(Archive& io, WhyReport::Headline& x) {
  io(x.kind, x.node, x.text_a, x.text_b);
}
template <typename Archive>
void fields(Archive& io, WhyReport& x) {
  io(x.a, x.b, x.outcome, x.target_kind, x.target, x.target_a, x.target_b, x.headline, x.gave_up,
     x.same, x.inputs, x.notes, x.misuses, x.nodes, x.edges, x.cut, x.statements, x.statement_edges,
     x.basic_statements, x.statements_left_out, x.answer, x.left_out, x.hidden, x.programs,
     x.aligned, x.only_a, x.only_b, x.divergences);
}
template <typename Archive>
void fields(Archive& io, KeptWhy& x) {
  io(x.key, x.warnings, x.report);
}

template <typename T>
concept Plain = std::unsigned_integral<T>;
template <typename T>
concept Enumeration = std::is_enum_v<T>;

class WriteFields {
 public:
  explicit WriteFields(ByteWriter& out) : out_(out) {}
  template <typename... T>
  void operator()(T&... all) {
    (one(all), ...);
  }

 private:
  void one(Plain auto& x) { out_.varint(x); }
  void one(Enumeration auto& x) { out_.varint(static_cast<uint64_t>(x)); }
  void one(int64_t& x) { out_.fixed(std::bit_cast<uint64_t>(x)); }
  void one(double& x) { out_.fixed(std::bit_cast<uint64_t>(x)); }
  void one(std::string& x) { out_.string(x); }
  template <typename T>
  void one(std::optional<T>& x) {
    out_.varint(x ? 1 : 0);
    if (x) one(*x);
  }
  template <typename T>
  void one(std::vector<T>& x) {
    out_.varint(x.size());
    for (T& item : x) one(item);
  }
  template <typename S, typename T>
  void one(std::pair<S, T>& x) {
    one(x.first);
    one(x.second);
  }
  template <typename T>
  void one(T& x) {
    fields(*this, x);
  }

  ByteWriter& out_;
};

class ReadFields {
 public:
  explicit ReadFields(ByteReader& in) : in_(in) {}
  template <typename... T>
  void operator()(T&... all) {
    (one(all), ...);
  }
  [[nodiscard]] bool is_good() const { return is_good_ && !in_.failed() && in_.at_end(); }

 private:
  void one(Plain auto& x) {
    using T = std::remove_reference_t<decltype(x)>;
    const uint64_t value = in_.varint();
    if (value > std::numeric_limits<T>::max()) is_good_ = false;
    x = static_cast<T>(value);
  }
  void one(Enumeration auto& x) {
    using T = std::remove_reference_t<decltype(x)>;
    const uint64_t value = in_.varint();
    const T read = static_cast<T>(value);
    if (value <= std::numeric_limits<std::underlying_type_t<T>>::max() && is_known(read))
      x = read;
    else
      is_good_ = false;
  }
  void one(double& x) { x = std::bit_cast<double>(in_.fixed<uint64_t>()); }
  void one(int64_t& x) { x = std::bit_cast<int64_t>(in_.fixed<uint64_t>()); }
  void one(std::string& x) { x = in_.string(); }
  template <typename T>
  void one(std::optional<T>& x) {
    bool has = false;
    one(has);
    if (has) one(x.emplace());
  }
  template <typename T>
  void one(std::vector<T>& x) {
    // Every item has a byte at least.
    uint64_t size = in_.varint();
    if (size > in_.left()) is_good_ = false;
    for (size = is_good_ ? size : 0; size != 0 && !in_.failed(); --size) one(x.emplace_back());
  }
  template <typename S, typename T>
  void one(std::pair<S, T>& x) {
    one(x.first);
    one(x.second);
  }
  template <typename T>
  void one(T& x) {
    fields(*this, x);
  }

  ByteReader& in_;
  bool is_good_ = true;
};

// ---- references ----

bool all_below(std::span<const uint32_t> numbers, size_t end) {
  return std::ranges::all_of(numbers, [&](uint32_t number) { return number < end; });
}

bool is_sound(const WhyReport::Line& line, const WhyReport& report) {
  using Kind = WhyReport::Line::Kind;
  if (line.nodes.empty() || !all_below(line.nodes, report.nodes.size())) return false;
  if (!all_below(line.statements, report.statements.size())) return false;
  if (line.edge && *line.edge >= report.edges.size()) return false;
  if (line.kind == Kind::kState && !line.edge) return false;
  if (line.kind == Kind::kSite && !line.run) return false;
  return line.kind != Kind::kAside || !line.statements.empty();
}

bool is_sound(const WhyReport::Headline& headline, const WhyReport& report) {
  using Kind = WhyReport::Headline::Kind;
  if (headline.kind == Kind::kNone || headline.kind == Kind::kSame) return true;
  if (headline.node >= report.nodes.size()) return false;
  return headline.kind == Kind::kInput || site_of(report.nodes[headline.node]) != nullptr;
}

bool counts_what_it_leaves_out(const WhyReport& report) {
  uint64_t left = report.left_out.size();
  for (const WhyReport::Line& line : report.answer) {
    if (line.copies > left || line.between > left - line.copies) return false;
    left -= line.copies + line.between;
  }
  return left == 0;
}

bool is_sound(const WhyReport& report) {
  const auto is_sound_line = [&](const WhyReport::Line& line) { return is_sound(line, report); };
  const size_t nodes = report.nodes.size();
  const size_t statements = report.statements.size();
  return std::ranges::all_of(report.nodes,
                             [](const WhyReport::Node& node) {
                               return node.kind != CausalGraph::Node::Kind::kAligned || node.b;
                             }) &&
         std::ranges::all_of(
             report.edges,
             [&](const WhyReport::Edge& edge) { return edge.from < nodes && edge.to < nodes; }) &&
         std::ranges::all_of(
             report.statements,
             [&](const WhyReport::Statement& one) { return all_below(one.nodes, nodes); }) &&
         std::ranges::all_of(report.statement_edges,
                             [&](const WhyReport::StatementEdge& edge) {
                               return edge.from < statements && edge.to < statements;
                             }) &&
         std::ranges::all_of(
             report.misuses,
             [&](const Misuse& misuse) { return !misuse.node || *misuse.node < nodes; }) &&
         std::ranges::all_of(report.answer, is_sound_line) &&
         std::ranges::all_of(report.left_out, is_sound_line) && counts_what_it_leaves_out(report) &&
         is_sound(report.headline, report);
}

}  // namespace

Bytes encode_why(const KeptWhy& kept) {
  KeptWhy copy = kept;  // fields() can write, too
  ByteWriter checked;
  checked.raw(kept.a);
  checked.raw(kept.b);
  checked.varint(kWhyVersion);
  WriteFields write(checked);
  fields(write, copy);
  ByteWriter out;
  out.raw({reinterpret_cast<const uint8_t*>(kMagic.data()), kMagic.size()});
  out.fixed(uint64_t{XXH3_64bits(checked.bytes().data(), checked.bytes().size())});
  out.raw(checked.bytes());
  return out.take();
}

std::optional<WhyFileOf> why_file_of(ByteSpan header) {
  if (header.size() < kWhyHeader || std::memcmp(header.data(), kMagic.data(), kMagic.size()) != 0)
    return std::nullopt;
  WhyFileOf out;
  std::ranges::copy(header.subspan(kChecked, out.a.size()), out.a.begin());
  std::ranges::copy(header.subspan(kChecked + out.a.size(), out.b.size()), out.b.begin());
  return out;
}

std::optional<KeptWhy> decode_why(ByteSpan bytes) {
  const auto of = why_file_of(bytes);
  if (!of) return std::nullopt;
  const ByteSpan checked = bytes.subspan(kChecked);
  uint64_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + kMagic.size(), sizeof checksum);
  if (XXH3_64bits(checked.data(), checked.size()) != checksum) return std::nullopt;
  ByteReader in(bytes.subspan(kWhyHeader));
  if (in.varint() != kWhyVersion) return std::nullopt;
  KeptWhy out{.a = of->a, .b = of->b};
  ReadFields read(in);
  fields(read, out);
  if (!read.is_good() || !is_sound(out.report)) return std::nullopt;
  return out;
}

}  // namespace twinrun
