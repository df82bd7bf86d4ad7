// SPDX-License-Identifier: MIT
#include "profile/count_code.h"

#include "profile/merge_counts.h"
#include "profile/profile_samples.h"
#include "profile/score.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace twinrun {
namespace {

std::vector<uint64_t> values(const std::vector<Count>& counts) {
  std::vector<uint64_t> out;
  for (const Count& count : counts) out.push_back(count.value);
  return out;
}

// What enters each block, and what leaves it, is what it counts.
void expect_conserved(const ModuleCode& binary, const FunctionCounts& counts) {
  const Cfg& cfg = binary.flow().cfg(counts.function);
  std::vector<uint64_t> in(cfg.blocks.size());
  std::vector<uint64_t> out(cfg.blocks.size());
  in[cfg.entry] = counts.entries.value;
  for (size_t e = 0; e < cfg.edges.size(); ++e) {
    in[cfg.edges[e].to] += counts.edges[e].value;
    out[cfg.edges[e].from] += counts.edges[e].value;
  }
  for (size_t b = 0; b < cfg.blocks.size(); ++b) {
    EXPECT_EQ(in[b], counts.blocks[b].value) << b;
    if (cfg.blocks[b].leaves) continue;
    EXPECT_EQ(out[b], counts.blocks[b].value) << b;
  }
}

RC_GTEST_PROP(CountCode, ExactCountsConserveFlow, ()) {
  const uint64_t entries = *rc::gen::inRange<uint64_t>(1, 1000);
  const uint64_t turns = *rc::gen::inRange<uint64_t>(0, 1000);
  const ModuleCode binary = sample_binary();
  const CountedCode counted = count_code(binary, sample_profile(entries, turns));
  RC_ASSERT(counted.fit.misfit == 0U);
  RC_ASSERT(counted.fit.disagreeing_blocks == 0U);
  RC_ASSERT(counted.counts.functions.size() == 2U);
  const FunctionCounts& f = counted.counts.functions[0];
  RC_ASSERT(values(f.blocks) ==
            (std::vector<uint64_t>{entries, entries + turns, entries + turns, turns, entries}));
  RC_ASSERT(f.entries.value == entries);
  expect_conserved(binary, f);
  expect_conserved(binary, counted.counts.functions[1]);
  RC_ASSERT(counted.counts.calls == (std::vector<CallCount>{{0x1002, 0x1020, entries + turns}}));
}

TEST(CountCode, WithoutJumpsTheEdgesAreUnknown) {
  AddressProfile profile = sample_profile(2, 5);
  profile.has_every_branch = false;
  std::erase_if(profile.branches, [](const auto& b) { return b.from != 0x1002; });
  const ModuleCode binary = sample_binary();
  const CountedCode counted = count_code(binary, profile);
  EXPECT_EQ(values(counted.counts.functions[0].blocks), (std::vector<uint64_t>{2, 7, 7, 5, 2}));
  for (const Count& edge : counted.counts.functions[0].edges) EXPECT_FALSE(edge.is_known());
}

TEST(CountCode, RangesAndBranchesOfAStack) {
  AddressProfile profile;
  // g returns, the loop turns, f is left.
  profile.add_branch(AddressProfile::kElsewhere, 0x1000, 3);
  profile.add_range(0x1000, 0x1002, 3);
  profile.add_branch(0x1002, 0x1020, 8);
  profile.add_range(0x1020, 0x1023, 8);
  profile.add_branch(0x1023, 0x1007, 8);
  profile.add_range(0x1007, 0x100d, 5);
  profile.add_branch(0x100d, 0x1002, 5);
  profile.add_range(0x1007, 0x1009, 3);
  profile.add_branch(0x1009, 0x1011, 3);
  profile.normalize();
  const ModuleCode binary = sample_binary();
  const CountedCode counted = count_code(binary, profile);
  EXPECT_EQ(counted.fit.misfit, 0U);
  const FunctionCounts& f = counted.counts.functions[0];
  EXPECT_EQ(values(f.blocks), (std::vector<uint64_t>{3, 8, 8, 5, 3}));
  EXPECT_EQ(f.entries.value, 3U);
  expect_conserved(binary, f);
}

TEST(CountCode, SamplesCountBlocksOnly) {
  AddressProfile profile;
  profile.add_hits(0x1007, 4);
  profile.add_hits(0x1009, 9);
  profile.add_hits(0x1020, 1);
  const ModuleCode binary = sample_binary();
  const CountedCode counted = count_code(binary, profile);
  EXPECT_EQ(values(counted.counts.functions[0].blocks), (std::vector<uint64_t>{0, 0, 9, 0, 0}));
  EXPECT_FALSE(counted.counts.functions[0].edges[0].is_known());
}

TEST(CountCode, WhatDoesNotFitIsCountedAndTooMuchIsAnError) {
  const ModuleCode binary = sample_binary();
  AddressProfile profile = sample_profile(100, 900);
  profile.add_hits(0x1003, 7);            // in the middle of an instruction
  profile.add_branch(0x1007, 0x1000, 2);  // no branch
  profile.normalize();
  CountedCode counted = count_code(binary, profile);
  EXPECT_EQ(counted.fit.misfit, 9U);
  EXPECT_TRUE(check_fit(binary, profile, counted.fit));
  profile.add_hits(0x5000, 5000);
  profile.normalize();
  counted = count_code(binary, profile);
  const auto fits = check_fit(binary, profile, counted.fit);
  ASSERT_FALSE(fits);
  EXPECT_EQ(fits.error().code, "F004");
  EXPECT_EQ(check_fit(binary, {}, {}).error().code, "F005");
}

TEST(MergeCounts, AddsAndFills) {
  const ModuleCode binary = sample_binary();
  const CodeCounts a = count_code(binary, sample_profile(1, 2)).counts;
  CodeCounts b = count_code(binary, sample_profile(10, 20)).counts;
  b.is_exact = false;
  b.functions[0].blocks[3] = {};  // nobody knows
  b.functions[0].blocks[4] = {5, CountSource::kMatched, Strength::kWeak};
  b.functions.resize(1);
  const CodeCounts merged = merge_counts(std::vector{a, b});
  EXPECT_FALSE(merged.is_exact);
  ASSERT_EQ(merged.functions.size(), 2U);
  EXPECT_EQ(values(merged.functions[0].blocks), (std::vector<uint64_t>{11, 33, 33, 2, 6}));
  EXPECT_EQ(merged.functions[0].blocks[4].strength, Strength::kWeak);
  EXPECT_EQ(merged.functions[0].blocks[4].source, CountSource::kMatched);
  EXPECT_EQ(merged.functions[1], a.functions[1]);
  EXPECT_EQ(merged.calls, (std::vector<CallCount>{{0x1002, 0x1020, 33}}));
}

TEST(Score, OfEqualAndOfScaledProfilesIsOne) {
  const ModuleCode binary = sample_binary();
  const CodeCounts fresh = count_code(binary, sample_profile(3, 6)).counts;
  for (const uint64_t scale : {1, 10}) {
    const CodeCounts other = count_code(binary, sample_profile(3 * scale, 6 * scale)).counts;
    const ProfileScore score = score_counts(binary, other, fresh);
    EXPECT_DOUBLE_EQ(score.block_overlap, 1);
    EXPECT_DOUBLE_EQ(score.edge_overlap, 1);
    EXPECT_DOUBLE_EQ(score.branch_ratio(), 1);
    EXPECT_DOUBLE_EQ(score.coverage(), 1);
  }
}

TEST(Score, ByHand) {
  const ModuleCode binary = sample_binary();
  // Blocks that do not end at calls: A, B with C, D, E and g. Fresh: 2 8 6 2 8 of 26.
  const CodeCounts fresh = count_code(binary, sample_profile(2, 6)).counts;
  // Never turns: 4 4 0 4 4 of 16, and predicts that the loop is left.
  const CodeCounts other = count_code(binary, sample_profile(4, 0)).counts;
  const ProfileScore score = score_counts(binary, other, fresh);
  EXPECT_DOUBLE_EQ(score.block_overlap, 2.0 / 26 + 4.0 / 16 + 0 + 2.0 / 26 + 4.0 / 16);
  EXPECT_EQ(score.branches, 8U);
  EXPECT_EQ(score.best_hits, 6U);
  EXPECT_EQ(score.hits, 2U);
  EXPECT_EQ(score.blocks, 5U);
  EXPECT_EQ(score.only_fresh, 1U);
  EXPECT_DOUBLE_EQ(score.coverage(), 0.8);
  // Nothing is known: the next block is predicted, which is the loop's.
  EXPECT_EQ(score_counts(binary, {}, fresh).hits, 6U);
}

}  // namespace
}  // namespace twinrun
