// SPDX-License-Identifier: MIT
#include "align/iteration_pairing.h"

#include "align/iteration_values.h"
#include "base/work.h"

#include <memory>

namespace twinrun {
namespace {

// What walking over one process takes of all.
constexpr double kCollecting = 0.4;

}  // namespace

uint64_t IterationPairing::block_number(RunSide side, const BlockPlans& plans, uint32_t value) {
  if (nodes_.is_one_build()) return plans.canonical(value);
  const BlockPlan& plan = plans.made()[value];
  // Blocks of two builds are not the same bytes; they do the same when they run through the same
  // nodes.
  uint64_t out = node_number(side, plan.node);
  for (const NodeVisit& visit : plans.visits(plan))
    out = out * 0x9e3779b97f4a7c15 + node_number(side, visit.node);
  return out;
}

Result<ThreadLoops> IterationPairing::collect(RunSide side,
                                              const std::shared_ptr<WalkedProcess>& process,
                                              ThreadNo thread) {
  IndexWalk walk(process, thread);
  TRY_VOID(begin_(walk, side));
  LoopOptions options;
  options.block_number = [&](uint32_t value) { return block_number(side, walk.plans(), value); };
  options.node_number = [&](CodeNode node) { return node_number(side, node); };
  const double begin = side == RunSide::kA ? 0 : kCollecting;
  const uint64_t all = process->process.process().blocks;
  options.progress = [&](uint64_t blocks) { tell_(begin + kCollecting * share_of(blocks, all)); };
  return collect_loops(walk, options);
}

Result<LoopPairing> IterationPairing::pair(ThreadNo a, ThreadNo b) {
  TRY(const ThreadLoops loops_a, collect(RunSide::kA, a_, a));
  TRY(const ThreadLoops loops_b, collect(RunSide::kB, b_, b));
  const auto number_of = [this](RunSide side, WalkedProcess& process) {
    return [this, side, &process](uint32_t value, uint64_t block) -> Result<uint64_t> {
      TRY_VOID(process.plans.of(value, block));
      return block_number(side, process.plans, value);
    };
  };
  IterationValues values_a(a_->process, a, loops_a, number_of(RunSide::kA, *a_));
  IterationValues values_b(b_->process, b, loops_b, number_of(RunSide::kB, *b_));
  AskValues ask = [&](RunSide side, const LoopInstance& loop, uint32_t from, uint32_t to) {
    return (side == RunSide::kA ? values_a : values_b).read(loop, from, to);
  };
  if (!a_->process.reader().has_values() || !b_->process.reader().has_values()) ask = nullptr;
  return pair_loops(loops_a, loops_b, ask);
}

}  // namespace twinrun
