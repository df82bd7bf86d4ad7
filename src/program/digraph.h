// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// A directed graph over the nodes 0 .. size()-1 that does not change once made: successors and
/// predecessors stand in two arrays (compressed sparse rows), each list ascending and without
/// duplicates. Two words an edge and direction, two words a node.
class Digraph {
 public:
  using Node = uint32_t;
  struct Edge {
    Node from = 0;
    Node to = 0;
    auto operator<=>(const Edge&) const = default;
  };
  static constexpr Node kNone = ~Node{0};

  Digraph() : Digraph(0, {}) {}
  /// Every node of `edges` must be below `nodes`; their order does not matter. O(E log E).
  Digraph(uint32_t nodes, std::vector<Edge> edges);

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(successor_begin_.size() - 1); }
  [[nodiscard]] uint32_t edge_count() const { return static_cast<uint32_t>(successors_.size()); }
  [[nodiscard]] std::span<const Node> successors(Node node) const {
    return row(successor_begin_, successors_, node);
  }
  [[nodiscard]] std::span<const Node> predecessors(Node node) const {
    return row(predecessor_begin_, predecessors_, node);
  }
  [[nodiscard]] bool has_edge(Node from, Node to) const;
  [[nodiscard]] std::vector<Edge> edges() const;
  [[nodiscard]] Digraph reversed() const;

 private:
  static std::span<const Node> row(const std::vector<uint32_t>& begin,
                                   const std::vector<Node>& nodes, Node node) {
    return std::span(nodes).subspan(begin[node], begin[node + 1] - begin[node]);
  }

  std::vector<uint32_t> successor_begin_;
  std::vector<Node> successors_;
  std::vector<uint32_t> predecessor_begin_;
  std::vector<Node> predecessors_;
};

/// A depth-first walk from a root; successors are taken in ascending order.
struct DepthFirst {
  std::vector<Digraph::Node> preorder;
  std::vector<Digraph::Node> postorder;
  /// Position in preorder or postorder; kNone for what the root does not reach.
  std::vector<uint32_t> preorder_number;
  std::vector<uint32_t> postorder_number;
  std::vector<Digraph::Node> parent;  // in the tree of the walk; kNone for the root and the rest

  [[nodiscard]] bool reached(Digraph::Node node) const {
    return preorder_number[node] != Digraph::kNone;
  }
  /// `a` is `b` or above it in the tree of the walk. Both must be reached.
  [[nodiscard]] bool is_ancestor(Digraph::Node a, Digraph::Node b) const {
    return preorder_number[a] <= preorder_number[b] && postorder_number[a] >= postorder_number[b];
  }
};
DepthFirst depth_first(const Digraph& graph, Digraph::Node root);

/// Strongly connected components: the number of each node's component. A component's number is
/// higher than those of all components that it leads to. O(N + E).
struct Components {
  std::vector<uint32_t> of_node;
  uint32_t count = 0;
};
Components strong_components(const Digraph& graph);

}  // namespace twinrun
