// SPDX-License-Identifier: MIT
// Dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
//
// A node's immediate dominator is the nearest common ancestor, in the dominator tree, of all its
// predecessors. The algorithm starts with no tree, visits the nodes in reverse postorder and sets
// each node's parent to that ancestor, taking only predecessors that have one already, until a pass
// changes nothing. `intersect` finds the ancestor of two nodes by walking up from the one with the
// lower postorder number: a parent always has a higher one. Parents only move up the tree, so it
// ends; at the end the equations of dominance hold. Predecessors that the root does not reach never
// get a parent and are left out, as they must be: no path from the root comes through them.
//
// A reducible graph needs two passes, an irreducible one a few more; each pass is O(E * depth).
//
// Post-dominators are the dominators of the reversed graph from the virtual exit. Every node must
// reach that exit for the tree to hold every node: see PostDominators. To find the loops that
// nothing leaves: mark what reaches an exit, walking backward; among the rest, the strongly
// connected components without an edge to another component are those loops (an edge to a marked
// node would have marked them). One edge for each of them is enough, since every unmarked node
// leads to one.
//
//   0 -> 1 -> 2 -> 1      (an endless loop entered at 1)     exit edge: 1 -> X
//   the tree: X - 1 - {0, 2}
#include "program/dominators.h"

#include <algorithm>

namespace twinrun {

using Node = Digraph::Node;

DominatorTree::DominatorTree(Node root, std::vector<Node> immediate)
    : root_(root), immediate_(std::move(immediate)), first_(size()), last_(size()) {
  // The children of each node in one array; then a walk numbers the subtrees.
  std::vector<Digraph::Edge> edges;
  edges.reserve(size());
  for (Node node = 0; node < size(); ++node)
    if (has_immediate(node)) edges.push_back({immediate_[node], node});
  const Digraph children(size(), std::move(edges));
  const DepthFirst walk = depth_first(children, root);
  for (const Node node : walk.postorder) {
    first_[node] = walk.preorder_number[node];
    last_[node] = first_[node] + 1;
    for (const Node child : children.successors(node))
      last_[node] = std::max(last_[node], last_[child]);
  }
}

DominatorTree dominators(const Digraph& graph, Node root) {
  const DepthFirst walk = depth_first(graph, root);
  const std::vector<uint32_t>& number = walk.postorder_number;
  std::vector<Node> immediate(graph.size(), Digraph::kNone);
  immediate[root] = root;
  const auto intersect = [&](Node a, Node b) {
    while (a != b) {
      while (number[a] < number[b]) a = immediate[a];
      while (number[b] < number[a]) b = immediate[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = walk.postorder.rbegin(); it != walk.postorder.rend(); ++it) {
      const Node node = *it;
      if (node == root) continue;
      Node best = Digraph::kNone;
      for (const Node from : graph.predecessors(node)) {
        if (immediate[from] == Digraph::kNone) continue;
        best = best == Digraph::kNone ? from : intersect(best, from);
      }
      if (immediate[node] == best) continue;
      immediate[node] = best;
      changed = true;
    }
  }
  immediate[root] = Digraph::kNone;
  return {root, std::move(immediate)};
}

namespace {

// What reaches one of `goals`.
std::vector<bool> reaching(const Digraph& graph, const std::vector<Node>& goals) {
  std::vector<bool> marked(graph.size());
  std::vector<Node> work;
  const auto mark = [&](Node node) {
    if (marked[node]) return;
    marked[node] = true;
    work.push_back(node);
  };
  for (const Node goal : goals) mark(goal);
  while (!work.empty()) {
    const Node node = work.back();
    work.pop_back();
    for (const Node from : graph.predecessors(node)) mark(from);
  }
  return marked;
}

// The node that stands for each loop that nothing leaves, ascending.
std::vector<Node> endless_loops(const Digraph& graph, Node entry, const std::vector<bool>& leaves) {
  const Components components = strong_components(graph);
  std::vector<bool> closed(components.count, true);
  for (Node node = 0; node < graph.size(); ++node) {
    if (leaves[node]) closed[components.of_node[node]] = false;
    for (const Node to : graph.successors(node))
      if (components.of_node[to] != components.of_node[node])
        closed[components.of_node[node]] = false;
  }
  std::vector<Node> out;
  const auto take_first = [&](Node node) {
    if (!closed[components.of_node[node]]) return;
    closed[components.of_node[node]] = false;
    out.push_back(node);
  };
  for (const Node node : depth_first(graph, entry).preorder) take_first(node);
  for (Node node = 0; node < graph.size(); ++node) take_first(node);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

PostDominators post_dominators(const Digraph& graph, Node entry, std::span<const Node> exits) {
  PostDominators out;
  const Node virtual_exit = graph.size();
  std::vector<Node> leaving(exits.begin(), exits.end());
  for (Node node = 0; node < graph.size(); ++node)
    if (graph.successors(node).empty()) leaving.push_back(node);
  std::vector<Digraph::Edge> edges = graph.edges();
  const std::vector<bool> leaves = reaching(graph, leaving);
  if (std::find(leaves.begin(), leaves.end(), false) != leaves.end())
    out.infinite_loops = endless_loops(graph, entry, leaves);
  leaving.insert(leaving.end(), out.infinite_loops.begin(), out.infinite_loops.end());
  for (const Node node : leaving) edges.push_back({node, virtual_exit});
  out.graph = Digraph(graph.size() + 1, std::move(edges));
  out.tree = dominators(out.graph.reversed(), virtual_exit);
  return out;
}

std::optional<ControlDependence> control_dependence(const PostDominators& post,
                                                    uint64_t most_entries) {
  // Walking up the tree from `to` and stopping below the branch's own parent meets exactly the
  // nodes that post-dominate `to` and do not strictly post-dominate the branch.
  const auto walk = [&](auto&& visit) {
    for (Node branch = 0; branch < post.exit(); ++branch)
      for (const Node to : post.graph.successors(branch))
        for (Node node = to; node != post.immediate(branch); node = post.immediate(node))
          if (!visit(node, branch, to)) return false;
    return true;
  };
  ControlDependence out;
  out.begin.assign(post.graph.size() + size_t{1}, 0);
  uint64_t total = 0;
  if (!walk([&](Node node, Node, Node) {
        ++out.begin[node + 1];
        return ++total <= most_entries;
      }))
    return std::nullopt;
  for (size_t i = 0; i < post.graph.size(); ++i) out.begin[i + 1] += out.begin[i];
  out.entries.resize(total);
  std::vector<uint32_t> next(out.begin.begin(), out.begin.end() - 1);
  walk([&](Node node, Node branch, Node to) {
    out.entries[next[node]++] = {branch, to};
    return true;
  });
  return out;
}

}  // namespace twinrun
