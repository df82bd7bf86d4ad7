// SPDX-License-Identifier: MIT
#include "explain/answer/why.h"

#include "base/escape.h"
#include "base/text.h"
#include "explain/answer/aftermath.h"
#include "explain/answer/answer.h"
#include "explain/answer/last_words.h"
#include "explain/answer/new_values.h"
#include "explain/answer/statements.h"
#include "explain/answer/suspicion.h"
#include "explain/graph/work.h"
#include "explain/inputs/noise.h"
#include "explain/misuse/find_misuse.h"
#include "kernel/how_ended.h"
#include "program/source_name.h"
#include "trace/initial_stack.h"
#include "values/call_chains.h"
#include "values/outputs.h"
#include "values/past_state.h"
#include "values/source_names.h"
#include "values/subject.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <span>
#include <tuple>

namespace twinrun {
namespace {

constexpr size_t kStatementsMost = 150;
constexpr uint32_t kNamedAlike = 3;    // edges between the same instructions that get names
constexpr uint64_t kNamingMost = 120;  // segments that are computed to name what differs
// The same where the program has no lines that what a library calls its variables could stand
// behind.
constexpr uint64_t kNamingWithoutLine = 8;
constexpr size_t kTargetsTried = 6;
constexpr uint32_t kTriedNodes = 400;  // of a target, to see whether it tells something
constexpr size_t kTargetsTogether = 4;
// Of decoded control flow, of each run: it is gone over by the alignment, the log of allocations
// and every question that computes. 100 million instructions have 60 to 100 MB.
constexpr uint64_t kBlocksKept = 96 << 20;
// Characters of a text that a pointer without a type leads to.
constexpr size_t kTextLeast = 2;
constexpr size_t kTextMost = 48;
constexpr uint64_t kLeastAligned = 2;  // at least one of so many parts, or the evidence is weak

/// `is_text`: they came from outside, where they are no number yet.
std::string number_text(const std::vector<uint8_t>& bytes, bool is_text = false) {
  if (bytes.empty() || bytes.size() > 8) return {};
  const auto is_plain = [](uint8_t byte) { return byte >= ' ' && byte < 0x7f; };
  if (is_text && bytes.size() > 1 && std::ranges::all_of(bytes, is_plain))
    return '"' + std::string(bytes.begin(), bytes.end()) + '"';
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  if (bytes.size() == 1) {
    if (value == '\n') return "'\\n'";
    if (value == '\t') return "'\\t'";
    if (value >= ' ' && value < 0x7f) return fmt::format("'{}'", static_cast<char>(value));
  }
  return value < 10 ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}

Result<WhyReport::Side> side_of(const Reader& reader) {
  WhyReport::Side out{.path = reader.path(), .instructions = reader.instructions()};
  if (const auto& recording = reader.recording()) {
    for (const std::string& word : recording->argv)
      out.command += (out.command.empty() ? "" : " ") + quote_for_shell(word);
    if (const std::string* from = recording->fact(kFactFrom)) out.from = *from;
  }
  if (const Process* root = root_process(reader)) {
    TRY(out.end, how_ended(reader, *root));
  }
  if (reader.is_prefix()) out.prefix_note = reader.prefix_note();
  return out;
}

/// Gives the nodes and edges of a graph the names that the source has for them.
class Describer {
 public:
  Describer(RunPair& runs, const CausalGraph& graph, WhyReport& out)
      : runs_(runs), graph_(graph), out_(out) {}

  Result<void> run() {
    for (const CausalGraph::Node& node : graph_.nodes) TRY_VOID(add_node(node));
    TRY_VOID(add_callers(RunSide::kA));
    TRY_VOID(add_callers(RunSide::kB));
    begun_ = work();
    for (const CausalGraph::Edge& edge : graph_.edges) TRY_VOID(add_edge(edge));
    out_.cut = graph_.cut;
    return {};
  }

