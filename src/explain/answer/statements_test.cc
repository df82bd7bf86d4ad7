// SPDX-License-Identifier: MIT
#include "explain/answer/statements.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

using Kind = CausalGraph::Node::Kind;

NamedInstruction line(uint32_t number, std::string function = "f") {
  NamedInstruction out;
  out.module = "prog";
  out.function = std::move(function);
  out.file = "prog.c";
  out.line = number;
  return out;
}

WhyReport::Node both(uint32_t number) {
  return {.kind = Kind::kAligned, .a = line(number), .b = line(number)};
}

/// A report about nodes that follow from each other as the edges say.
WhyReport report(std::vector<WhyReport::Node> nodes,
                 const std::vector<std::pair<uint32_t, uint32_t>>& edges) {
  WhyReport out;
  out.programs = {"prog"};
  out.nodes = std::move(nodes);
  out.nodes[0].is_target = true;
  for (const auto& [from, to] : edges) out.edges.push_back({.from = from, .to = to});
  return out;
}

std::vector<double> weights(WhyReport& report) {
  weigh_nodes(report);
  std::vector<double> out;
  for (const WhyReport::Node& node : report.nodes) out.push_back(node.weight);
  return out;
}

TEST(Statements, InstructionsOfALineAreOneNode) {
  WhyReport out = report({both(1), both(2), both(2), both(3)}, {{0, 1}, {1, 2}, {2, 3}});
  find_statements(out);
  link_statements(out, 150);
  ASSERT_EQ(out.statements.size(), 3u);
  EXPECT_EQ(out.basic_statements, 3u);
  EXPECT_EQ(out.statements_left_out, 0u);
  EXPECT_EQ(out.statements[1].at.line, 2u);
  EXPECT_EQ(out.statements[1].nodes.size(), 2u);
  // Line 2 has two nodes, so that it outweighs the target itself.
  EXPECT_GT(out.statements[1].weight, out.statements[0].weight);
  // From line 1 to line 2, and from there to line 3.
  EXPECT_EQ(out.statement_edges.size(), 2u);
}

TEST(Statements, WeightIsDividedAmongCauses) {
  WhyReport out = report({both(1), both(2), both(3), both(4)}, {{0, 1}, {0, 2}, {2, 3}});
  const std::vector<double> weight = weights(out);
  EXPECT_DOUBLE_EQ(weight[0], 1);
  EXPECT_DOUBLE_EQ(weight[1], weight[2]);
  EXPECT_LT(weight[1] + weight[2], 1);
  EXPECT_LT(weight[3], weight[2]);
  EXPECT_GT(weight[3], 0);
}

TEST(Statements, LessGoesToWhatOnlyTheRightRunDidAndToWhatBothDidAlike) {
  WhyReport out =
      report({both(1), both(2), both(3), both(4), both(5)}, {{0, 1}, {0, 2}, {0, 3}, {0, 4}});
  out.nodes[2].is_common = true;
  out.nodes[3].b.reset();
  out.edges[3].for_address = true;
  const std::vector<double> weight = weights(out);
  EXPECT_GT(weight[1], weight[4]);
  EXPECT_GT(weight[4], weight[2]);
  EXPECT_GT(weight[2], weight[3]);
}

TEST(Statements, CyclesComeToAnEnd) {
  WhyReport out = report({both(1), both(2), both(2)}, {{0, 1}, {1, 2}, {2, 1}});
  for (const double weight : weights(out)) EXPECT_LT(weight, 1000);
}

TEST(Statements, TheFirstAreKept) {
  std::vector<WhyReport::Node> nodes{both(1)};
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t i = 1; i < 20; ++i) {
    nodes.push_back(both(i + 1));
    edges.emplace_back(i - 1, i);
  }
  WhyReport out = report(nodes, edges);
  find_statements(out);
  link_statements(out, 5);
  ASSERT_EQ(out.statements.size(), 5u);
  EXPECT_EQ(out.statements_left_out, 15u);
  EXPECT_EQ(out.basic_statements, 20u);
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(out.statements[i].at.line, i + 1);
  // Edges to what is left out are, too.
  EXPECT_EQ(out.statement_edges.size(), 4u);
}

TEST(LinesOfGraph, AreThoseOfItsNodesAndNotOfWhatHelped) {
  WhyReport out =
      report({both(1), both(2), both(2), both(3), both(1)}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  out.nodes[3].is_enhanced = true;
  out.nodes[4].kind = Kind::kUnaligned;
  out.nodes[4].a = line(7);
  find_statements(out);
  link_statements(out, 2);
  const std::vector<GraphLine> lines = lines_of_graph(out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines.size(), out.basic_statements);
  EXPECT_EQ(lines[0].nodes, (std::vector<uint32_t>{0, 4}));
  EXPECT_EQ(lines[1].at.line, 2u);
  EXPECT_EQ(lines[1].nodes, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(lines[1].statement, 1u);
  EXPECT_EQ(lines[2].at.line, 7u);
  EXPECT_TRUE(lines[2].in_a && !lines[2].in_b);
  EXPECT_FALSE(lines[2].statement) << "only two are kept";
}

TEST(Statements, LibrariesByThemselvesAreOnePlaceEach) {
  WhyReport out = report({both(1), both(2), both(3)}, {{0, 1}, {1, 2}});
  out.nodes[1].a->module = out.nodes[1].b->module = "libc.so.6";
  out.nodes[2].a->module = out.nodes[2].b->module = "libc.so.6";
  find_statements(out);
  link_statements(out, 150);
  EXPECT_EQ(out.statements.size(), 2u);
}

}  // namespace
}  // namespace twinrun
