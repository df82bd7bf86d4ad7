// SPDX-License-Identifier: MIT
// The sentences of `why`, from its typed report.
//
// One function for each kind of thing that is said: a headline, a line of the chain, a note, an
// input. They switch over the kinds without a default, so that a new kind does not compile before
// it has words. Text, JSON, SARIF and the page take them from here and so say the same. Sources are
// read to quote their lines; whatever comes from a recorded program is escaped before it is shown.
#include "report/why_words.h"

#include "base/escape.h"
#include "base/text.h"
#include "explain/answer/statements.h"
#include "kernel/syscalls.h"
#include "report/input_words.h"
#include "report/source_text.h"
#include "run/code_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace twinrun {
namespace {

using Node = WhyReport::Node;
using Edge = WhyReport::Edge;
using Line = WhyReport::Line;
using Statement = WhyReport::Statement;

constexpr size_t kTextMost = 48;

std::string cut(std::string text) {
  if (text.size() > kTextMost) {
    text.resize(kTextMost - 3);
    text += "...";
  }
  return text;
}

std::string place_text(const NamedInstruction& at) {
  if (at.line != 0) return fmt::format("{}:{}", base_name(at.file), at.line);
  if (!at.function.empty()) return fmt::format("{}+{:#x}", source_name(at.function), at.offset);
  return fmt::format("{}+{:#x}", at.module, at.offset);
}

std::string end_text(const std::optional<HowEnded>& end) {
  if (!end) return "not ended";
  return end->kind == HowEnded::Kind::kExited ? fmt::format("exit {}", end->status) : end->text;
}

// ---- the target ----

std::string place_name(const TargetSubject& of) {
  return of.number == 0 ? fmt::format("step {} of B", of.name)
                        : fmt::format("{}#{}", of.name, of.number);
}

std::string subject_text(const TargetSubject& of) {
  switch (of.kind) {
    case TargetSubject::Kind::kExitStatus: return "exit status";
    case TargetSubject::Kind::kEndOfProgram: return "end of the program";
    case TargetSubject::Kind::kEndOfRecording: return "end of the recording";
    case TargetSubject::Kind::kOutputByte: return fmt::format("{}, byte {}", of.name, of.number);
    case TargetSubject::Kind::kDivergence: return "first divergence";
    case TargetSubject::Kind::kExecution: return place_name(of);
    case TargetSubject::Kind::kUses: return place_name(of) + " uses different values";
    case TargetSubject::Kind::kValue: return fmt::format("{} at {}", of.value, place_name(of));
  }
  return "";
}

std::string value_text(const TargetSubject& of, const TargetValue& value) {
  switch (value.kind) {
    case TargetValue::Kind::kUntold: return "";
    case TargetValue::Kind::kNothing: return "nothing";
    case TargetValue::Kind::kEnd:
      return of.kind == TargetSubject::Kind::kExitStatus ? fmt::format("{}", value.end.status)
                                                         : value.end.text;
    case TargetValue::Kind::kBytes: return '"' + escape_for_terminal(value.text) + '"';
    case TargetValue::Kind::kExecuted: return "executed";
    case TargetValue::Kind::kNotExecuted: return "not executed";
    case TargetValue::Kind::kText: return value.text.empty() ? "not known" : value.text;
  }
  return "";
}

/// A byte that was asked for.
std::string byte_text(const std::string& bytes) {
  const auto byte = static_cast<uint8_t>(bytes.empty() ? 0 : bytes[0]);
  return byte >= ' ' && byte < 0x7f ? fmt::format("'{}'", static_cast<char>(byte))
                                    : fmt::format("{:#04x}", byte);
}

std::string same_subject_text(const Sameness& same) {
  if (same.what.kind == TargetSubject::Kind::kUses)
    return fmt::format("No difference at {}: both runs execute it with the same values{}",
                       place_name(same.what),
                       same.instruction.empty() ? "" : fmt::format(" ({})", same.instruction));
  return fmt::format("No difference: {} is the same in both runs: {}", subject_text(same.what),
                     same.b.kind == TargetValue::Kind::kBytes ? byte_text(same.b.text)
                                                              : value_text(same.what, same.b));
}

std::string same_text(const Sameness& same) {
  switch (same.kind) {
    case Sameness::Kind::kAll:
      return "No difference: both runs ended alike, wrote the same, and took the same way";
    case Sameness::Kind::kSubject: return same_subject_text(same);
    case Sameness::Kind::kEnds: return "No difference: both runs ended alike: " + same.b.end.text;
    case Sameness::Kind::kNotEnded:
      return fmt::format("No difference: neither run ended by itself (A: {}, B: {})",
                         same.a.end.text, same.b.end.text);
  }
  return "";
}

std::string note_text(const WhyReport& report, const WhyNote& note) {
  switch (note.kind) {
    case WhyNote::Kind::kValueOfOneRun:
      return fmt::format("{} has a value in {} only: the other run is not there", note.what.value,
                         note.side == RunSide::kA ? 'A' : 'B');
    case WhyNote::Kind::kOnlyNoise:
      return subject_text(note.what) +
             " differs only because of time, process numbers or random bytes";
    case WhyNote::Kind::kOnlyNames:
      return subject_text(note.what) + " differs only because of the names of the input files";
    case WhyNote::Kind::kNotRecorded:
      return fmt::format("{} values that differ came from what was not recorded", note.count);
    case WhyNote::Kind::kPartlyChecked:
      return fmt::format("misuse of memory was looked for in part: {} pointers were not followed",
                         note.count);
    case WhyNote::Kind::kNotChecked:
      return "misuse of memory was not looked for: " + note.what.name;
    case WhyNote::Kind::kFewAligned:
      return fmt::format(
          "only {:.0f}% of B corresponds to A: with runs this different, what is told is uncertain",
          100 * static_cast<double>(report.aligned) /
              static_cast<double>(report.aligned + report.only_b));
  }
  return "";
}

// ---- inputs ----

/// What an input brought, in one run: "bad.csv, byte 53".
std::string source_text(const std::optional<OutsideSource>& source) {
  if (!source) return "nothing";
  switch (source->kind) {
    case OutsideSource::Kind::kZero: return "fresh memory";
    case OutsideSource::Kind::kStart:
    case OutsideSource::Kind::kParent: return "what was there before";
    case OutsideSource::Kind::kAnchor: return "what was written in front of the anchor";
    case OutsideSource::Kind::kLate: return "what was there when the recording began";
    case OutsideSource::Kind::kUnseen: return "what the kernel changed unseen";
    case OutsideSource::Kind::kSignal: return "a signal";
    case OutsideSource::Kind::kSyscall:
    case OutsideSource::Kind::kStartup:
    case OutsideSource::Kind::kFile: break;
  }
  if (!source->field.empty()) {
    const std::string& file = source->input.empty() ? source->path : source->input;
    if (!file.empty()) return fmt::format("{} of {}", source->field, escape_for_terminal(file));
  }
  std::string text = source->input;
  if (text.empty() && source->path.empty()) text = source->call + "()";
  if (text.empty())
    text = fmt::format("{}(\"{}\")", source->call, escape_for_terminal(source->path));
  if (source->offset) text += fmt::format(", byte {}", *source->offset);
  return text;
}

struct InputValues {
  std::string a;
  std::string b;
};
/// As the first that used the input saw it.
InputValues input_values(const WhyReport& report, uint32_t number) {
  // A file's size is a number, whichever byte of it was used.
  const Node& node = report.nodes[number];
  const auto whole = [](const std::optional<OutsideSource>& source) -> std::optional<uint64_t> {
    if (!source || source->field.empty()) return std::nullopt;
    return source->result ? source->result : source->value;
  };
  if (whole(node.source_a) && whole(node.source_b))
    return {std::to_string(*whole(node.source_a)), std::to_string(*whole(node.source_b))};
  for (const Edge& edge : report.edges) {
    if (edge.to == number && (!edge.value_a.empty() || !edge.value_b.empty()))
      return {cut(edge.value_a), cut(edge.value_b)};
  }
  return {};
}

/// What a system call that failed answered; empty for all else.
std::string failure_of(const std::optional<OutsideSource>& source) {
  const std::string error = source && source->result ? error_name(*source->result) : "";
  return error.empty() ? "" : "fails with " + error;
}

std::string input_text(const WhyReport& report, uint32_t number) {
  const Node& node = report.nodes[number];
  const InputValues values = input_values(report, number);
  const auto with = [](const std::optional<OutsideSource>& source, const std::string& value) {
    const std::string failure = failure_of(source);
    if (!failure.empty()) return fmt::format("{} {}", source_text(source), failure);
    return value.empty() ? source_text(source) : fmt::format("{}: {}", source_text(source), value);
  };
  const std::string call = node.source_b ? node.source_b->call : "";
  return fmt::format("input{}  A  {}   B  {}", call.empty() ? "" : fmt::format(" by {}()", call),
                     with(node.source_a, values.a), with(node.source_b, values.b));
}

std::string because_text(const WhyReport& report, uint32_t number) {
  const Node& node = report.nodes[number];
  const auto given = [](const std::optional<OutsideSource>& source,
                        const std::optional<NamedInstruction>& at) {
    const bool has_place = source && source->kind == OutsideSource::Kind::kAnchor && at;
    if (!has_place) return source_text(source);
    return fmt::format("what {} wrote in front of the anchor", place_text(*at));
  };
  const std::string a = given(node.source_a, node.caller_a ? node.caller_a : node.a);
  const std::string b = given(node.source_b, node.caller_b ? node.caller_b : node.b);
  const InputValues values = input_values(report, number);
  const std::string failure_a = failure_of(node.source_a);
  const std::string failure_b = failure_of(node.source_b);
  if (failure_a != failure_b) {
    const auto outcome = [](const std::string& failure) {
      return failure.empty() ? "succeeds" : failure;
    };
    const std::string there = a == b ? "in A it" : "in A " + a;
    return fmt::format("They differ because {} {} in B; {} {}", b, outcome(failure_b), there,
                       outcome(failure_a));
  }
  if (values.a.empty() || values.b.empty())
    return fmt::format("They differ because of {} (A: {})", b, a);
  if (a == b)
    return fmt::format("They differ because {} is {} in A, {} in B", b, values.a, values.b);
  return fmt::format("They differ because {} is {} in B; in A {} is {}", b, values.b, a, values.a);
}

// ---- lines of the answer ----

/// What the executions of a line say against it.
std::string_view suspicion_text(const Statement& one) {
  if (one.is_beside) return "  (writes beside a pointer that is NULL in B, and not that one)";
  if (one.has_new_way) return "  (B goes a way here that A never does)";
  if (one.times_a == 0 && one.times_b != 0) return "  (only B executes it)";
  return "";
}

std::string_view written_text(DivergenceType type) {
  switch (type) {
    case DivergenceType::kExtraExecution: return "was written by what only B executed";
    case DivergenceType::kExecutionOmission: return "was written by what only A executed";
    case DivergenceType::kExecutionDifference:
    case DivergenceType::kWildWrite:
    case DivergenceType::kNone: break;
  }
  return "was last written at different places";
}

// ---- misuse of memory ----

std::string block_text(const Misuse& of) {
  return of.allocated ? fmt::format(" (allocated at {})", place_text(*of.allocated)) : "";
}

std::string outside_text(const Misuse& of, std::string_view does) {
  const bool is_before = of.offset < 0;
  const auto end = static_cast<int64_t>(of.size);
  const int64_t distance = is_before ? -of.offset : std::max<int64_t>(of.offset - end, 0);
  const std::string object =
      !of.name.empty()
          ? fmt::format("{} ({} byte{})", of.name, of.size, of.size == 1 ? "" : "s")
          : fmt::format("a block of {} byte{}{}", of.size, of.size == 1 ? "" : "s", block_text(of));
  if (distance == 0) return fmt::format("{} {} the end of {}", does, "beyond", object);
  return fmt::format("{} {} byte{} {} {}", does, distance, distance == 1 ? "" : "s",
                     is_before ? "in front of the begin of" : "behind the end of", object);
}

std::string misuse_what(const Misuse& of) {
  const bool writes = of.access == Misuse::Access::kWrite;
  const std::string_view does = writes ? "writes" : "reads";
  const auto freed_at = [&] { return of.freed ? " at " + place_text(*of.freed) : std::string(); };
  switch (of.kind) {
    case Misuse::Kind::kFreed:
      return fmt::format("{} memory that was freed{}{}", does, freed_at(), block_text(of));
    case Misuse::Kind::kReused:
      return fmt::format(
          "{} a block that was freed{} and allocated again{}{}", does, freed_at(),
          of.reused ? " at " + place_text(*of.reused) : "",
          of.allocated ? fmt::format(" (allocated first at {})", place_text(*of.allocated)) : "");
    case Misuse::Kind::kOutside: return outside_text(of, does);
    case Misuse::Kind::kReturnAddress:
      return of.name.empty() ? std::string("writes over a return address")
                             : fmt::format("writes over the return address of {}", of.name);
    case Misuse::Kind::kUninitialised:
      return of.size != 0 ? fmt::format("uses {} that was never written{}",
                                        of.name.empty() ? "memory" : of.name, block_text(of))
                          : fmt::format("uses {} that was never written",
                                        of.name.empty() ? "memory of the stack" : of.name);
    case Misuse::Kind::kDoubleFree:
      return fmt::format("frees what was freed{} already{}", freed_at(), block_text(of));
    case Misuse::Kind::kBadFree:
      if (of.size != 0)
        return fmt::format("frees an address {} bytes inside of a block{}", of.offset,
                           block_text(of));
      return fmt::format("frees what is no block: an address of {}",
                         of.name == "stack" ? "the stack" : "the program's file");
    case Misuse::Kind::kNull:
      if (of.access == Misuse::Access::kJump) return "calls a NULL pointer";
      return of.offset == 0 ? fmt::format("{} through a NULL pointer", does)
                            : fmt::format("{} through a NULL pointer (NULL + {})", does, of.offset);
    case Misuse::Kind::kWild:
      return of.access == Misuse::Access::kJump
                 ? fmt::format("jumps to {:#x}, where there is no code", of.address)
                 : fmt::format("{} at {:#x}, where there is no such memory", does, of.address);
  }
  return "";
}

/// "B reads memory that was freed at freed.c:10 (allocated at freed.c:5), at freed.c:11 in strlen".
std::string misuse_text(const Misuse& of) {
  return fmt::format("{} {}, at {}{}{}", of.side == RunSide::kA ? 'A' : 'B', misuse_what(of),
                     place_text(of.at), of.by.empty() ? "" : " in " + of.by,
                     of.is_in_both ? "; so does A" : "");
}

class LineWords {
 public:
  explicit LineWords(const WhyReport& report) : report_(report) {}

