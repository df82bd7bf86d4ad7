// SPDX-License-Identifier: MIT
#include "align/code_identity.h"

#include "align/align_threads.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

const MappedFile kOld{"/bin/old", {1}, true};
const MappedFile kNew{"/bin/new", {2}, true};
const MappedFile kLibrary{"/lib/c.so", {3}, true};

TEST(CodeIdentity, InOneBuildAnAddressIsItself) {
  const CodeIdentity identity;
  EXPECT_TRUE(identity.is_one_build());
  const auto there = identity.counterpart(RunSide::kA, kOld, {0x10});
  ASSERT_TRUE(there);
  EXPECT_EQ(there->address, ModuleAddr{0x10});
  EXPECT_EQ(there->certainty, 1);
  // A copy of a file is the same code.
  const MappedFile copy{"/tmp/copy", {1}, true};
  EXPECT_EQ(identity.is_same({.file = &kOld, .address = {8}}, {.file = &copy, .address = {8}}),
            true);
  EXPECT_EQ(identity.is_same({.file = &kOld, .address = {8}}, {.file = &kNew, .address = {8}}),
            false);
  EXPECT_EQ(identity.is_same({.address = {8}}, {.file = &kNew, .address = {8}}), std::nullopt);
}

TEST(CodeIdentity, TheMostCertainPairCounts) {
  CodeIdentity identity;
  identity.add(kOld, kNew, {{{0x10}, {0x20}, 0.5}, {{0x10}, {0x30}, 0.9}, {{0x11}, {0x30}, 0.4}});
  EXPECT_TRUE(identity.has(kOld, kNew));
  EXPECT_FALSE(identity.has(kNew, kOld));
  const auto in_b = identity.counterpart(RunSide::kA, kOld, {0x10});
  ASSERT_TRUE(in_b);
  EXPECT_EQ(in_b->address, ModuleAddr{0x30});
  EXPECT_EQ(*in_b->file, kNew);
  EXPECT_EQ(in_b->certainty, 0.9);
  const auto in_a = identity.counterpart(RunSide::kB, kNew, {0x30});
  ASSERT_TRUE(in_a);
  EXPECT_EQ(in_a->address, ModuleAddr{0x10});
  // What was not found corresponds to nothing, not to itself.
  EXPECT_FALSE(identity.counterpart(RunSide::kA, kOld, {0x11}));
  EXPECT_FALSE(identity.counterpart(RunSide::kB, kNew, {0x20}));
  // Of what was built once, all is as it was.
  EXPECT_EQ(identity.counterpart(RunSide::kA, kLibrary, {0x10})->address, ModuleAddr{0x10});
}

TEST(StepMap, StretchesThatFollowEachOtherAreOne) {
  StepMap map;
  map.add(10, 20, 5);
  map.add(15, 25, 5);
  map.add(22, 30, 2);
  EXPECT_EQ(map.counterpart(RunSide::kA, 9), std::nullopt);
  EXPECT_EQ(map.counterpart(RunSide::kA, 10), 20u);
  EXPECT_EQ(map.counterpart(RunSide::kA, 19), 29u);
  EXPECT_EQ(map.counterpart(RunSide::kA, 20), std::nullopt);
  EXPECT_EQ(map.counterpart(RunSide::kB, 31), 23u);
  EXPECT_EQ(map.counterpart(RunSide::kB, 32), std::nullopt);
}

}  // namespace
}  // namespace twinrun
