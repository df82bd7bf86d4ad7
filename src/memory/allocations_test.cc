// SPDX-License-Identifier: MIT
#include "memory/allocations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace twinrun {
namespace {

TEST(AllocationLog, FindsTheLiveBlockThatHoldsAnAddress) {
  std::mt19937 random(7);
  AllocationLog log;
  std::vector<uint64_t> live;
  uint64_t block = 0;
  for (int i = 0; i < 400; ++i) {
    ++block;
    if (!live.empty() && random() % 2 == 0) {
      const size_t which = random() % live.size();
      log.free(live[which], {.block = block});
      live.erase(live.begin() + static_cast<ptrdiff_t>(which));
    } else {
      // Slots of 64 bytes: blocks that live at the same time do not overlap.
      const uint64_t address = 0x1000 + random() % 32 * 64;
      if (std::ranges::find(live, address) != live.end()) continue;
      log.add({.address = address, .size = random() % 64 + 1, .block = block});
      live.push_back(address);
    }
  }
  log.finish();
  for (uint64_t at = 0; at <= block + 1; at += 3) {
    for (uint64_t address = 0xff0; address < 0x1000 + 33 * 64; address += 7) {
      const Allocation* expected = nullptr;
      for (const Allocation& made : log.all()) {
        if (made.address <= address && address < made.address + made.size && made.lives_at(at))
          expected = &made;
      }
      ASSERT_EQ(log.containing(address, at), expected) << address << " at " << at;
    }
  }
}

TEST(AllocationLog, CountsWhatItHasNotSeen) {
  AllocationLog log;
  log.free(0x1000, {.block = 1});
  EXPECT_EQ(log.unknown_frees(), 1u);
  log.add({.address = 0x1000, .size = 8, .block = 2});
  log.add({.address = 0x1000, .size = 16, .block = 5});  // the first one ended unseen
  log.finish();
  EXPECT_EQ(log.all()[0].freed_block, 5u);
  EXPECT_EQ(log.containing(0x100c, 6), &log.all()[1]);
  EXPECT_EQ(log.containing(0x100c, 3), nullptr);
  EXPECT_EQ(log.most_bytes(), 16u);
}

TEST(AllocationLog, KnowsWhichCallMadeAPointer) {
  AllocationLog log;
  log.add({.address = 0x1000, .size = 32, .block = 4, .called = 2});
  log.free(0x1000, {.block = 10});
  log.add({.address = 0x1000, .size = 32, .block = 14, .called = 12});
  log.finish();
  const std::vector<Allocation>& all = log.all();
  // Written inside of a call, and seen behind it.
  EXPECT_EQ(log.returned(0x1000, 3, 20), &all[0]);
  EXPECT_EQ(log.returned(0x1000, 13, 20), &all[1]);
  EXPECT_EQ(log.returned(0x1000, 13, 13), nullptr);
  // Kept by the program while another call returned the same number.
  EXPECT_EQ(log.returned(0x1000, 6, 20), nullptr);
  EXPECT_EQ(log.returned(0x1008, 3, 20), nullptr);
  EXPECT_EQ(log.latest(0x1010, 11), &all[0]);
  EXPECT_EQ(log.latest(0x1010, 20), &all[1]);
  EXPECT_EQ(log.latest(0x1020, 20), nullptr);
}

TEST(AllocationLog, FollowsABlockThatStaysInItsPlace) {
  AllocationLog log;
  log.add({.address = 0x1000, .size = 16, .block = 2, .called = 1});
  log.resize(0x1000);
  log.free(0x1000, {.block = 6});
  log.add({.address = 0x1000, .size = 64, .block = 6, .called = 4});
  log.resize(0x1000);
  log.free(0x1000, {.block = 9});
  log.add({.address = 0x2000, .size = 640, .block = 9, .called = 7});
  log.add({.address = 0x1000, .size = 8, .block = 12, .called = 11});
  log.finish();
  const std::vector<Allocation>& all = log.all();
  EXPECT_EQ(&log.grown(all[0], 5), &all[0]);
  EXPECT_EQ(&log.grown(all[0], 20), &all[1]);  // and no further: it was moved then
  EXPECT_EQ(all[1].from, 0u);
  EXPECT_EQ(all[2].from, 1u);
  EXPECT_EQ(all[3].from, Allocation::kNoBlock);
}

TEST(AllocationLog, TellsFreesOfWhatIsNoBlock) {
  AllocationLog log;
  log.add({.address = 0x1000, .size = 32, .block = 1});
  log.check_free({.address = 0x1000, .block = 2});
  log.check_free({.address = 0x1008, .block = 3});
  log.free(0x1000, {.block = 4});
  log.check_free({.address = 0x1000, .block = 5});
  log.check_free({.address = 0, .block = 6});
  log.finish();
  ASSERT_EQ(log.bad_frees().size(), 2u);
  EXPECT_EQ(log.bad_frees()[0].inside, 0u);
  EXPECT_EQ(log.bad_frees()[1].freed, 0u);
  EXPECT_EQ(log.bad_frees()[1].inside, Allocation::kNoBlock);
}

TEST(ParseAllocator, ReadsEveryForm) {
  const auto all = parse_allocator("pool_get:2:pool_put:3");
  ASSERT_TRUE(all.has_value());
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].name, "pool_get");
  EXPECT_EQ((*all)[0].size, 1);
  EXPECT_EQ((*all)[1].name, "pool_put");
  EXPECT_EQ((*all)[1].pointer, 2);
  EXPECT_EQ((*parse_allocator("get"))[0].size, 0);
  EXPECT_EQ((*parse_allocator("get:0"))[0].size, AllocatorRule::kNone);
  for (const char* bad : {"", ":1", "get:x", "get:7", "get:1:put:0", "get:1:put:1:2"})
    EXPECT_FALSE(parse_allocator(bad).has_value()) << bad;
}

}  // namespace
}  // namespace twinrun