  std::string text(const Line& line) {
    std::string out = what(line);
    if (line.rounds != 0) out += fmt::format("  ({} times round)", line.rounds);
    if (line.copies != 0)
      out += fmt::format("  ({} cop{} skipped)", line.copies, line.copies == 1 ? "y" : "ies");
    if (line.is_first_wrong) out += "        <-- first wrong state";
    if (line.between != 0)
      out +=
          fmt::format("  ({} line{} between: --all)", line.between, line.between == 1 ? "" : "s");
    return out;
  }

  /// "csvsum.c:33  for (int i = 0; i < h->ncols; i++) {".
  std::string site_text(const NamedInstruction* at) {
    if (at == nullptr) return "";
    std::string text = source_.line(at->file, at->line);
    if (text.empty() && at->line == 0) text = at->text;
    return fmt::format("{}  {}", place_text(*at), cut(std::move(text)));
  }

 private:
  std::string what(const Line& line) {
    const Node& node = report_.nodes[line.nodes.front()];
    switch (line.kind) {
      case Line::Kind::kTarget: return target_text();
      case Line::Kind::kPlace: return site_text(site_of(node)) + values_text(line);
      case Line::Kind::kState:
        return fmt::format("{} {}", report_.edges[*line.edge].name, written_text(node.type));
      case Line::Kind::kSite:
        return fmt::format("{}  {}", *line.run == RunSide::kA ? 'A' : 'B',
                           site_text(site_of(node, *line.run)));
      case Line::Kind::kInput: return input_text(report_, line.nodes.front());
      case Line::Kind::kAside: return aside_text(line);
    }
    return "";
  }