 private:
  /// Where the program's own code called the library that an instruction is in.
  Result<void> add_callers(RunSide side) {
    std::map<uint32_t, std::pair<ProcessView*, std::vector<uint32_t>>> by_process;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const auto& instruction = side == RunSide::kA ? graph_.nodes[i].a : graph_.nodes[i].b;
      if (!instruction) continue;
      auto& [view, nodes] = by_process[instruction->position.process.value];
      view = instruction->view;
      nodes.push_back(i);
    }
    for (const auto& [number, process] : by_process) {
      const auto& [view, nodes] = process;
      if (view->maps.files().empty()) continue;
      // The kernel maps the program before anything else.
      const std::string program(base_name(view->maps.files()[0].path));
      if (!out_.is_own(program)) out_.programs.push_back(program);
      std::vector<uint32_t> library;
      std::vector<BlockAt> blocks;
      for (const uint32_t i : nodes) {
        const auto& row = side == RunSide::kA ? out_.nodes[i].a : out_.nodes[i].b;
        const auto& instruction = side == RunSide::kA ? graph_.nodes[i].a : graph_.nodes[i].b;
        if (!row || !instruction) continue;
        if (row->module == program && !is_system_source(row->file)) continue;
        library.push_back(i);
        blocks.push_back(instruction->at.block);
      }
      TRY(const auto chains, call_chains(*view, blocks));
      for (size_t i = 0; i < library.size(); ++i) {
        // Templates of the standard library are inlined, or called, by the program's own code.
        std::vector<uint64_t> calls = chains[i];
        const auto& row_at =
            side == RunSide::kA ? out_.nodes[library[i]].a : out_.nodes[library[i]].b;
        if (row_at) calls.insert(calls.begin(), row_at->pc);
        for (const uint64_t call : calls) {
          const ResolvedAddress place =
              view->symbolizer.resolve_own_line({call}, view->number_of(blocks[i]));
          if (place.module_name() != program || place.is_system) continue;
          NamedInstruction caller;
          caller.pc = call;
          caller.module = place.module_name();
          caller.function = place.function;
          caller.offset = place.function.empty() ? place.module_offset : place.offset;
          caller.file = place.file;
          caller.line = place.line;
          WhyReport::Node& row = out_.nodes[library[i]];
          (side == RunSide::kA ? row.caller_a : row.caller_b) = std::move(caller);
          break;
        }
      }
    }
    return {};
  }

  /// What questions have cost so far, in segments.
  [[nodiscard]] uint64_t work() const {
    uint64_t out = 0;
    for (ProcessView* const view : views_) out += work_of(*view);
    return out;
  }

  Result<void> add_node(const CausalGraph::Node& node) {
    for (const auto* instruction : {&node.a, &node.b})
      if (*instruction) views_.insert((*instruction)->view);
    WhyReport::Node row{.kind = node.kind,
                        .type = node.type,
                        .is_decision = node.is_decision,
                        .is_target = node.is_target,
                        .has_no_cause = node.has_no_cause,
                        .is_enhanced = node.is_enhanced,
                        .is_common = node.is_common,
                        .is_beside = node.is_beside,
                        .source_a = node.source_a,
                        .source_b = node.source_b};
    if (node.a) {
      TRY(row.a, node.a->view->namer.row(node.a->at));
    }
    if (node.b) {
      TRY(row.b, node.b->view->namer.row(node.b->at));
    }
    for (const auto& [side, instruction] : node.more) {
      TRY(auto name, instruction.view->namer.row(instruction.at));
      row.more.emplace_back(side, std::move(name));
    }
    if (node.region_a) row.only_a = runs_.region(*node.region_a).a.size();
    if (node.region_b) row.only_b = runs_.region(*node.region_b).b.size();
    out_.nodes.push_back(std::move(row));
    return {};
  }

