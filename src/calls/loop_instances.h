// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "calls/block_plans.h"
#include "calls/index_walk.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace twinrun {

/// Once round a loop.
struct Iteration {
  uint64_t full = 0;     // hash of all blocks that were executed
  uint32_t shallow = 0;  // of those of the loop's own frame
  uint32_t start = 0;    // the thread's blocks in front of it, from where the loop begins
};

/// A predicate that was executed several times while its entry of the index was there, from its
/// first time to where the entry was popped.
struct LoopInstance {
  static constexpr uint32_t kNone = ~0u;

  uint32_t parent = kNone;     // the instance around it
  uint32_t parent_number = 0;  // the iteration of that one that it is in
  uint64_t key = 0;            // what leads to it from its parent, without counts
  ModuleAddr site;             // the beginning of the predicate's node
  uint64_t first = 1;          // the number of its first iteration
  uint64_t begin = 0;          // blocks of the thread in front of it
  uint64_t end = 0;
  std::vector<Iteration> iterations;

  [[nodiscard]] uint64_t blocks() const { return end - begin; }
  [[nodiscard]] uint32_t length(uint32_t iteration) const {
    const uint64_t to =
        iteration + 1 < iterations.size() ? iterations[iteration + 1].start : blocks();
    return static_cast<uint32_t>(to - iterations[iteration].start);
  }
};

/// The loops of a thread.
struct ThreadLoops {
  std::vector<LoopInstance> instances;  // inner ones in front of those around them
  uint64_t blocks = 0;                  // of the thread
  uint64_t dropped = 0;                 // instances that there was no room for

  /// The number in its process of a block of the thread.
  [[nodiscard]] uint64_t block_in_process(uint64_t block) const;

  struct Stretch {
    uint64_t from = 0;  // block of the thread
    uint64_t in_process = 0;
  };
  std::vector<Stretch> stretches;  // blocks that are numbered one after the other; ascending
};

struct LoopOptions {
  /// What is the same in another run has the same number there. Asked once for each stream value,
  /// which has a plan, and each node.
  std::function<uint64_t(uint32_t value)> block_number;
  std::function<uint64_t(CodeNode)> node_number;
  uint32_t least_blocks = 512;        // of an instance that is told
  size_t most_iterations = 4u << 20;  // to be kept, of all instances; small loops go first
  std::function<void(uint64_t)> progress = {};  // blocks of the process so far, now and then
};

/// Walks to the thread's end.
Result<ThreadLoops> collect_loops(IndexWalk& walk, const LoopOptions& options);

}  // namespace twinrun