  std::string target_text() const {
    std::string out = subject_text(report_.target);
    const std::string a = value_text(report_.target, report_.target_a);
    const std::string b = value_text(report_.target, report_.target_b);
    if (!a.empty() || !b.empty()) out += fmt::format("  A: {}  B: {}", a, b);
    return out;
  }

  std::string values_text(const Line& line) const {
    if (!line.edge) return line.decides ? "  (the runs part here)" : "";
    const Edge& edge = report_.edges[*line.edge];
    return fmt::format("  {}  A: {}  B: {}", edge.name, cut(edge.value_a), cut(edge.value_b));
  }

  std::string aside_text(const Line& line) {
    const Statement& first = report_.statements[line.statements.front()];
    std::string out = fmt::format("also  {}{}", site_text(&first.at), suspicion_text(first));
    std::string further;
    for (const uint32_t one : std::span(line.statements).subspan(1))
      further += fmt::format("{}{}", further.empty() ? "" : ", ", report_.statements[one].at.line);
    if (!further.empty())
      out += fmt::format("  and {} ({})", further, cut(source_name(first.at.function)));
    return out;
  }

  const WhyReport& report_;
  SourceText source_;
};

}  // namespace

namespace {

/// The first thing that somebody gave the runs and that is not the same: rather contents than names
/// of files, rather these than the environment.
const InputDifference* given_difference(const WhyReport& report) {
  using enum InputDifference::Kind;
  for (const auto kind : {kFile, kArgument, kFailed, kOpened, kVariable, kDirectory}) {
    const auto found = std::ranges::find(report.inputs, kind, &InputDifference::kind);
    if (found != report.inputs.end()) return &*found;
  }
  return nullptr;
}

/// The input by itself says which byte of what differs, or which file could not be had.
bool tells_input(const Node& input) {
  const auto tells = [](const std::optional<OutsideSource>& source) {
    return source && ((source->offset && !source->input.empty()) || !source->field.empty() ||
                      source->kind == OutsideSource::Kind::kAnchor ||
                      source->kind == OutsideSource::Kind::kLate || !failure_of(source).empty());
  };
  return tells(input.source_a) || tells(input.source_b);
}

/// Where the way ended at no input that says something by itself. Runs that differ were given
/// something that does, which is true whatever the graph has.
std::string with_given(const WhyReport& report, std::string text) {
  const InputDifference* given = given_difference(report);
  if (given == nullptr) return text;
  return fmt::format("{}; they were given different input: {}", text,
                     input_difference_text(*given));
}

/// What only one of the runs was given, at the end of the way: the other one has nothing to hold
/// against it but what it was given instead.
std::string given_text(const WhyReport& report) {
  if (const InputDifference* given = given_difference(report))
    return "They were given different input: " + input_difference_text(*given);
  const Node& input = report.nodes[report.headline.node];
  return fmt::format("Only {} was given {}", input.source_a ? 'A' : 'B',
                     source_text(input.source_a ? input.source_a : input.source_b));
}

std::string because_verdict(const WhyReport& report) {
  const WhyReport::Headline& headline = report.headline;
  const auto place = [&] { return place_text(*site_of(report.nodes[headline.node])); };
  switch (headline.kind) {
    case WhyReport::Headline::Kind::kNone: return "";
    case WhyReport::Headline::Kind::kSame: return same_text(report.same);
    case WhyReport::Headline::Kind::kInput: {
      const Node& input = report.nodes[headline.node];
      if (!input.source_a || !input.source_b) return given_text(report);
      std::string text = because_text(report, headline.node);
      return tells_input(report.nodes[headline.node]) ? text : with_given(report, std::move(text));
    }
    case WhyReport::Headline::Kind::kCut:
      return with_given(
          report, fmt::format("The search ended at its limit (--budget, --limit), at {}", place()));
    case WhyReport::Headline::Kind::kNoInput:
      return with_given(report, fmt::format("They part at {}", place()));
  }
  return "";
}

std::string headline_text(const WhyReport& report) {
  if (report.misuses.empty() || report.misuses.front().is_in_both) return "";
  return misuse_text(report.misuses.front());
}

}  // namespace