  Result<void> add_edge(const CausalGraph::Edge& edge) {
    WhyReport::Edge row{.from = edge.from,
                        .to = edge.to,
                        .is_control = edge.kind == CausalGraph::Edge::Kind::kControl,
                        .for_address = edge.for_address,
                        .in_memory = edge.place_b.in_memory,
                        .is_reused = edge.is_reused,
                        .freed_by = edge.freed_by,
                        .rounds = edge.rounds};
    // Names cost: those of what a region depends on are not asked for.
    bool is_named = !edge.freed_by && !graph_.nodes[edge.from].is_enhanced &&
                    !graph_.nodes[edge.to].is_enhanced;
    // Nor those of a loop's every round, nor any when they cost too much: memory that was written
    // long ago.
    const uint64_t spent = work() - begun_;
    const NamedInstruction* site = site_of(out_.nodes[edge.from]);
    const uint64_t most = site != nullptr && site->line != 0 ? kNamingMost : kNamingWithoutLine;
    const uint32_t alike = spent > most ? 0 : spent > most / 4 ? 1 : kNamedAlike;
    const auto pc_of = [&](uint32_t node) {
      const WhyReport::Node& of = out_.nodes[node];
      return of.b ? of.b->pc : of.a ? of.a->pc : 0;
    };
    is_named =
        is_named && ++named_[{pc_of(edge.from), pc_of(edge.to), edge.place_b.in_memory}] <= alike;
    if (is_named && !row.is_control && edge.through != Dependence::Kind::kValue) {
      const CausalGraph::Node& from = graph_.nodes[edge.from];
      const WhyReport::Node& user = out_.nodes[edge.from];
      const bool in_library = user.caller_a || user.caller_b;
      if (from.b) {
        row.place = edge.place_b.in_memory ? memory_text(edge.place_b.where, edge.place_b.size)
                                           : register_text(from.b->view->process(),
                                                           edge.place_b.where, edge.place_b.size);
      }
      if (from.a) {
        const SourceName name = name_of(*from.a, edge.place_a, in_library);
        row.name = name.text;
        row.value_a = name.value;
      }
      if (from.b) {
        const SourceName name = name_of(*from.b, edge.place_b, in_library);
        if (row.name.empty()) row.name = name.text;
        row.value_b = name.value;
      }
    }
    // What debug information cannot tell of memory, the recording can.
    const auto is_untold = [](const std::string& value) {
      return value.empty() || value.front() == '<';
    };
    const bool is_text = is_text_input(graph_.nodes[edge.to]);
    if (is_untold(row.value_a) && !edge.value_a.empty())
      row.value_a = number_text(edge.value_a, is_text);
    if (is_untold(row.value_b) && !edge.value_b.empty())
      row.value_b = number_text(edge.value_b, is_text);
    out_.edges.push_back(std::move(row));
    return {};
  }

  /// Bytes of files, arguments and the environment.
  static bool is_text_input(const CausalGraph::Node& node) {
    const auto has_offset = [](const std::optional<OutsideSource>& source) {
      return !source || source->offset;
    };
    return node.kind == CausalGraph::Node::Kind::kInput && has_offset(node.source_a) &&
           has_offset(node.source_b);
  }

  /// What the source calls the bytes where the instruction reads them; what cannot be told is
  /// empty.
  SourceName name_of(const InstructionOf& reader, const BytesOf& bytes, bool in_library) {
    const auto name = try_name(reader, bytes, in_library);
    return name ? *name : SourceName{};
  }
  Result<SourceName> try_name(const InstructionOf& reader, const BytesOf& bytes, bool in_library) {
    ProcessView& view = *reader.view;
    TRY(const SegmentSteps* segment, view.values->steps(reader.at.block.segment));
    const BlockDef* def = view.values->dictionary().find(segment->value(reader.at.block.ordinal));
    if (def == nullptr) return SourceName{};
    const DebugAt debug =
        debug_at(view, {address_of(*def, reader.at.instruction)}, view.number_of(reader.at.block));
    if (debug.info == nullptr) return SourceName{};
    TRY(Registers registers, registers_before(view, reader.at));
    TRY(const Moment moment, moment_before(view, reader.at));
    PastMemory memory(view, moment);
    const PastState state(std::move(registers), memory, debug.load_bias);
    SourceName out = bytes.in_memory
                         ? SourceNames::of_memory(debug, state, bytes.where, bytes.size)
                         : SourceNames::of_register(debug, state,
                                                    static_cast<uint32_t>(bytes.where), bytes.size);
    if (const auto led = leads_to(view, reader, memory, out.value, in_library)) out.value = *led;
    return out;
  }

