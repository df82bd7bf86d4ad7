// SPDX-License-Identifier: MIT
// A block that one run has freed and the other one has not, while both go on using it.
//
// Their pointers have the same history, so that nothing is found by following them; what differs is
// that the memory behind them belongs to nobody any more, or to another block, in one of the runs.
// The way to the cause leads to the call that freed it: to the branch that only this run took, or,
// where the other run made that call too and freed something else, to who chose its argument.
#include "explain/graph/slice_align.h"
#include "format/registers.h"

#include <algorithm>
#include <array>

namespace twinrun {
namespace {

constexpr std::array<uint32_t, 6> kArguments = {reg::kRdi, reg::kRsi, reg::kRdx,
                                                reg::kRcx, reg::kR8,  reg::kR9};

}  // namespace

Result<void> SliceAlign::follow_freed(uint32_t node, const PointerMatcher::Ended& ended) {
  const Allocation& block = *ended.block;
  if (block.is_replaced || block.freed_from.value == 0) return {};
  const Position call{{ended.process}, block.freed_by, {block.freed_from.value - 1}};
  if (runs_.is_before_anchor(ended.side, call)) return {};
  TRY(const InstructionOf frees, instruction_at(ended.side, call));
  const BytesOf bytes{true, block.address,
                      static_cast<uint32_t>(std::min<uint64_t>(block.size, UINT32_MAX))};
  CausalGraph::Edge edge{.from = node,
                         .for_address = true,
                         .through = Dependence::Kind::kMemory,
                         .place_a = bytes,
                         .place_b = bytes,
                         .freed_by = ended.side};
  if (const auto there = runs_.counterpart(ended.side, call)) {
    TRY(const InstructionOf same, instruction_at(other(ended.side), *there));
    const InstructionOf& a = ended.side == RunSide::kA ? frees : same;
    const InstructionOf& b = ended.side == RunSide::kA ? same : frees;
    TRY(edge.to, aligned_node(a, b));
    add_edge(edge);
    if (block.freed_argument >= kArguments.size()) return {};
    const uint32_t where = kArguments[block.freed_argument];
    TRY(const DifferentOperand argument,
        pairs_.at_end(block_of(a), block_of(b), {false, where, where, sizeof(uint64_t)}));
    return follow(edge.to, argument);
  }
  const End none{.side = other(ended.side)};
  const End end{.side = ended.side,
                .view = frees.view,
                .bytes = bytes,
                .instruction = frees,
                .where = runs_.where(ended.side, call)};
  const bool is_a = ended.side == RunSide::kA;
  TRY(edge.to,
      unaligned_node(is_a ? &end : &none, is_a ? &none : &end,
                     is_a ? DivergenceType::kExecutionOmission : DivergenceType::kExtraExecution));
  add_edge(edge);
  if (end.where && !end.where->is_aligned) TRY_VOID(to_divergence(edge.to, *end.where));
  return {};
}

}  // namespace twinrun
