// SPDX-License-Identifier: MIT
#include "profile/flow_inference.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace twinrun {
namespace {

// Blocks 0 .. n-1; the last one returns.
Cfg graph(uint32_t blocks, std::vector<std::pair<uint32_t, uint32_t>> edges) {
  Cfg out;
  for (uint32_t i = 0; i < blocks; ++i) out.blocks.push_back({.start = 16 * i, .end = 16 * i + 4});
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (const auto& [from, to] : edges) out.edges.push_back({from, to, EdgeKind::kTaken});
  out.blocks.back().ends = BlockEnd::kReturn;
  out.blocks.back().leaves = true;
  return out;
}

FlowWishes nothing(const Cfg& cfg) {
  FlowWishes out;
  out.blocks.resize(cfg.blocks.size());
  out.edges.resize(cfg.edges.size());
  return out;
}

void check_flow(const Cfg& cfg, const InferredFlow& flow) {
  std::vector<uint64_t> into(cfg.blocks.size());
  std::vector<uint64_t> out(cfg.blocks.size());
  into[cfg.entry] += flow.entries;
  for (size_t e = 0; e < cfg.edges.size(); ++e) {
    out[cfg.edges[e].from] += flow.edges[e];
    into[cfg.edges[e].to] += flow.edges[e];
  }
  for (size_t b = 0; b < cfg.blocks.size(); ++b) {
    RC_ASSERT(into[b] == flow.blocks[b]);
    if (!cfg.blocks[b].leaves) RC_ASSERT(out[b] == flow.blocks[b]);
  }
}

TEST(InferFlow, FillsWhatIsUnknown) {
  // 0 -> 1 or 2 -> 3, of which 0 and 1 are known.
  const Cfg cfg = graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  FlowWishes wishes = nothing(cfg);
  wishes.blocks[0] = {100, 60};
  wishes.blocks[1] = {30, 60};
  const InferredFlow flow = infer_flow(cfg, wishes);
  EXPECT_EQ(flow.blocks, (std::vector<uint64_t>{100, 30, 70, 100}));
  EXPECT_EQ(flow.entries, 100u);
}

TEST(InferFlow, TheSurerCountWins) {
  const Cfg cfg = graph(2, {{0, 1}});
  FlowWishes wishes = nothing(cfg);
  wishes.blocks[0] = {100, 60};
  wishes.blocks[1] = {40, 8};
  EXPECT_EQ(infer_flow(cfg, wishes).blocks, (std::vector<uint64_t>{100, 100}));
}

TEST(InferFlow, ALoopRunsAsOftenAsItsBlock) {
  const Cfg cfg = graph(3, {{0, 1}, {1, 1}, {1, 2}});
  FlowWishes wishes = nothing(cfg);
  wishes.entries = {5, 40};
  wishes.blocks[1] = {5000, 40};
  const InferredFlow flow = infer_flow(cfg, wishes);
  EXPECT_EQ(flow.blocks, (std::vector<uint64_t>{5, 5000, 5}));
}

TEST(InferFlow, CountsOfZeroAreKnown) {
  const Cfg cfg = graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  FlowWishes wishes = nothing(cfg);
  wishes.entries = {10, 40};
  wishes.blocks[1] = {0, 40};
  EXPECT_EQ(infer_flow(cfg, wishes).blocks, (std::vector<uint64_t>{10, 0, 10, 10}));
}

RC_GTEST_PROP(InferFlow, WhatEntersABlockLeavesIt, ()) {
  const auto blocks = *rc::gen::inRange(1u, 12u);
  auto edges = *rc::gen::container<std::vector<std::pair<uint32_t, uint32_t>>>(
      rc::gen::pair(rc::gen::inRange(0u, blocks), rc::gen::inRange(0u, blocks)));
  const Cfg cfg = graph(blocks, edges);
  FlowWishes wishes = nothing(cfg);
  const auto wish = [] {
    return WishedCount{*rc::gen::inRange<uint64_t>(0, 1000000), *rc::gen::inRange(0u, 60u)};
  };
  wishes.entries = wish();
  for (WishedCount& w : wishes.blocks) w = wish();
  for (WishedCount& w : wishes.edges) w = wish();
  check_flow(cfg, infer_flow(cfg, wishes));
}

// Counts of a real walk come back as they were.
RC_GTEST_PROP(InferFlow, KeepsCountsThatFlow, ()) {
  const auto blocks = *rc::gen::inRange(2u, 10u);
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t i = 0; i + 1 < blocks; ++i) edges.emplace_back(i, i + 1);
  for (const auto& e : *rc::gen::container<std::vector<std::pair<uint32_t, uint32_t>>>(
           rc::gen::pair(rc::gen::inRange(0u, blocks - 1), rc::gen::inRange(0u, blocks))))
    edges.push_back(e);
  const Cfg cfg = graph(blocks, edges);
  FlowWishes wishes = nothing(cfg);
  for (WishedCount& w : wishes.blocks) w.weight = 10;
  for (WishedCount& w : wishes.edges) w.weight = 10;
  wishes.entries = {1, 10};
  uint32_t at = 0;
  ++wishes.blocks[0].count;
  for (int steps = 0; at + 1 < blocks; ++steps) {
    std::vector<size_t> ways;
    for (size_t e = 0; e < cfg.edges.size(); ++e)
      if (cfg.edges[e].from == at) ways.push_back(e);
    // In the end straight on, so that it ends.
    size_t way = ways[*rc::gen::inRange<size_t>(0, ways.size())];
    if (steps > 100)
      for (const size_t e : ways)
        if (cfg.edges[e].to == at + 1) way = e;
    ++wishes.edges[way].count;
    at = cfg.edges[way].to;
    ++wishes.blocks[at].count;
  }
  const InferredFlow flow = infer_flow(cfg, wishes);
  for (size_t b = 0; b < flow.blocks.size(); ++b)
    RC_ASSERT(flow.blocks[b] == wishes.blocks[b].count);
  for (size_t e = 0; e < flow.edges.size(); ++e) RC_ASSERT(flow.edges[e] == wishes.edges[e].count);
}

}  // namespace
}  // namespace twinrun