  /// What a pointer leads to, where its type does not tell: a function by its name; what a library
  /// takes as `void *` by its text.
  static std::optional<std::string> leads_to(ProcessView& view, const InstructionOf& reader,
                                             PastMemory& memory, const std::string& value,
                                             bool in_library) {
    uint64_t address = 0;
    const char* end = value.data() + value.size();
    const bool is_address =
        value.starts_with("0x") && std::from_chars(value.data() + 2, end, address, 16).ptr == end;
    if (!is_address || address == 0) return std::nullopt;
    const ResolvedAddress place =
        view.symbolizer.resolve({address}, view.number_of(reader.at.block));
    if (!place.function.empty() && place.offset == 0)
      return source_name(std::string(place.function));
    if (!in_library) return std::nullopt;
    std::array<uint8_t, kTextMost> bytes{};
    size_t size = 0;
    while (size < bytes.size() && memory.read(address + size, std::span(&bytes[size], 1)) &&
           bytes[size] >= ' ' && bytes[size] < 0x7f)
      ++size;
    const bool is_ended = size == bytes.size() || bytes[size] == 0 || bytes[size] == '\n';
    if (size < kTextLeast || !is_ended) return std::nullopt;
    return fmt::format("{} \"{}\"", value,
                       std::string(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)));
  }

  RunPair& runs_;
  const CausalGraph& graph_;
  WhyReport& out_;
  std::map<std::tuple<uint64_t, uint64_t, bool>, uint32_t> named_;  // edges between instructions
  std::set<ProcessView*> views_;
  uint64_t begun_ = 0;
};

/// What the inputs behind a difference are.
class InputKinds {
 public:
  enum class Kind : uint8_t {
    kTelling,
    kNoise,  // time, process numbers, random bytes
    kNames,  // only how the input files are called
  };
  explicit InputKinds(RunPair& runs) : runs_(runs) {}

  Result<Kind> of(const CausalGraph& graph) {
    bool has_input = false;
    bool only_noise = true;
    bool is_name = true;
    for (const CausalGraph::Node& node : graph.nodes) {
      if (node.has_no_cause) return Kind::kTelling;
      if (node.kind != CausalGraph::Node::Kind::kInput) continue;
      has_input = true;
      for (const auto* source : {&node.source_a, &node.source_b})
        only_noise = only_noise && (!*source || is_noise(**source));
      TRY(const bool name, names_files(node));
      is_name = is_name && name;
    }
    if (!has_input) return Kind::kTelling;
    return only_noise ? Kind::kNoise : is_name ? Kind::kNames : Kind::kTelling;
  }

  /// What the input brought are names of files.
  Result<bool> names_files(const CausalGraph::Node& input) {
    for (const auto& [side, source] :
         {std::pair(RunSide::kA, &input.source_a), {RunSide::kB, &input.source_b}}) {
      if (!*source) continue;
      TRY(const bool name, names_file(side, **source));
      if (!name) return false;
    }
    return true;
  }

 private:
  /// An argument that is the name of a file which the process has opened.
  Result<bool> names_file(RunSide side, const OutsideSource& source) {
    if (source.kind != OutsideSource::Kind::kStartup || !source.input.starts_with("argv["))
      return false;
    const Reader& reader = runs_.run(side).reader();
    const uint32_t number = source.position.process.value;
    TRY(const InitialStack stack, initial_stack(reader, number));
    for (const InitialString& string : stack.strings) {
      if (string.name != source.input) continue;
      const size_t index = static_cast<size_t>(&string - stack.strings.data());
      if (index >= stack.argv.size()) return false;
      TRY(const auto opened, opened_files(reader, *reader.process(number)));
      return opened.contains(stack.argv[index]);
    }
    return false;
  }

