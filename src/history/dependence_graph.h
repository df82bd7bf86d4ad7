// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace twinrun {

/// The dynamic data dependence graph of a function (dDDG): a node for each instruction that was
/// executed, an edge for each dependence that was exercised. Nodes are numbered in the order of
/// their first executions.
///
/// Loops make cycles. Matching follows an acyclic part (the paper's E-), for which it may take any:
/// here edges that lead back in a walk by depth from the first node on are left out.
class DependenceGraph {
 public:
  using Edge = std::pair<uint32_t, uint32_t>;  // from what is used to what uses it

  DependenceGraph(uint32_t nodes, std::span<const Edge> edges);

  [[nodiscard]] uint32_t nodes() const { return static_cast<uint32_t>(parents_.size()); }
  // Of the acyclic part, ascending.
  [[nodiscard]] std::span<const uint32_t> parents(uint32_t node) const { return parents_[node]; }
  [[nodiscard]] std::span<const uint32_t> children(uint32_t node) const { return children_[node]; }
  /// Parents before their children.
  [[nodiscard]] std::span<const uint32_t> topological() const { return order_; }
  /// It depends on nothing in the acyclic part.
  [[nodiscard]] bool is_root(uint32_t node) const { return parents_[node].empty(); }
  [[nodiscard]] bool is_leaf(uint32_t node) const { return children_[node].empty(); }
  /// Edges on the longest way.
  [[nodiscard]] uint32_t depth() const;

 private:
  std::vector<std::vector<uint32_t>> parents_;
  std::vector<std::vector<uint32_t>> children_;
  std::vector<uint32_t> order_;
};

}  // namespace twinrun
