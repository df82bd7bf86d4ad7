// SPDX-License-Identifier: MIT
// Misuse of memory in what the causal difference graph holds of the second run.
//
//   1. every access of every instruction of the graph: freed, reused, outside, return addresses
//   2. every edge through memory: bytes that nobody has written
//   3. the end: the faulting instruction, a jump to nowhere, free() of what is no block
//   4. the same for the counterparts in the first run, of what was found
//   5. the sites get their names, doubles go, and the most telling one comes first
//
// Addresses are looked up in the log of allocations that comparing pointers has made already.
#include "explain/misuse/find_misuse.h"

#include "explain/misuse/side_checks.h"
#include "values/past_state.h"
#include "values/source_names.h"
#include "values/subject.h"

#include <algorithm>
#include <memory>
#include <tuple>

namespace twinrun {
namespace {

using Node = CausalGraph::Node;
using Kind = Misuse::Kind;

class Finder {
 public:
  Finder(RunPair& runs, PointerMatcher& pointers, const CausalGraph& graph, const Target& target,
         const MisuseOptions& options)
      : runs_(runs), pointers_(pointers), graph_(graph), target_(target), options_(options) {}

  Result<FoundMisuses> run() {
    TRY_VOID(prepare());
    for (const uint32_t number : order()) TRY_VOID(check_node(number));
    TRY_VOID(check_edges());
    TRY_VOID(check_end());
    FoundMisuses out{.told = std::move(out_)};
    for (const auto& [of, known] : checks_) out.unfollowed += known->unfollowed();
    return out;
  }

 private:
  /// The checks of a process of one of the runs.
  Result<SideChecks*> checks(RunSide side, ProcessView& view) {
    std::unique_ptr<SideChecks>& known = checks_[{side, &view}];
    if (known == nullptr) {
      TRY(const AllocationLog* log, pointers_.allocations(side, view.process().info.number));
      known = std::make_unique<SideChecks>(side, view, *log, options_.allocators);
    }
    return known.get();
  }

  /// The instructions of a node that the second run executed.
  static std::vector<InstructionOf> of_b(const Node& node) {
    std::vector<InstructionOf> out;
    if (node.b && node.kind != Node::Kind::kInput) out.push_back(*node.b);
    for (const auto& [side, instruction] : node.more)
      if (side == RunSide::kB) out.push_back(instruction);
    return out;
  }

  Result<void> prepare() {
    std::map<uint32_t, std::pair<ProcessView*, std::vector<BlockAt>>> blocks;
    for (const Node& node : graph_.nodes) {
      for (const InstructionOf& one : of_b(node)) {
        auto& [view, all] = blocks[one.position.process.value];
        view = one.view;
        all.push_back(one.at.block);
      }
    }
    for (const auto& [number, process] : blocks) {
      const auto& [view, all] = process;
      TRY(SideChecks* const of, checks(RunSide::kB, *view));
      TRY_VOID(of->prepare(all));
    }
    return {};
  }

  /// The Basic graph first, as the pointers that are followed are bounded; of each the latest, so
  /// that what was computed for one serves the next.
  std::vector<uint32_t> order() const {
    std::vector<uint32_t> out(graph_.nodes.size());
    for (uint32_t i = 0; i < out.size(); ++i) out[i] = i;
    const auto rank = [&](uint32_t i) {
      const Node& node = graph_.nodes[i];
      return std::tuple(node.is_enhanced,
                        node.b ? ~node.b->view->number_of(node.b->at.block) : uint64_t{0});
    };
    std::ranges::stable_sort(out, {}, rank);
    return out;
  }

  bool is_fault(const InstructionOf& at) const {
    const auto& fault = target_.difference.fault;
    return fault && fault->first == RunSide::kB && fault->second == at.at;
  }

  Result<void> check_node(uint32_t number) {
    const Node& node = graph_.nodes[number];
    for (const InstructionOf& one : of_b(node)) {
      if (is_fault(one)) continue;
      TRY(SideChecks* const of, checks(RunSide::kB, *one.view));
      TRY(const auto found, of->check(one.at));
      for (const FoundMisuse& misuse : found) {
        TRY(const bool in_both, is_in_first(number, one, misuse.told.kind));
        TRY_VOID(add(*of, misuse, number, in_both));
      }
    }
    return {};
  }

  /// Whether the first run does the same where it executes the same.
  Result<bool> is_in_first(uint32_t number, const InstructionOf& at, Kind kind) {
    const Node& node = graph_.nodes[number];
    if (node.kind != Node::Kind::kAligned || !node.a || at.position != node.b->position)
      return false;
    TRY(SideChecks* const of, checks(RunSide::kA, *node.a->view));
    TRY_VOID(of->prepare(std::span(&node.a->at.block, 1)));
    TRY(const auto found, of->check(node.a->at, true));
    return std::ranges::any_of(found,
                               [&](const FoundMisuse& misuse) { return misuse.told.kind == kind; });
  }

  /// When a node has written, at the earliest.
  static uint64_t written_at(const Node& node) {
    if (node.kind == Node::Kind::kInput) {
      using Source = OutsideSource::Kind;
      const bool is_call = node.source_b && node.source_b->kind == Source::kSyscall && node.b;
      return is_call ? node.b->view->number_of(node.b->at.block) : 0;
    }
    uint64_t out = ~uint64_t{0};
    for (const InstructionOf& one : of_b(node))
      out = std::min(out, one.view->number_of(one.at.block));
    return out;
  }

