// SPDX-License-Identifier: MIT
#pragma once

#include "program/digraph.h"

#include <cstdint>
#include <vector>

namespace twinrun {

struct Loop {
  static constexpr uint32_t kNone = ~uint32_t{0};

  Digraph::Node header = 0;
  /// Can be entered elsewhere than at the header: an irreducible region, whose header is the node
  /// that the depth-first walk met first. Otherwise a natural loop.
  bool irreducible = false;
  uint32_t parent = kNone;  // the innermost loop around it
  uint32_t depth = 1;       // 1 = outermost
  uint32_t nodes = 0;       // with those of inner loops
};

/// The loops of what the root reaches, and how they nest.
struct LoopForest {
  std::vector<Loop> loops;          // a loop stands behind the loops around it
  std::vector<uint32_t> innermost;  // the innermost loop of each node, or Loop::kNone

  [[nodiscard]] uint32_t depth(Digraph::Node node) const {
    return innermost[node] == Loop::kNone ? 0 : loops[innermost[node]].depth;
  }
  [[nodiscard]] bool contains(uint32_t loop, Digraph::Node node) const;
};

/// About O(E) for reducible graphs; irreducible regions cost at most O(N * E).
LoopForest find_loops(const Digraph& graph, Digraph::Node root);

}  // namespace twinrun
