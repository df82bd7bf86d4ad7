// SPDX-License-Identifier: MIT
#include "trace/kept_blocks.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

KeptBlocks::Blocks blocks(size_t size) { return std::make_shared<const Bytes>(size); }

TEST(KeptBlocks, KeepsNothingUnlessTold) {
  KeptBlocks kept;
  kept.keep(1, blocks(4));
  EXPECT_EQ(kept.find(1), nullptr);
}

TEST(KeptBlocks, DropsWhatWasAskedForLongestAgo) {
  KeptBlocks kept;
  kept.keep_most(100);
  for (uint32_t frame = 1; frame <= 3; ++frame) kept.keep(frame, blocks(30 + frame));
  EXPECT_NE(kept.find(1), nullptr);
  kept.keep(4, blocks(10));
  EXPECT_EQ(kept.find(2), nullptr);
  EXPECT_NE(kept.find(1), nullptr);
  ASSERT_NE(kept.find(3), nullptr);
  EXPECT_EQ(kept.find(3)->size(), 33u);
  kept.keep(5, blocks(101));
  EXPECT_EQ(kept.find(5), nullptr);
  kept.keep_most(40);
  EXPECT_EQ(kept.find(1), nullptr);
  EXPECT_NE(kept.find(3), nullptr);
}

}  // namespace
}  // namespace twinrun
