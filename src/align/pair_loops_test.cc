// SPDX-License-Identifier: MIT
#include "align/pair_loops.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace twinrun {
namespace {

constexpr uint32_t kBlocks = 100;  // of an iteration

/// A thread with one loop; iterations are what their letters say. Capitals look like small letters
/// from the loop's own frame.
ThreadLoops thread_of(std::string_view letters) {
  ThreadLoops out;
  LoopInstance loop;
  loop.key = 1;
  loop.site = {0x40};
  loop.begin = 1000;
  for (const char letter : letters)
    loop.iterations.push_back({static_cast<uint64_t>(letter), static_cast<uint32_t>(letter | 0x20),
                               static_cast<uint32_t>(loop.iterations.size()) * kBlocks});
  loop.end = loop.begin + letters.size() * kBlocks;
  out.blocks = loop.end;
  out.instances.push_back(std::move(loop));
  out.stretches.push_back({0, 0});
  return out;
}

/// The number of each iteration.
std::vector<uint64_t> numbers(const std::vector<IterationMark>& marks, size_t iterations) {
  std::vector<uint64_t> out;
  uint64_t number = 0;
  size_t next = 0;
  for (size_t i = 0; i < iterations; ++i) {
    ++number;
    if (next < marks.size() && marks[next].block == 1000 + i * kBlocks)
      number += marks[next++].jump;
    out.push_back(number);
  }
  EXPECT_EQ(next, marks.size());
  return out;
}

using Numbers = std::vector<uint64_t>;

TEST(PairLoops, AnIterationMoreLeavesANumberOut) {
  const auto found = pair_loops(thread_of("abcdefgh"), thread_of("abcxdefgh"), nullptr);
  ASSERT_TRUE(found);
  EXPECT_EQ(numbers(found->marks[0], 8), (Numbers{1, 2, 3, 5, 6, 7, 8, 9}));
  EXPECT_EQ(numbers(found->marks[1], 9), (Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(found->marks[0], (std::vector<IterationMark>{{1300, {0x40}, 1}}));
  EXPECT_FALSE(found->is_by_values);
}

TEST(PairLoops, TheFirstIterationCanBeTheOneThatIsMissing) {
  const auto found = pair_loops(thread_of("abcdefgh"), thread_of("bcdefgh"), nullptr);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->marks[0].empty());
  EXPECT_EQ(numbers(found->marks[1], 7), (Numbers{2, 3, 4, 5, 6, 7, 8}));
}

TEST(PairLoops, EqualLoopsHaveNoMarks) {
  const auto found = pair_loops(thread_of("abcdefgh"), thread_of("abcdefgh"), nullptr);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_by_number());
}

TEST(PairLoops, LoopsThatAreReachedOtherwiseAreNotPaired) {
  ThreadLoops other = thread_of("abcxdefgh");
  other.instances[0].key = 2;
  const auto found = pair_loops(thread_of("abcdefgh"), other, nullptr);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_by_number());
}

/// Records with a value each; also what does not tell records apart: a counter, a constant, the
/// records that are left, a sum.
SlotValues values_of(const std::vector<uint32_t>& records, uint32_t from, uint32_t to) {
  SlotValues out;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < records.size(); ++i) {
    sum += records[i] * 31;
    if (i < from || i >= to) continue;
    out[1].push_back({i - from, records[i]});
    out[2].push_back({i - from, records[i] * records[i]});
    out[3].push_back({i - from, i});
    out[4].push_back({i - from, 5});
    out[5].push_back({i - from, static_cast<uint32_t>(records.size()) - i});
    out[6].push_back({i - from, sum});
  }
  return out;
}

TEST(PairLoops, WhereAllLooksAlikeValuesDecide) {
  std::vector<uint32_t> a(60);
  for (uint32_t i = 0; i < a.size(); ++i) a[i] = i * i + 11;
  std::vector<uint32_t> b = a;
  b.insert(b.begin() + 3, 99);
  const AskValues ask = [&](RunSide side, const LoopInstance&, uint32_t from,
                            uint32_t to) -> Result<SlotValues> {
    return values_of(side == RunSide::kA ? a : b, from, to);
  };
  // A buffer is filled in the same iteration, whatever is in it.
  std::string letters(a.size() - 1, 'a');
  letters[40] = 'A';
  const auto found = pair_loops(thread_of(letters + "a"), thread_of(letters + "aa"), ask);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_by_values);
  EXPECT_EQ(found->marks[0], (std::vector<IterationMark>{{1300, {0x40}, 1}}));
  EXPECT_TRUE(found->marks[1].empty());
  // The last time round is another one, and with numbers it costs little that it is.
  const auto ended = pair_loops(thread_of(letters + "e"), thread_of(letters + "ae"), ask);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->marks[0], found->marks[0]);
  // Without values it stays as it is.
  const auto blind = pair_loops(thread_of(letters + "a"), thread_of(letters + "aa"), nullptr);
  ASSERT_TRUE(blind);
  EXPECT_TRUE(blind->is_by_number());
}

TEST(PairLoops, ValuesThatSayNothingMoveNothing) {
  const std::vector<uint32_t> a(8, 7);
  const std::vector<uint32_t> b(9, 7);
  const ValueKeys keys = value_keys(values_of(a, 0, 8), 8, SlotValues(), 9);
  EXPECT_TRUE(keys.a.empty());
  SlotValues counter_a;
  SlotValues counter_b;
  for (uint32_t i = 0; i < 8; ++i) counter_a[1].push_back({i, i});
  for (uint32_t i = 0; i < 9; ++i) counter_b[1].push_back({i, i});
  EXPECT_TRUE(value_keys(counter_a, 8, counter_b, 9).a.empty());
}

}  // namespace
}  // namespace twinrun
