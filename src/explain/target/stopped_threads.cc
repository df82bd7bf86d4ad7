// SPDX-License-Identifier: MIT
#include "explain/target/stopped_threads.h"

#include "explain/answer/call_differences.h"
#include "kernel/syscalls.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace twinrun {
namespace {

struct Standing {
  TargetDifference difference;
  bool waits = false;       // in a system call
  bool is_aligned = false;  // the other run has come here, too
  bool is_first = false;    // the thread that the process began with
  uint64_t time = 0;        // number of the block in its process
};

uint64_t end_of(const ThreadAlignment& thread, RunSide side) {
  const AlignedRegion& last = thread.regions.back();
  return side == RunSide::kA ? last.a.to : last.b.to;
}

/// Nothing when the thread has ended, or stands where that of the other run does.
Result<std::optional<Standing>> standing(RunPair& runs, RunSide side,
                                         const ThreadAlignment& thread) {
  Position own = side == RunSide::kA ? thread.a : thread.b;
  own.step = {end_of(thread, side) - 1};
  TRY(ProcessView* const view, view_of(runs.run(side), own.process.value));
  TRY(const auto found, view->values->find(own.thread, own.step));
  const BlockOf block{view, found.block};
  TRY(const auto call, call_at_end(block));
  if (call == sys::kExit) return std::nullopt;
  Standing out{.waits = call.has_value(),
               .is_first = own.thread.value == 1,
               .time = view->number_of(found.block)};
  out.difference.has_stopped = true;
  (side == RunSide::kA ? out.difference.a : out.difference.b) = own;
  const auto there = runs.counterpart(side, own);
  if (!there) return out;
  if (there->step.value + 1 == end_of(thread, other(side))) return std::nullopt;
  out.is_aligned = true;
  (side == RunSide::kA ? out.difference.b : out.difference.a) = *there;
  out.difference.decides = true;
  TRY(ProcessView* const view_there, view_of(runs.run(other(side)), there->process.value));
  TRY(const auto found_there, view_there->values->find(there->thread, there->step));
  const BlockOf block_there{view_there, found_there.block};
  TRY(out.difference.operands, call_differences(side == RunSide::kA ? block : block_there,
                                                side == RunSide::kA ? block_there : block));
  return out;
}

}  // namespace

Result<std::vector<TargetDifference>> stopped_threads(RunPair& runs, RunSide side,
                                                      uint32_t process) {
  std::vector<Standing> all;
  for (const ThreadAlignment& thread : runs.report().threads) {
    const Position& own = side == RunSide::kA ? thread.a : thread.b;
    if (own.process.value != process || thread.regions.empty() || end_of(thread, side) == 0)
      continue;
    TRY(auto one, standing(runs, side, thread));
    if (one) all.push_back(std::move(*one));
  }
  std::ranges::stable_sort(all, {}, [](const Standing& one) {
    return std::tuple(one.waits, one.is_aligned, one.is_first, one.time);
  });
  std::vector<TargetDifference> out;
  out.reserve(all.size());
  for (Standing& one : all) out.push_back(std::move(one.difference));
  return out;
}

}  // namespace twinrun
