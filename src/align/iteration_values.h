// SPDX-License-Identifier: MIT
#pragma once

#include "align/pair_loops.h"
#include "base/result.h"
#include "calls/loop_instances.h"
#include "run/run.h"

#include <cstdint>
#include <functional>
#include <utility>

namespace twinrun {

/// Reads what a thread's iterations loaded and stored, as far as that is not too much.
class IterationValues {
 public:
  /// Of the block of a stream value, as LoopOptions have it.
  using BlockNumber = std::function<Result<uint64_t>(uint32_t value, uint64_t block)>;

  IterationValues(const RunProcess& process, ThreadNo thread, const ThreadLoops& loops,
                  BlockNumber block_number)
      : process_(process), thread_(thread), loops_(loops), number_(std::move(block_number)) {}

  /// See AskValues.
  Result<SlotValues> read(const LoopInstance& loop, uint32_t from, uint32_t to);

 private:
  const RunProcess& process_;
  ThreadNo thread_;
  const ThreadLoops& loops_;
  BlockNumber number_;
  uint64_t blocks_left_ = 3u << 20;
};

}  // namespace twinrun
