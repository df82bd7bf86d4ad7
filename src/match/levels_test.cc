// SPDX-License-Identifier: MIT
// The table of levels, row by row: changing what a level leaves out keeps its hash value, changing
// what it has alters it.
#include "match/levels.h"

#include "match/match_samples.h"
#include "match/matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace twinrun {
namespace {

struct Change {
  std::string what;
  Bytes before;
  Bytes after;
  std::set<std::string_view> keeps;  // levels whose hash value stays
};

const std::set<std::string_view> kAll{"0", "1", "1a", "2", "3", "3a", "4", "5"};

std::set<std::string_view> all_but(const std::set<std::string_view>& some) {
  std::set<std::string_view> out = kAll;
  for (const std::string_view level : some) out.erase(level);
  return out;
}

// Each ends with ret, so that "the last instruction" is what the comment says.
const std::vector<Change>& changes() {
  static const std::vector<Change> rows{
      // mov rax, [rbx+8] / [rbx+16]; ret
      {"a numerical offset of memory",
       {0x48, 0x8b, 0x43, 0x08, 0xc3},
       {0x48, 0x8b, 0x43, 0x10, 0xc3},
       all_but({"0"})},
      // mov eax, 5 / 6; ret
      {"an immediate operand",
       {0xb8, 5, 0, 0, 0, 0xc3},
       {0xb8, 6, 0, 0, 0, 0xc3},
       {"1a", "3", "3a", "4", "5"}},
      // ret / ret 8
      {"the operand of a return", {0xc3}, {0xc2, 8, 0}, {"3", "3a", "4", "5"}},
      // mov rax, rcx / mov rdx, rsi; ret
      {"registers that calls destroy",
       {0x48, 0x89, 0xc8, 0xc3},
       {0x48, 0x89, 0xf2, 0xc3},
       all_but({"0"})},
      // mov rax, rcx; mov rdx, rax / rcx; ret
      {"which of them is used again",
       {0x48, 0x89, 0xc8, 0x48, 0x89, 0xc2, 0xc3},
       {0x48, 0x89, 0xc8, 0x48, 0x89, 0xca, 0xc3},
       {"1a", "3", "3a", "4", "5"}},
      // movaps xmm0, xmm1 / xmm2, xmm3; ret
      {"vector registers", {0x0f, 0x28, 0xc1, 0xc3}, {0x0f, 0x28, 0xd3, 0xc3}, all_but({"0"})},
      // mov rbx, rax / mov r12, rax; ret
      {"registers that calls keep",
       {0x48, 0x89, 0xc3, 0xc3},
       {0x49, 0x89, 0xc4, 0xc3},
       {"1a", "3", "3a", "4", "5"}},
      // mov rcx, rax / mov rbx, rax; ret
      {"the class of a register",
       {0x48, 0x89, 0xc1, 0xc3},
       {0x48, 0x89, 0xc3, 0xc3},
       {"1a", "3a", "4", "5"}},
      // mov rax, [rbx] / mov rax, rbx; ret
      {"the type of an operand",
       {0x48, 0x8b, 0x03, 0xc3},
       {0x48, 0x89, 0xd8, 0xc3},
       {"1a", "3a", "5"}},
      // push ax / push rax; ret
      {"the width of an operand", {0x66, 0x50, 0xc3}, {0x50, 0xc3}, {"1a", "3a", "5"}},
      // jz +1 / jnz +1; nop; ret
      {"the condition of a jump", {0x74, 1, 0x90, 0xc3}, {0x75, 1, 0x90, 0xc3}, {"5"}},
      // add / sub rax, rcx; ret
      {"the opcode", {0x48, 0x01, 0xc8, 0xc3}, {0x48, 0x29, 0xc8, 0xc3}, {"1a", "3a"}},
      // push rax; ret, without and with pop rcx before
      {"an added instruction", {0x50, 0xc3}, {0x59, 0x50, 0xc3}, {"1a", "3a"}},
      // ret / endbr64; ret
      {"padding", {0xc3}, {0xf3, 0x0f, 0x1e, 0xfa, 0xc3}, all_but({"0"})},
  };
  return rows;
}

class LevelTable : public ::testing::TestWithParam<size_t> {};

TEST_P(LevelTable, KeepsAndAlters) {
  const Change& change = changes()[GetParam()];
  const SampleBinary before({change.before});
  const SampleBinary after({change.after});
  const MatchOptions options = MatchOptions::defaults();
  const MatchContext context(before.shape, after.shape, options);
  for (const LevelInfo& level : levels()) {
    const bool is_same = context.hasher(Side::kOld).hash(0, level.level) ==
                         context.hasher(Side::kNew).hash(0, level.level);
    EXPECT_EQ(is_same, change.keeps.contains(level.name))
        << change.what << " on level " << level.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, LevelTable, ::testing::Range<size_t>(0, changes().size()));

std::set<std::string_view> same_levels(const MatchContext& context, uint32_t a, uint32_t b) {
  std::set<std::string_view> out;
  for (const LevelInfo& level : levels())
    if (context.hasher(Side::kOld).hash(a, level.level) ==
        context.hasher(Side::kNew).hash(b, level.level))
      out.insert(level.name);
  return out;
}

// test eax, eax; jz end; L: dec eax; jnz L; end: ret. In the other one two more bytes stand before
// L.
const Bytes kLoop{0x85, 0xc0, 0x74, 0x04, 0xff, 0xc8, 0x75, 0xfc, 0xc3};
const Bytes kShiftedLoop{0x85, 0xc0, 0x74, 0x06, 0x89, 0xc1, 0xff, 0xc8, 0x75, 0xfc, 0xc3};

TEST(LevelTargets, OffsetFromTheBeginningOfTheProcedureIsLeftOutFromLevel2On) {
  const SampleBinary before({kLoop});
  const SampleBinary after({kShiftedLoop});
  const MatchOptions options = MatchOptions::defaults();
  const MatchContext context(before.shape, after.shape, options);
  const auto loop = [](const SampleBinary& binary, uint64_t offset) {
    return *binary.shape.block_at(SampleBinary::kCode + offset);
  };
  EXPECT_EQ(same_levels(context, loop(before, 4), loop(after, 6)),
            (std::set<std::string_view>{"2", "3", "3a", "4", "5"}));
}

TEST(LevelTargets, MatchedTargetsAreEqualWhereverTheyAre) {
  const SampleBinary before({kLoop});
  const SampleBinary after({kShiftedLoop});
  const MatchOptions options = MatchOptions::defaults();
  MatchContext context(before.shape, after.shape, options);
  const uint32_t a = *before.shape.block_at(SampleBinary::kCode + 4);
  const uint32_t b = *after.shape.block_at(SampleBinary::kCode + 6);
  context.state.blocks.add(a, b, {});
  EXPECT_EQ(same_levels(context, a, b), kAll);
  // Level 3 does not look at what is matched: a target that is matched elsewhere changes nothing.
  context.state.blocks.remove(a);
  context.state.blocks.add(a, *after.shape.block_at(SampleBinary::kCode), {});
  EXPECT_EQ(same_levels(context, a, b), (std::set<std::string_view>{"3", "3a", "4", "5"}));
}

TEST(LevelTargets, DirectionCountsOnLevel3) {
  // L: dec eax; jnz L; ret and dec eax; jnz over; nop; over: ret
  const SampleBinary backward({{0xff, 0xc8, 0x75, 0xfc, 0xc3}});
  const SampleBinary forward({{0xff, 0xc8, 0x75, 0x01, 0x90, 0xc3}});
  const MatchOptions options = MatchOptions::defaults();
  const MatchContext context(backward.shape, forward.shape, options);
  EXPECT_EQ(same_levels(context, 0, 0), (std::set<std::string_view>{"4", "5"}));
}

// call the other function; ret
Bytes call_behind(int32_t distance) {
  Bytes out{0xe8, 0, 0, 0, 0, 0xc3};
  std::memcpy(out.data() + 1, &distance, sizeof distance);
  return out;
}

TEST(LevelTargets, CallsOfMatchedProceduresAreEqual) {
  // push rbx; ret and pop rbx; ret: two callees that look different
  const Bytes one{0x53, 0xc3};
  const Bytes two{0x5b, 0xc3};
  const SampleBinary before({call_behind(11), one, two});
  const SampleBinary after({call_behind(27), one, two});
  const MatchOptions options = MatchOptions::defaults();
  MatchContext context(before.shape, after.shape, options);
  // Nothing is known of either callee.
  EXPECT_EQ(same_levels(context, 0, 0), kAll);
  context.pair_procedures(1, 1, StepId::kName, Strength::kExact);
  context.pair_procedures(2, 2, StepId::kName, Strength::kExact);
  EXPECT_EQ(same_levels(context, 0, 0), (std::set<std::string_view>{"3", "3a", "4", "5"}));
}

TEST(LevelData, MatchedDataMakesInstructionsEqual) {
  // mov rax, [rip+x]; ret, with x for 0x8000 and for 0x8008
  const auto load = [](int32_t displacement) {
    Bytes out{0x48, 0x8b, 0x05, 0, 0, 0, 0, 0xc3};
    std::memcpy(out.data() + 3, &displacement, sizeof displacement);
    return out;
  };
  const int32_t to_data = SampleBinary::kData - SampleBinary::kCode - 7;
  const SampleBinary before({load(to_data)}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9});
  const SampleBinary after({load(to_data + 8)}, {9, 9, 9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 7});
  ASSERT_EQ(before.shape.data().size(), 1u);
  ASSERT_EQ(after.shape.data().size(), 1u);
  const MatchOptions options = MatchOptions::defaults();
  MatchContext context(before.shape, after.shape, options);
  EXPECT_FALSE(same_levels(context, 0, 0).contains("0"));
  context.state.data.add(0, 0, {});
  EXPECT_EQ(same_levels(context, 0, 0), kAll);
}

TEST(Levels, NamesAreParsed) {
  for (const LevelInfo& level : levels()) EXPECT_EQ(parse_level(level.name), level.level);
  EXPECT_FALSE(parse_level("6"));
  EXPECT_FALSE(parse_level(""));
}

}  // namespace
}  // namespace twinrun
