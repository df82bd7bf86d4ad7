// SPDX-License-Identifier: MIT
// What came after the failure, and so did not lead to it.
//
// A program that finds an error calls something that does not come back: what reports it and exits,
// throws an exception, or jumps out of the depth of an interpreter. All that is executed inside of
// such a call, and what the run does when it has landed, leads to the target in truth: the message
// and the exit status come from there. But the mistake lies in front of it.
//
// So: a call of a function that cannot return (by its code: ControlFlow::returns), made inside of a
// region that only the second run executed. Such a region, or the first run would have failed too.
// Of several regions the last one counts for what follows it: a program can get over an error, and
// the nearest to the target is what the target comes from. Inside of one region the first such call
// is the error; those behind it pass it on. Processes that only the second run has are
// left alone: in a shell's children it is usual that nothing returns. Nor does anything come after
// a crash.
#include "explain/answer/aftermath.h"

#include "run/code_space.h"
#include "values/call_chains.h"

#include <algorithm>
#include <map>
#include <utility>

namespace twinrun {
namespace {

class Finder {
 public:
  Finder(RunPair& runs, const CausalGraph& graph) : runs_(runs), graph_(graph) {}

  Result<Aftermath> run() {
    out_.nodes.assign(graph_.nodes.size(), false);
    std::map<ProcessView*, std::vector<uint32_t>> by_process;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i)
      if (graph_.nodes[i].b) by_process[graph_.nodes[i].b->view].push_back(i);
    for (const auto& [view, nodes] : by_process) TRY_VOID(add_process(*view, nodes));
    return std::move(out_);
  }

 private:
  struct Call {
    uint64_t block = 0;    // number of the block that ended in it
    uint64_t address = 0;  // of the instruction
  };

  Result<void> add_process(ProcessView& view, const std::vector<uint32_t>& nodes) {
    std::vector<uint32_t> apart;
    std::vector<BlockAt> blocks;
    std::vector<uint64_t> begins;
    for (const uint32_t i : nodes) {
      const InstructionOf& at = *graph_.nodes[i].b;
      const auto where = runs_.where(RunSide::kB, at.position);
      if (!where || where->is_aligned) continue;
      TRY(const uint64_t begin, begin_of(view, at.position, *where));
      apart.push_back(i);
      blocks.push_back(at.at.block);
      begins.push_back(begin);
    }
    TRY(const std::vector<ActiveCalls> calls, active_calls(view, blocks));
    std::map<uint64_t, Call> first;  // by the region's begin
    for (size_t i = 0; i < apart.size(); ++i) {
      TRY(const auto call, hopeless_call(view, calls[i], begins[i]));
      if (!call) continue;
      out_.nodes[apart[i]] = true;
      const auto [known, is_new] = first.try_emplace(begins[i], *call);
      if (call->block < known->second.block) known->second = *call;
    }
    if (first.empty()) return {};
    const Call& last = first.rbegin()->second;
    for (const uint32_t i : nodes)
      if (view.number_of(graph_.nodes[i].b->at.block) > last.block) out_.nodes[i] = true;
    const ResolvedAddress place = view.symbolizer.resolve_own_line({last.address}, last.block);
    if (place.line == 0 || place.is_system) return {};
    NamedInstruction at;
    at.pc = last.address;
    at.module = place.module_name();
    at.function = place.function;
    at.offset = place.function.empty() ? place.module_offset : place.offset;
    at.file = place.file;
    at.line = place.line;
    out_.gave_up = std::move(at);
    return {};
  }

  /// The number of the region's first block.
  Result<uint64_t> begin_of(ProcessView& view, const Position& at, const RunPair::Where& where) {
    const auto [known, is_new] = begins_.try_emplace(where.key(), 0);
    if (is_new) {
      TRY(const auto first, view.values->find(at.thread, {runs_.region(where).b.from}));
      known->second = view.number_of(first.block);
    }
    return known->second;
  }

  /// The outermost of the calls under way, made since the block, of what cannot return.
  Result<std::optional<Call>> hopeless_call(ProcessView& view, const ActiveCalls& calls,
                                            uint64_t since) {
    std::optional<Call> out;
    for (const ActiveCalls::Frame& frame : calls.frames) {
      if (frame.is_inherited || frame.block < since) break;
      if (!frame.is_call || frame.call == 0) continue;
      TRY(const bool returns, can_return(view, frame.function));
      if (!returns) out = {frame.block, frame.call};
    }
    return out;
  }

  Result<bool> can_return(ProcessView& view, uint32_t number) {
    const auto [known, is_new] = returns_.try_emplace({&view, number}, true);
    if (!is_new || number == CodePlaces::kUnknown) return known->second;
    const PlacedFunction& function = view.of.places().function(number);
    if (function.file == nullptr || function.is_stub) return true;
    TRY(ProcessCode* const code, view.of.facet<ProcessCode>());
    const ControlFlow* flow = code->space.flow(view.of, *function.file);
    const auto index =
        flow == nullptr ? std::nullopt : flow->functions().find(function.address.value);
    if (index) known->second = flow->returns(flow->functions().whole(*index));
    return known->second;
  }

  RunPair& runs_;
  const CausalGraph& graph_;
  Aftermath out_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> begins_;   // by region
  std::map<std::pair<ProcessView*, uint32_t>, bool> returns_;  // by function
};

}  // namespace

Result<Aftermath> find_aftermath(RunPair& runs, const CausalGraph& graph) {
  return Finder(runs, graph).run();
}

}  // namespace twinrun
