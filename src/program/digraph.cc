// SPDX-License-Identifier: MIT
#include "program/digraph.h"

#include "base/check.h"

#include <algorithm>

namespace twinrun {

using Node = Digraph::Node;

Digraph::Digraph(uint32_t nodes, std::vector<Edge> edges)
    : successor_begin_(nodes + size_t{1}), predecessor_begin_(nodes + size_t{1}) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  successors_.reserve(edges.size());
  for (const Edge& edge : edges) {
    CHECK(edge.from < nodes && edge.to < nodes) << edge.from << edge.to << nodes;
    ++successor_begin_[edge.from + 1];
    ++predecessor_begin_[edge.to + 1];
    successors_.push_back(edge.to);
  }
  for (size_t i = 0; i < nodes; ++i) {
    successor_begin_[i + 1] += successor_begin_[i];
    predecessor_begin_[i + 1] += predecessor_begin_[i];
  }
  predecessors_.resize(edges.size());
  std::vector<uint32_t> next(predecessor_begin_.begin(), predecessor_begin_.end() - 1);
  for (const Edge& edge : edges) predecessors_[next[edge.to]++] = edge.from;
}

bool Digraph::has_edge(Node from, Node to) const {
  const auto row = successors(from);
  return std::binary_search(row.begin(), row.end(), to);
}

std::vector<Digraph::Edge> Digraph::edges() const {
  std::vector<Edge> out;
  out.reserve(successors_.size());
  for (Node node = 0; node < size(); ++node)
    for (const Node to : successors(node)) out.push_back({node, to});
  return out;
}

Digraph Digraph::reversed() const {
  Digraph out;
  out.successor_begin_ = predecessor_begin_;
  out.successors_ = predecessors_;
  out.predecessor_begin_ = successor_begin_;
  out.predecessors_ = successors_;
  return out;
}

// Both walks keep their own stack: a function of a hostile file can be a chain of any length.
DepthFirst depth_first(const Digraph& graph, Node root) {
  DepthFirst out;
  out.preorder_number.assign(graph.size(), Digraph::kNone);
  out.postorder_number.assign(graph.size(), Digraph::kNone);
  out.parent.assign(graph.size(), Digraph::kNone);
  struct Frame {
    Node node;
    uint32_t next;
  };
  std::vector<Frame> stack;
  const auto enter = [&](Node node) {
    out.preorder_number[node] = static_cast<uint32_t>(out.preorder.size());
    out.preorder.push_back(node);
    stack.push_back({node, 0});
  };
  enter(root);
  while (!stack.empty()) {
    Frame& top = stack.back();
    const auto successors = graph.successors(top.node);
    if (top.next == successors.size()) {
      out.postorder_number[top.node] = static_cast<uint32_t>(out.postorder.size());
      out.postorder.push_back(top.node);
      stack.pop_back();
      continue;
    }
    const Node to = successors[top.next++];
    if (out.reached(to)) continue;
    out.parent[to] = top.node;
    enter(to);
  }
  return out;
}

// Tarjan's algorithm: it completes a component after all that the component leads to.
Components strong_components(const Digraph& graph) {
  constexpr uint32_t kUnseen = Digraph::kNone;
  Components out;
  out.of_node.assign(graph.size(), kUnseen);
  std::vector<uint32_t> number(graph.size(), kUnseen);
  std::vector<uint32_t> low(graph.size());
  std::vector<Node> open;
  struct Frame {
    Node node;
    uint32_t next;
  };
  std::vector<Frame> stack;
  uint32_t seen = 0;
  for (Node root = 0; root < graph.size(); ++root) {
    if (number[root] != kUnseen) continue;
    const auto enter = [&](Node node) {
      number[node] = low[node] = seen++;
      open.push_back(node);
      stack.push_back({node, 0});
    };
    enter(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      const Node node = top.node;
      const auto successors = graph.successors(node);
      if (top.next < successors.size()) {
        const Node to = successors[top.next++];
        if (number[to] == kUnseen)
          enter(to);
        else if (out.of_node[to] == kUnseen)
          low[node] = std::min(low[node], number[to]);
        continue;
      }
      stack.pop_back();
      if (!stack.empty()) low[stack.back().node] = std::min(low[stack.back().node], low[node]);
      if (low[node] != number[node]) continue;
      for (Node member = kUnseen; member != node;) {
        member = open.back();
        open.pop_back();
        out.of_node[member] = out.count;
      }
      ++out.count;
    }
  }
  return out;
}

}  // namespace twinrun