  Result<void> check_edges() {
    for (const CausalGraph::Edge& edge : graph_.edges) {
      const Node& from = graph_.nodes[edge.from];
      const bool is_load = edge.kind == CausalGraph::Edge::Kind::kData &&
                           edge.through == Dependence::Kind::kMemory && edge.place_b.in_memory;
      if (!is_load || !from.b || from.kind == Node::Kind::kInput || is_fault(*from.b)) continue;
      TRY(SideChecks* const of, checks(RunSide::kB, *from.b->view));
      if (!of->may_be_unwritten(from.b->at, edge.place_b, written_at(graph_.nodes[edge.to])))
        continue;
      // Of the Basic graph it is known that the difference goes through these bytes.
      const bool may_copy = from.is_enhanced;
      TRY(auto found, of->check_written(from.b->at, edge.place_b, may_copy));
      if (!found) continue;
      found->told.name = name_of(*from.b, edge.place_b);
      bool in_both = false;
      if (from.kind == Node::Kind::kAligned && from.a) {
        TRY(SideChecks* const other_one, checks(RunSide::kA, *from.a->view));
        TRY_VOID(other_one->prepare(std::span(&from.a->at.block, 1)));
        TRY(const auto other_found, other_one->check_written(from.a->at, edge.place_a, may_copy));
        in_both = other_found.has_value();
      }
      TRY_VOID(add(*of, *found, edge.from, in_both));
    }
    return {};
  }

  std::string name_of(const InstructionOf& reader, const BytesOf& bytes) {
    const auto name = try_name(reader, bytes);
    return name ? *name : std::string();
  }
  Result<std::string> try_name(const InstructionOf& reader, const BytesOf& bytes) {
    ProcessView& view = *reader.view;
    TRY(const SegmentSteps* segment, view.values->steps(reader.at.block.segment));
    const BlockDef* def = view.values->dictionary().find(segment->value(reader.at.block.ordinal));
    if (def == nullptr) return std::string();
    const DebugAt debug =
        debug_at(view, {address_of(*def, reader.at.instruction)}, view.number_of(reader.at.block));
    if (debug.info == nullptr) return std::string();
    TRY(Registers registers, registers_before(view, reader.at));
    TRY(const Moment moment, moment_before(view, reader.at));
    PastMemory memory(view, moment);
    const PastState state(std::move(registers), memory, debug.load_bias);
    return SourceNames::of_memory(debug, state, bytes.where, bytes.size).text;
  }

  Result<void> check_end() {
    const TargetDifference& difference = target_.difference;
    if (!difference.b) return {};
    TRY(ProcessView* const view, view_of(runs_.run(RunSide::kB), difference.b->process.value));
    TRY(SideChecks* const of, checks(RunSide::kB, *view));
    const bool crashed = target_.kind == Target::Kind::kCrash &&
                         target_.value_b.kind == TargetValue::Kind::kEnd &&
                         target_.value_b.end.kind == HowEnded::Kind::kCrashed;
    std::vector<FoundMisuse> found;
    if (crashed && difference.fault && difference.fault->first == RunSide::kB) {
      TRY_VOID(of->prepare(std::span(&difference.fault->second.block, 1)));
      TRY(found, of->check_fault(difference.fault->second));
    } else if (crashed) {
      TRY(const auto last, view->values->find(difference.b->thread, difference.b->step));
      TRY_VOID(of->prepare(std::span(&last.block, 1)));
      TRY(found, of->check_jump(last.block));
    }
    for (const FoundMisuse& misuse : found) TRY_VOID(add(*of, misuse, std::nullopt, false));
    TRY(const auto frees, of->check_frees(crashed));
    if (frees.empty()) return {};
    std::set<std::pair<Kind, uint64_t>> in_a;
    if (difference.a) {
      TRY(ProcessView* const other_one,
          view_of(runs_.run(RunSide::kA), difference.a->process.value));
      TRY(SideChecks* const of_a, checks(RunSide::kA, *other_one));
      TRY(const auto others, of_a->check_frees(false));
      for (const FoundMisuse& misuse : others) in_a.emplace(misuse.told.kind, misuse.pc);
    }
    for (const FoundMisuse& misuse : frees)
      TRY_VOID(add(*of, misuse, std::nullopt, in_a.contains({misuse.told.kind, misuse.pc})));
    return {};
  }

  Result<void> add(SideChecks& of, const FoundMisuse& found, std::optional<uint32_t> node,
                   bool in_both) {
    TRY(Misuse named, of.name(found));
    named.node = node;
    named.is_in_both = in_both;
    // A loop does the same many times; a string function does it with several instructions.
    for (Misuse& known : out_) {
      if (known.kind != named.kind || known.at.pc != named.at.pc || known.size != named.size)
        continue;
      known.is_in_both = known.is_in_both && named.is_in_both;
      if (named.time < known.time) {
        named.is_in_both = known.is_in_both;
        known = std::move(named);
      }
      return {};
    }
    out_.push_back(std::move(named));
    return {};
  }

  RunPair& runs_;
  PointerMatcher& pointers_;
  const CausalGraph& graph_;
  const Target& target_;
  const MisuseOptions& options_;
  std::map<std::pair<RunSide, ProcessView*>, std::unique_ptr<SideChecks>> checks_;
  std::vector<Misuse> out_;
};

}  // namespace

Result<FoundMisuses> find_misuse(RunPair& runs, PointerMatcher& pointers, const CausalGraph& graph,
                                 const Target& target, const MisuseOptions& options) {
  TRY(FoundMisuses out, Finder(runs, pointers, graph, target, options).run());
  // The earliest is nearest to the mistake; an address that is none only shows that there was one.
  std::ranges::stable_sort(out.told, {}, [](const Misuse& one) {
    return std::tuple(one.is_in_both, one.is_symptom(), one.time);
  });
  if (out.told.size() > options.most) out.told.resize(options.most);
  return out;
}

}  // namespace twinrun
