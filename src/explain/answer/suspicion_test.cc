// SPDX-License-Identifier: MIT
#include "explain/answer/suspicion.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

using Statement = WhyReport::Statement;

Statement line(uint32_t number, double weight = 1) {
  Statement out;
  out.at.file = "prog.c";
  out.at.line = number;
  out.in_a = out.in_b = true;
  out.weight = weight;
  return out;
}

std::vector<uint32_t> order(std::vector<Statement> statements, const ExecutedLines& a,
                            const ExecutedLines& b) {
  add_executions(statements, a, b);
  rank_statements(statements);
  std::vector<uint32_t> out;
  for (const Statement& one : statements) out.push_back(one.at.line);
  return out;
}

TEST(Suspicion, WithoutExecutionsTheHeaviestIsFirst) {
  EXPECT_EQ(order({line(1, 1), line(2, 3), line(3, 2)}, {}, {}), (std::vector<uint32_t>{2, 3, 1}));
}

TEST(Suspicion, WhatOnlyTheSecondRunExecutesComesFirst) {
  const ExecutedLines a{{"prog.c", {{1, {.times = 1}}}}};
  const ExecutedLines b{{"prog.c", {{1, {.times = 1}}, {2, {.times = 1}}}}};
  EXPECT_EQ(order({line(1, 2), line(2, 1)}, a, b), (std::vector<uint32_t>{2, 1}));
}

TEST(Suspicion, WhatOnlyTheFirstRunExecutesComesLast) {
  Statement only_a = line(2, 3);
  only_a.in_b = false;
  const ExecutedLines a{{"prog.c", {{1, {.times = 1}}, {2, {.times = 1}}}}};
  const ExecutedLines b{{"prog.c", {{1, {.times = 1}}}}};
  EXPECT_EQ(order({line(1, 1), only_a}, a, b), (std::vector<uint32_t>{1, 2}));
}

TEST(Suspicion, ABranchThatGoesANewWayComesBeforeOneThatDoesNot) {
  const std::set<uint64_t> one{0x10};
  const std::set<uint64_t> both{0x10, 0x20};
  const ExecutedLines a{
      {"prog.c", {{1, {2, {{0x1, both}}}}, {2, {2, {{0x2, one}}}}, {3, {2, {{0x3, one}}}}}}};
  const ExecutedLines b{
      {"prog.c", {{1, {2, {{0x1, both}}}}, {2, {2, {{0x2, both}}}}, {3, {2, {{0x3, one}}}}}}};
  std::vector<Statement> statements{line(3, 3), line(1, 2), line(2, 1)};
  EXPECT_EQ(order(statements, a, b), (std::vector<uint32_t>{2, 1, 3}));
  add_executions(statements, a, b);
  EXPECT_FALSE(statements[0].is_branch);
  EXPECT_TRUE(statements[1].is_branch);
  EXPECT_FALSE(statements[1].has_new_way);
  EXPECT_TRUE(statements[2].has_new_way);
}

TEST(Suspicion, AWayThatOnlyTheFirstRunTookIsNotNew) {
  const ExecutedLines a{{"prog.c", {{1, {2, {{0x1, {0x10, 0x20}}}}}}}};
  const ExecutedLines b{{"prog.c", {{1, {2, {{0x1, {0x10}}}}}}}};
  std::vector<Statement> statements{line(1)};
  add_executions(statements, a, b);
  EXPECT_TRUE(statements[0].is_branch);
  EXPECT_FALSE(statements[0].has_new_way);
}

TEST(Suspicion, WhatIsExecutedOftenSaysLess) {
  const ExecutedLines lines{{"prog.c", {{1, {.times = 100000}}, {2, {.times = 1}}}}};
  EXPECT_EQ(order({line(1, 2), line(2, 1)}, lines, lines), (std::vector<uint32_t>{2, 1}));
}

}  // namespace
}  // namespace twinrun