  RunPair& runs_;
};

Result<void> add_suspicion(WhyReport& out, const RunPair& runs) {
  std::set<std::string> files;
  for (const WhyReport::Statement& one : out.statements) {
    if (out.is_own(one.at.module) && one.at.line != 0) files.insert(one.at.file);
  }
  const std::set<std::string> programs(out.programs.begin(), out.programs.end());
  TRY(const ExecutedLines in_a, executed_lines(runs.a(), programs, files));
  TRY(const ExecutedLines in_b, executed_lines(runs.b(), programs, files));
  add_executions(out.statements, in_a, in_b);
  rank_statements(out.statements);
  return {};
}

/// What is explained.
struct Chosen {
  std::vector<Target> targets;  // together; none: the runs are the same
  Sameness same;
};

/// What the user asked about.
Result<Chosen> asked_target(RunPair& runs, PointerMatcher& pointers, const WhyOptions& options,
                            WhyReport& out) {
  TRY(ChosenTargets asked, choose_targets(runs, pointers, options.target));
  std::ranges::move(asked.notes, std::back_inserter(out.notes));
  return Chosen{std::move(asked.targets), std::move(asked.same)};
}

/// What went differently in the end. What differs for reasons that tell nothing is passed over.
Result<Chosen> telling_target(RunPair& runs, PointerMatcher& pointers, const WhyOptions& options,
                              WhyReport& out) {
  TRY(const std::vector<Target> targets, find_targets(runs));
  if (targets.empty()) return Chosen{};
  InputKinds kinds(runs);
  bool is_noise = true;
  size_t chosen = 0;
  for (size_t i = 0; i < std::min(targets.size(), kTargetsTried); ++i) {
    SliceAlign alone(runs, pointers, {.limit = std::min(options.limit, kTriedNodes), .regions = 0});
    TRY(const CausalGraph found, alone.run(std::span(&targets[i].difference, 1)));
    TRY(const InputKinds::Kind kind, kinds.of(found));
    if (found.cut || kind == InputKinds::Kind::kTelling) {
      chosen = i;
      break;
    }
    out.notes.push_back({.kind = kind == InputKinds::Kind::kNoise ? WhyNote::Kind::kOnlyNoise
                                                                  : WhyNote::Kind::kOnlyNames,
                         .what = targets[i].what});
    is_noise = is_noise && kind == InputKinds::Kind::kNoise;
    if (i + 1 == targets.size()) out.outcome = is_noise ? WhyReport::Outcome::kNoise : out.outcome;
  }
  // With those of the same kind behind it.
  Chosen together;
  for (size_t i = chosen; i < targets.size() && together.targets.size() < kTargetsTogether; ++i) {
    const bool is_alone = targets[chosen].kind != Target::Kind::kOutput;
    if (i > chosen && (is_alone || targets[i].kind != targets[chosen].kind)) break;
    together.targets.push_back(targets[i]);
  }
  return together;
}

}  // namespace

