// SPDX-License-Identifier: MIT
#pragma once

#include "program/digraph.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace twinrun {

/// Which nodes every path from the root passes. Nodes that the root does not reach have no place
/// in the tree and dominate nothing.
class DominatorTree {
 public:
  using Node = Digraph::Node;
  DominatorTree() = default;
  /// `immediate`: the parent of each node, kNone for the root and for what it does not reach.
  DominatorTree(Node root, std::vector<Node> immediate);

  [[nodiscard]] Node root() const { return root_; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(immediate_.size()); }
  [[nodiscard]] bool reached(Node node) const { return node == root_ || has_immediate(node); }
  /// kNone for the root and for what it does not reach.
  [[nodiscard]] Node immediate(Node node) const { return immediate_[node]; }
  /// Every node dominates itself. False when either is not reached. O(1).
  [[nodiscard]] bool dominates(Node a, Node b) const {
    return reached(a) && reached(b) && first_[a] <= first_[b] && first_[b] < last_[a];
  }

 private:
  [[nodiscard]] bool has_immediate(Node node) const { return immediate_[node] != Digraph::kNone; }

  Node root_ = 0;
  std::vector<Node> immediate_;
  // The subtree of a node has the preorder numbers [first, last).
  std::vector<uint32_t> first_;
  std::vector<uint32_t> last_;
};

/// O(N * E) at worst, in practice about linear.
DominatorTree dominators(const Digraph& graph, Digraph::Node root);

/// Post-dominators need one exit that every node reaches: the virtual exit, node `exit()`. The
/// graph that they are computed on has its edges and, to the virtual exit, edges from
///  - the nodes that the caller names (returns, calls that do not return, unknown jumps),
///  - the nodes without successors,
///  - one node of each loop that nothing leaves: of all nodes of its strongly connected component
///    the one that a depth-first walk from `entry` (successors ascending) meets first, so the
///    loop's header if it has one; of a component that the entry does not reach, the lowest node.
struct PostDominators {
  Digraph graph;                              // with the virtual exit
  DominatorTree tree;                         // of the reversed graph; holds every node
  std::vector<Digraph::Node> infinite_loops;  // the nodes of the third kind, ascending

  [[nodiscard]] Digraph::Node exit() const { return graph.size() - 1; }
  /// kNone for the virtual exit only.
  [[nodiscard]] Digraph::Node immediate(Digraph::Node node) const { return tree.immediate(node); }
};
PostDominators post_dominators(const Digraph& graph, Digraph::Node entry,
                               std::span<const Digraph::Node> exits);

/// Ferrante, Ottenstein and Warren: a node is control dependent on the edge (branch, to) when it
/// post-dominates `to` but does not strictly post-dominate `branch`: taking the edge decides that
/// it will be executed.
struct ControlDependence {
  struct Entry {
    Digraph::Node branch = 0;
    Digraph::Node to = 0;  // can be the virtual exit
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<uint32_t> begin;  // of each node's entries; one more at the end
  std::vector<Entry> entries;

  [[nodiscard]] std::span<const Entry> of(Digraph::Node node) const {
    return std::span(entries).subspan(begin[node], begin[node + 1] - begin[node]);
  }
};
/// Nested loops with their tests at the end make the relation quadratic: nothing when it has more
/// than `most_entries`. O(result).
std::optional<ControlDependence> control_dependence(const PostDominators& post,
                                                    uint64_t most_entries = 1u << 26);

}  // namespace twinrun
