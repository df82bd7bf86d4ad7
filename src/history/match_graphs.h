// SPDX-License-Identifier: MIT
#pragma once

#include "history/dependence_graph.h"
#include "history/match_roots.h"

#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// What a node without relatives that have counterparts may match: in the text nothing is said, and
/// by the letter of Figure 9 nothing at all, so that one leaf without a counterpart wipes out all
/// that leads to it.
enum class NoRelatives : uint8_t { kAnything, kNothing };

struct GraphMatches {
  std::vector<std::vector<uint32_t>> of_a;  // counterparts of each node of A, ascending
  std::vector<double> set_sizes;  // mean of those that are not empty, after each iteration
  [[nodiscard]] size_t iterations() const { return set_sizes.size(); }
  /// The nodes of B that are no counterpart, ascending.
  [[nodiscard]] std::vector<uint32_t> unmatched_b(uint32_t nodes_of_b) const;
};

/// Matches the nodes of two dependence graphs (Figure 9): those whose signatures match, whose
/// ancestors match and whose results are used alike.
GraphMatches match_graphs(const DependenceGraph& a, const DependenceGraph& b,
                          const RootMatches& roots, const SameSignature& same,
                          NoRelatives no_relatives = NoRelatives::kAnything);

}  // namespace twinrun