Result<WhyReport> why(RunPair& runs, const WhyOptions& options) {
  TRY_VOID(runs.have_values());
  for (const RunSide side : {RunSide::kA, RunSide::kB}) runs.run(side).keep_blocks(kBlocksKept);
  runs.pair_loops(options.loops);
  runs.begin_at(options.anchor);
  TRY(const AlignReport* alignment, runs.align(0, options.work));
  WhyReport out;
  TRY(out.a, side_of(runs.a().reader()));
  TRY(out.b, side_of(runs.b().reader()));
  out.aligned = alignment->aligned;
  out.only_a = alignment->only_a;
  out.only_b = alignment->only_b;
  out.divergences = alignment->divergence_count;
  tell(options.work, kFindingTarget);
  TRY(out.inputs, input_differences(runs));
  PointerMatcher pointers(runs, {options.normalizes, options.allocators});
  const bool is_asked = options.target.kind != TargetChoice::Kind::kNone;
  TRY(const Chosen chosen, is_asked ? asked_target(runs, pointers, options, out)
                                    : telling_target(runs, pointers, options, out));
  if (chosen.targets.empty()) {
    out.outcome = WhyReport::Outcome::kSame;
    out.headline.kind = WhyReport::Headline::Kind::kSame;
    out.same = chosen.same;
    return out;
  }
  std::vector<TargetDifference> differences;
  for (const Target& target : chosen.targets) {
    differences.push_back(target.difference);
    differences.insert(differences.end(), target.also.begin(), target.also.end());
  }
  SliceAlignOptions how{
      .limit = options.limit, .budget = options.budget, .chosen = options.regions};
  if (!options.enhances) how.regions = 0;
  how.progress = [&](double share) { tell(options.work, kFollowing, share); };
  SliceAlign slicer(runs, pointers, how);
  TRY(const CausalGraph graph, slicer.run(differences));
  for (const uint32_t node : options.regions) {
    if (node >= graph.nodes.size() || graph.nodes[node].kind != CausalGraph::Node::Kind::kUnaligned)
      return fail("A006", "N{} is no region that only one of the runs executed", node);
  }
  if (graph.unfollowed != 0)
    out.notes.push_back({.kind = WhyNote::Kind::kNotRecorded, .count = graph.unfollowed});
  const Target& target = chosen.targets[0];
  out.target_kind = target.kind;
  out.target = target.what;
  out.target_a = target.value_a;
  out.target_b = target.value_b;
  const uint64_t of_b = out.aligned + out.only_b;
  if (out.aligned < of_b / kLeastAligned) out.notes.push_back({.kind = WhyNote::Kind::kFewAligned});
  TRY(LastWords said, last_words(runs.a().reader(), runs.b().reader()));
  out.a.says = std::move(said.a);
  out.b.says = std::move(said.b);
  tell(options.work, kNaming);
  TRY_VOID(Describer(runs, graph, out).run());
  TRY_VOID(mark_new_values(graph, out));
  // Nothing comes after a crash, unless the run chose it.
  const bool is_crash = target.kind == Target::Kind::kCrash &&
                        target.value_b.end.kind == HowEnded::Kind::kCrashed &&
                        target.value_b.end.status != SIGABRT;
  if (!is_crash && target.kind != Target::Kind::kHang) {
    TRY(const Aftermath after, find_aftermath(runs, graph));
    for (size_t i = 0; i < out.nodes.size(); ++i) out.nodes[i].is_after = after.nodes[i];
    if (after.gave_up && out.is_own(after.gave_up->module)) out.gave_up = after.gave_up;
  }
  InputKinds kinds(runs);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind != CausalGraph::Node::Kind::kInput) continue;
    TRY(out.nodes[i].is_name, kinds.names_files(graph.nodes[i]));
  }
  // The graph stands without it, where values of its blocks cannot be told; but nobody may take
  // silence for an answer.
  tell(options.work, kCheckingMemory);
  auto found = find_misuse(runs, pointers, graph, target, {.allocators = options.allocators});
  if (found)
    out.misuses = std::move(found->told);
  else
    out.notes.push_back(
        {.kind = WhyNote::Kind::kNotChecked, .what = {.name = found.error().message}});
  if (found && found->unfollowed != 0)
    out.notes.push_back({.kind = WhyNote::Kind::kPartlyChecked, .count = found->unfollowed});
  tell(options.work, kCountingLines);
  find_statements(out);
  TRY_VOID(add_suspicion(out, runs));
  link_statements(out, kStatementsMost);
  compose_answer(out);
  if (out.headline.kind == WhyReport::Headline::Kind::kInput) {
    const WhyReport::Node& input = out.nodes[out.headline.node];
    if (input.source_a) {
      TRY(out.headline.text_a, text_place(runs.a().reader(), *input.source_a));
    }
    if (input.source_b) {
      TRY(out.headline.text_b, text_place(runs.b().reader(), *input.source_b));
    }
  }
  return out;
}

}  // namespace twinrun
