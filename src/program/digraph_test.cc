// SPDX-License-Identifier: MIT
#include "program/digraph.h"

#include "program/graph_samples.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

using Node = Digraph::Node;

std::vector<Node> listed(std::span<const Node> nodes) { return {nodes.begin(), nodes.end()}; }

TEST(Digraph, ListsAreAscendingAndWithoutDuplicates) {
  const Digraph graph(4, {{2, 1}, {0, 3}, {0, 1}, {0, 3}, {2, 2}});
  EXPECT_EQ(graph.size(), 4u);
  EXPECT_EQ(graph.edge_count(), 4u);
  EXPECT_EQ(listed(graph.successors(0)), (std::vector<Node>{1, 3}));
  EXPECT_EQ(listed(graph.successors(2)), (std::vector<Node>{1, 2}));
  EXPECT_EQ(listed(graph.predecessors(1)), (std::vector<Node>{0, 2}));
  EXPECT_TRUE(graph.successors(3).empty());
  EXPECT_TRUE(graph.has_edge(2, 2));
  EXPECT_FALSE(graph.has_edge(3, 0));
  EXPECT_EQ(listed(graph.reversed().successors(1)), (std::vector<Node>{0, 2}));
  EXPECT_EQ(Digraph().size(), 0u);
}

TEST(Digraph, DepthFirstNumbersTreesByIntervals) {
  const Digraph graph(5, {{0, 1}, {1, 2}, {0, 3}, {3, 2}, {2, 0}});
  const DepthFirst walk = depth_first(graph, 0);
  EXPECT_EQ(walk.preorder, (std::vector<Node>{0, 1, 2, 3}));
  EXPECT_EQ(walk.postorder, (std::vector<Node>{2, 1, 3, 0}));
  EXPECT_FALSE(walk.reached(4));
  EXPECT_TRUE(walk.is_ancestor(1, 2));
  EXPECT_FALSE(walk.is_ancestor(3, 2));
  EXPECT_EQ(walk.parent[2], 1u);
}

TEST(Digraph, ComponentsAreMutualReachability) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    const Digraph graph = random_graph(random, 14).graph;
    const Components components = strong_components(graph);
    std::vector<std::vector<bool>> reach;
    for (Node node = 0; node < graph.size(); ++node)
      reach.push_back(reached_without(graph, node, Digraph::kNone));
    for (Node a = 0; a < graph.size(); ++a)
      for (Node b = 0; b < graph.size(); ++b) {
        ASSERT_EQ(components.of_node[a] == components.of_node[b], reach[a][b] && reach[b][a]);
        if (reach[a][b]) {
          ASSERT_GE(components.of_node[a], components.of_node[b]);
        }
      }
  }
}

TEST(Digraph, LongChainsNeedNoStack) {
  constexpr uint32_t kNodes = 300'000;
  std::vector<Digraph::Edge> edges;
  for (uint32_t node = 0; node + 1 < kNodes; ++node) edges.push_back({node, node + 1});
  edges.push_back({kNodes - 1, 0});
  const Digraph graph(kNodes, std::move(edges));
  EXPECT_EQ(depth_first(graph, 0).preorder.size(), kNodes);
  EXPECT_EQ(strong_components(graph).count, 1u);
}

}  // namespace
}  // namespace twinrun
