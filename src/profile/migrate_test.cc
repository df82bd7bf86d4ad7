// SPDX-License-Identifier: MIT
#include "profile/migrate.h"

#include "match/match_samples.h"
#include "match/matcher.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

// test eax, eax; jz end; mov ecx, 42; imul eax, ecx; L: dec eax; jnz L; end: ret
const Bytes kBefore{0x85, 0xc0, 0x74, 0x0c, 0xb9, 0x2a, 0x00, 0x00, 0x00,
                    0x0f, 0xaf, 0xc1, 0xff, 0xc8, 0x75, 0xfc, 0xc3};
// The same with mov edx, eax at the beginning and other registers.
const Bytes kAfter{0x89, 0xc2, 0x85, 0xd2, 0x74, 0x0c, 0xb9, 0x2a, 0x00, 0x00,
                   0x00, 0x0f, 0xaf, 0xd1, 0xff, 0xca, 0x75, 0xfc, 0xc3};
// Something else: push rbx; pop rbx; ret
const Bytes kOther{0x53, 0x5b, 0xc3};

CodeCounts counts_of(const SampleBinary& binary, const std::vector<uint64_t>& blocks) {
  CodeCounts out{.is_exact = true};
  FunctionCounts function;
  const Cfg& cfg = binary.binary.flow().cfg(0);
  const auto measured = [](uint64_t value) {
    return Count{value, CountSource::kMeasured, Strength::kExact};
  };
  function.entries = measured(blocks[0]);
  for (const uint64_t count : blocks) function.blocks.push_back(measured(count));
  // 0 -> 1, 0 -> 3, 1 -> 2, 2 -> 2, 2 -> 3
  for (const CfgEdge& e : cfg.edges) {
    uint64_t count = 0;
    if (e.from == 0) count = e.to == 1 ? blocks[1] : blocks[0] - blocks[1];
    if (e.from == 1) count = blocks[1];
    if (e.from == 2) count = e.to == 2 ? blocks[2] - blocks[1] : blocks[1];
    function.edges.push_back(measured(count));
  }
  out.functions.push_back(std::move(function));
  return out;
}

TEST(Migrate, CountsGoToTheirPartners) {
  const SampleBinary before({kBefore});
  const SampleBinary after({kAfter});
  MatchOptions options = MatchOptions::defaults();
  const MatchState state = match_binaries(before.shape, after.shape, options);
  ASSERT_EQ(state.procedures.count(), 1u);
  const Migration migration =
      migrate_counts(before.shape, after.shape, state, counts_of(before, {10, 8, 800, 10}), {});
  ASSERT_EQ(migration.counts.functions.size(), 1u);
  std::vector<uint64_t> blocks;
  for (const Count& count : migration.counts.functions[0].blocks) blocks.push_back(count.value);
  EXPECT_EQ(blocks, (std::vector<uint64_t>{10, 8, 800, 10}));
  EXPECT_EQ(migration.counts.functions[0].entries.value, 10u);
  EXPECT_TRUE(migration.counts.is_exact);
  EXPECT_EQ(migration.carried.matched_functions, 1u);
}

TEST(Migrate, WhatHasNoPartnerStaysUnknown) {
  const SampleBinary before({kBefore});
  const SampleBinary after({kOther, kAfter});
  const MatchState state = match_binaries(before.shape, after.shape, MatchOptions::defaults());
  const Migration migration =
      migrate_counts(before.shape, after.shape, state, counts_of(before, {10, 8, 800, 10}), {});
  // No counts of 0 for the other function.
  ASSERT_EQ(migration.counts.functions.size(), 1u);
  EXPECT_EQ(migration.counts.functions[0].function, 1u);
  EXPECT_EQ(migration.carried.new_functions, 1u);
}

TEST(Migrate, OnlyByMatchesThatAreSureEnough) {
  const SampleBinary before({kBefore});
  const SampleBinary after({kAfter});
  MatchState state = match_binaries(before.shape, after.shape, MatchOptions::defaults());
  state.procedures.set_strength(0, Strength::kWeak);
  const CodeCounts counts = counts_of(before, {10, 8, 800, 10});
  EXPECT_TRUE(
      migrate_counts(before.shape, after.shape, state, counts, {.min_strength = Strength::kFair})
          .counts.functions.empty());
}

TEST(Migrate, WhatASampleMissedFollowsFromWhatItMet) {
  const SampleBinary before({kBefore});
  const SampleBinary after({kAfter});
  const MatchState state = match_binaries(before.shape, after.shape, MatchOptions::defaults());
  // Two samples in the block before the loop, none elsewhere.
  CodeCounts counts = counts_of(before, {0, 2, 0, 0});
  counts.is_exact = false;
  counts.functions[0].entries = {};
  for (Count& edge : counts.functions[0].edges) edge = {};
  const Migration migration = migrate_counts(before.shape, after.shape, state, counts, {});
  ASSERT_EQ(migration.counts.functions.size(), 1u);
  for (const Count& count : migration.counts.functions[0].blocks) EXPECT_EQ(count.value, 2u);
}

TEST(Migrate, WithoutInferenceUnmatchedBlocksAreUnknown) {
  const SampleBinary before({kBefore});
  const SampleBinary after({kAfter});
  MatchState state = match_binaries(before.shape, after.shape, MatchOptions::defaults());
  if (state.blocks.has(Side::kOld, 2)) state.blocks.remove(2);
  const Migration migration =
      migrate_counts(before.shape, after.shape, state, counts_of(before, {10, 8, 800, 10}),
                     {.min_strength = Strength::kWeak, .infer = false});
  ASSERT_EQ(migration.counts.functions.size(), 1u);
  EXPECT_FALSE(migration.counts.functions[0].blocks[2].is_known());
  EXPECT_TRUE(migration.counts.functions[0].blocks[1].is_known());
}

}  // namespace
}  // namespace twinrun
