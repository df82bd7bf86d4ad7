// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/run.h"
#include "trace/reader.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace twinrun {

/// What was executed, by the functions that were under way: each node is a function under its
/// callers. A tail call takes the place of its caller, a signal's handler is below what it
/// interrupted. All instructions of the recording are in the tree.
struct ContextTree {
  struct Node {
    uint32_t parent = 0;  // of the root: itself
    uint32_t name = 0;
    uint64_t instructions = 0;  // of the function itself, without what it called
  };
  std::vector<std::string> names;
  std::vector<Node> nodes;    // the root, which has no name, first; parents before children
  uint64_t instructions = 0;  // of all nodes
  uint64_t shortened = 0;     // of those: in stacks that lack callers because of a limit
};

/// What has nodes of its own above the functions.
struct ContextLevels {
  bool processes = false;
  bool threads = false;
};
/// Those that the recording has several of.
ContextLevels levels_of(const Reader& reader);

struct ContextOptions {
  uint32_t depth = 1000;      // of functions; deeper recursion is folded into its last level
  uint32_t nodes = 1u << 22;  // about so many at most
  ContextLevels levels;
  std::function<void(uint64_t)> progress;  // instructions so far
};

/// Walks over the run. Memory follows the number of different stacks.
Result<ContextTree> context_tree(Run& run, const ContextOptions& options);

}  // namespace twinrun