std::string verdict_text(const WhyReport& report) {
  const std::string headline = headline_text(report);
  const std::string because = because_verdict(report);
  if (headline.empty() || because.empty()) return headline + because;
  return headline + ". " + because;
}

namespace {

/// Of the misuse that is the headline: how its pointer came to be used, and who called.
std::vector<std::string> misuse_details(const WhyReport& report, LineWords& lines) {
  std::vector<std::string> out;
  if (headline_text(report).empty()) return out;
  const Misuse& of = report.misuses.front();
  const auto add = [&](std::string_view what, const std::vector<NamedInstruction>& sites) {
    for (const NamedInstruction& at : sites)
      out.push_back(fmt::format("{:13}  {}", what, lines.site_text(&at)));
  };
  add("pointer by", of.passed);
  add("called at", of.callers);
  add("freed for", of.freed_for);
  add("allocated for", of.allocated_for);
  return out;
}

std::vector<std::string> suspect_words(const WhyReport& report, LineWords& lines) {
  std::vector<std::string> out;
  for (const uint32_t number : suspects_of(report)) {
    const Statement& one = report.statements[number];
    out.push_back(fmt::format("{}{}", lines.site_text(&one.at), suspicion_text(one)));
  }
  return out;
}

}  // namespace

std::vector<std::string> statement_words(const WhyReport& report) {
  std::vector<std::string> out;
  out.reserve(report.statements.size());
  LineWords lines(report);
  for (const Statement& one : report.statements) out.push_back(lines.site_text(&one.at));
  return out;
}

WhyWords why_words(const WhyReport& report) {
  WhyWords out{.end_a = end_text(report.a.end),
               .end_b = end_text(report.b.end),
               .verdict = verdict_text(report),
               .headline = headline_text(report),
               .because = because_verdict(report)};
  for (const Misuse& misuse : report.misuses) out.misuses.push_back(misuse_text(misuse));
  if (report.outcome != WhyReport::Outcome::kSame) {
    out.target = subject_text(report.target);
    out.target_a = value_text(report.target, report.target_a);
    out.target_b = value_text(report.target, report.target_b);
  }
  for (const InputDifference& one : report.inputs) out.inputs.push_back(input_difference_text(one));
  for (size_t i = out.headline.empty() ? 0 : 1; i < out.misuses.size(); ++i)
    out.notes.push_back(out.misuses[i]);
  for (const WhyNote& note : report.notes) out.notes.push_back(note_text(report, note));
  LineWords lines(report);
  out.details = misuse_details(report, lines);
  out.suspects = suspect_words(report, lines);
  for (const Line& line : report.answer) out.lines.push_back(lines.text(line));
  return out;
}

}  // namespace twinrun
