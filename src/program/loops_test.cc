// SPDX-License-Identifier: MIT
#include "program/loops.h"

#include "program/dominators.h"
#include "program/graph_samples.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace twinrun {
namespace {

using Node = Digraph::Node;

// The textbook: for each back edge t -> h (h dominates t) the nodes that reach t without h.
std::map<Node, std::set<Node>> natural_loops(const Digraph& graph, Node root) {
  const DominatorTree tree = dominators(graph, root);
  const Digraph reversed = graph.reversed();
  std::map<Node, std::set<Node>> out;
  for (const Digraph::Edge& edge : graph.edges()) {
    if (!tree.dominates(edge.to, edge.from)) continue;
    out[edge.to].insert(edge.to);
    const auto body = reached_without(reversed, edge.from, edge.to);
    for (Node node = 0; node < graph.size(); ++node)
      if (body[node] && tree.reached(node)) out[edge.to].insert(node);
  }
  return out;
}

std::set<Node> members(const LoopForest& forest, uint32_t loop) {
  std::set<Node> out;
  for (Node node = 0; node < forest.innermost.size(); ++node)
    if (forest.contains(loop, node)) out.insert(node);
  return out;
}

// A retreating edge whose target does not dominate its source.
bool is_reducible(const Digraph& graph, Node root) {
  const DepthFirst walk = depth_first(graph, root);
  const DominatorTree tree = dominators(graph, root);
  for (const Digraph::Edge& edge : graph.edges())
    if (walk.reached(edge.from) && walk.is_ancestor(edge.to, edge.from) &&
        !tree.dominates(edge.to, edge.from))
      return false;
  return true;
}

TEST(Loops, AreTheNaturalLoopsOfRandomGraphs) {
  std::mt19937 random(5);
  int reducible = 0;
  int irreducible = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Digraph graph = random_graph(random, 12).graph;
    const LoopForest forest = find_loops(graph, 0);
    const auto truth = natural_loops(graph, 0);
    bool has_irreducible = false;
    for (uint32_t loop = 0; loop < forest.loops.size(); ++loop) {
      const Loop& l = forest.loops[loop];
      const std::set<Node> nodes = members(forest, loop);
      ASSERT_EQ(nodes.size(), l.nodes);
      ASSERT_TRUE(nodes.contains(l.header));
      if (l.parent != Loop::kNone) {
        ASSERT_LT(l.parent, loop);
        ASSERT_EQ(l.depth, forest.loops[l.parent].depth + 1);
        ASSERT_GT(forest.loops[l.parent].nodes, l.nodes);
      }
      has_irreducible |= l.irreducible;
      if (!l.irreducible) {
        ASSERT_TRUE(truth.contains(l.header));
        ASSERT_EQ(nodes, truth.at(l.header));
      }
      // A loop is strongly connected.
      for (const Node a : nodes) {
        const auto reach = reached_without(graph, a, Digraph::kNone);
        for (const Node b : nodes) ASSERT_TRUE(reach[b]);
      }
    }
    ASSERT_EQ(has_irreducible, !is_reducible(graph, 0));
    if (!has_irreducible) {
      ASSERT_EQ(forest.loops.size(), truth.size());
    }
    // Whatever is on a cycle is in a loop.
    const DepthFirst walk = depth_first(graph, 0);
    for (Node node = 0; node < graph.size(); ++node) {
      bool on_cycle = false;
      for (const Node to : graph.successors(node))
        on_cycle |= reached_without(graph, to, Digraph::kNone)[node];
      ASSERT_EQ(forest.depth(node) > 0, on_cycle && walk.reached(node));
    }
    ++(has_irreducible ? irreducible : reducible);
  }
  EXPECT_GT(reducible, 1000);
  EXPECT_GT(irreducible, 1000);
}

TEST(Loops, NestAndShareHeaders) {
  // 0 -> 1 { 2 { 3 } 4 } -> 5, with two back edges to 1.
  const Digraph graph(6, {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {3, 4}, {4, 1}, {2, 1}, {4, 5}});
  const LoopForest forest = find_loops(graph, 0);
  ASSERT_EQ(forest.loops.size(), 2u);
  EXPECT_EQ(forest.loops[0].header, 1u);
  EXPECT_EQ(forest.loops[0].nodes, 4u);
  EXPECT_EQ(forest.loops[1].header, 2u);
  EXPECT_EQ(forest.loops[1].parent, 0u);
  EXPECT_EQ(forest.depth(3), 2u);
  EXPECT_EQ(forest.depth(5), 0u);
}

TEST(Loops, TwoEntriesAreAnIrreducibleRegion) {
  const Digraph graph(3, {{0, 1}, {0, 2}, {1, 2}, {2, 1}});
  const LoopForest forest = find_loops(graph, 0);
  ASSERT_EQ(forest.loops.size(), 1u);
  EXPECT_TRUE(forest.loops[0].irreducible);
  EXPECT_EQ(forest.loops[0].nodes, 2u);
}

}  // namespace
}  // namespace twinrun
