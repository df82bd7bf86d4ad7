// SPDX-License-Identifier: MIT
// Dominators, post-dominators and control dependence against their definitions on random graphs:
// remove a node, is the goal still reached?
#include "program/dominators.h"

#include "program/graph_samples.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace twinrun {
namespace {

using Node = Digraph::Node;
constexpr int kGraphs = 10'000;

// dominates[a][b]: every path from the root to b passes a, and there is one.
std::vector<std::vector<bool>> dominance(const Digraph& graph, Node root) {
  const auto all = reached_without(graph, root, Digraph::kNone);
  std::vector<std::vector<bool>> out(graph.size(), std::vector<bool>(graph.size()));
  for (Node a = 0; a < graph.size(); ++a) {
    const auto seen = reached_without(graph, root, a);
    for (Node b = 0; b < graph.size(); ++b) out[a][b] = all[a] && all[b] && !seen[b];
  }
  return out;
}

void expect_tree(const DominatorTree& tree, const std::vector<std::vector<bool>>& truth,
                 Node root) {
  const auto nodes = static_cast<Node>(truth.size());
  for (Node b = 0; b < nodes; ++b) {
    for (Node a = 0; a < nodes; ++a) ASSERT_EQ(tree.dominates(a, b), truth[a][b]) << a << " " << b;
    ASSERT_EQ(tree.reached(b), truth[b][b]);
    const Node parent = tree.immediate(b);
    ASSERT_EQ(parent == Digraph::kNone, b == root || !truth[b][b]);
    if (parent == Digraph::kNone) continue;
    // The immediate one is strict, and all other strict dominators dominate it.
    ASSERT_TRUE(parent != b && truth[parent][b]);
    for (Node a = 0; a < nodes; ++a)
      if (a != b && truth[a][b]) {
        ASSERT_TRUE(truth[a][parent]);
      }
  }
}

TEST(Dominators, EqualTheDefinitionOnRandomGraphs) {
  std::mt19937 random(1);
  size_t unreachable = 0;
  for (int i = 0; i < kGraphs; ++i) {
    const Digraph graph = random_graph(random, 12).graph;
    const Node root = random() % graph.size();
    const auto truth = dominance(graph, root);
    expect_tree(dominators(graph, root), truth, root);
    if (HasFatalFailure()) return;
    for (Node node = 0; node < graph.size(); ++node) unreachable += truth[node][node] ? 0 : 1;
  }
  EXPECT_GT(unreachable, 1000u);
}

// The nodes that must get an edge because no exit can be reached, by reachability alone.
std::vector<Node> endless(const RandomGraph& sample) {
  const Digraph& graph = sample.graph;
  std::vector<std::vector<bool>> reach;
  for (Node node = 0; node < graph.size(); ++node)
    reach.push_back(reached_without(graph, node, Digraph::kNone));
  const auto leaves = [&](Node node) {
    for (Node to = 0; to < graph.size(); ++to)
      if (reach[node][to] &&
          (graph.successors(to).empty() || std::ranges::count(sample.exits, to) > 0))
        return true;
    return false;
  };
  std::vector<Node> out;
  const DepthFirst walk = depth_first(graph, 0);
  for (Node node = 0; node < graph.size(); ++node) {
    if (leaves(node)) continue;
    bool chosen = true;  // everything it reaches comes back, and none of that stands before it
    for (Node other = 0; other < graph.size(); ++other) {
      if (!reach[node][other]) continue;
      if (!reach[other][node]) chosen = false;
      if (walk.reached(node) ? walk.preorder_number[other] < walk.preorder_number[node]
                             : other < node)
        chosen = false;
    }
    if (chosen) out.push_back(node);
  }
  return out;
}

TEST(PostDominators, EqualTheDefinitionOnRandomGraphs) {
  std::mt19937 random(2);
  size_t loops = 0;
  for (int i = 0; i < kGraphs; ++i) {
    const RandomGraph sample = random_graph(random, 12);
    const PostDominators post = post_dominators(sample.graph, 0, sample.exits);
    ASSERT_EQ(post.infinite_loops, endless(sample));
    loops += post.infinite_loops.size();
    // The graph with its exit, made anew.
    std::vector<Digraph::Edge> edges = sample.graph.edges();
    const Node exit = sample.graph.size();
    for (Node node = 0; node < exit; ++node)
      if (sample.graph.successors(node).empty()) edges.push_back({node, exit});
    for (const Node node : sample.exits) edges.push_back({node, exit});
    for (const Node node : post.infinite_loops) edges.push_back({node, exit});
    const Digraph whole(exit + 1, edges);
    ASSERT_EQ(whole.edges(), post.graph.edges());
    expect_tree(post.tree, dominance(whole.reversed(), exit), exit);
    if (HasFatalFailure()) return;
    for (Node node = 0; node < exit; ++node) ASSERT_NE(post.immediate(node), Digraph::kNone);
  }
  EXPECT_GT(loops, 1000u);
}

TEST(PostDominators, AnEndlessLoopEndsAtItsHeader) {
  // 3 is entered from 0; 1 has the lowest number, but the loop is entered at 3.
  const Digraph graph(4, {{0, 3}, {3, 1}, {3, 2}, {1, 3}, {2, 3}});
  const PostDominators post = post_dominators(graph, 0, {});
  EXPECT_EQ(post.infinite_loops, std::vector<Node>{3});
  EXPECT_EQ(post.immediate(1), 3u);
  EXPECT_EQ(post.immediate(2), 3u);
  EXPECT_EQ(post.immediate(0), 3u);
  EXPECT_EQ(post.immediate(3), post.exit());
}

TEST(ControlDependence, EqualsTheDefinitionOnRandomGraphs) {
  std::mt19937 random(4);
  size_t total = 0;
  for (int i = 0; i < 3000; ++i) {
    const RandomGraph sample = random_graph(random, 10);
    const PostDominators post = post_dominators(sample.graph, 0, sample.exits);
    const auto truth = dominance(post.graph.reversed(), post.exit());
    const auto dependence = control_dependence(post);
    ASSERT_TRUE(dependence.has_value());
    for (Node node = 0; node < post.graph.size(); ++node) {
      std::vector<ControlDependence::Entry> expected;
      for (const Digraph::Edge& edge : post.graph.edges())
        if (truth[node][edge.to] && !(node != edge.from && truth[node][edge.from]))
          expected.push_back({edge.from, edge.to});
      const auto found = dependence->of(node);
      ASSERT_EQ(std::vector(found.begin(), found.end()), expected);
      total += expected.size();
    }
  }
  EXPECT_GT(total, 1000u);
}

TEST(ControlDependence, GivesUpWhenItWouldBeTooLarge) {
  // Nested loops with their tests at the end: node i can go back to 0.
  std::vector<Digraph::Edge> edges;
  for (Node node = 0; node < 100; ++node) {
    edges.push_back({node, node + 1});
    edges.push_back({node, 0});
  }
  const PostDominators post = post_dominators(Digraph(101, edges), 0, {});
  EXPECT_FALSE(control_dependence(post, 1000).has_value());
  EXPECT_TRUE(control_dependence(post, 100'000).has_value());
}

}  // namespace
}  // namespace twinrun
