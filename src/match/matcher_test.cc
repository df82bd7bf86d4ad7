// SPDX-License-Identifier: MIT
#include "match/matcher.h"

#include "match/match_samples.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace twinrun {
namespace {

// Pieces of code that can stand in any order: straight-line, a loop, a branch over, calls of the
// function before.
const std::vector<Bytes> kPieces{
    {0x48, 0x89, 0xc8},                    // mov rax, rcx
    {0x48, 0x83, 0xc0, 0x07},              // add rax, 7
    {0xb8, 0x2a, 0x00, 0x00, 0x00},        // mov eax, 42
    {0x85, 0xc0, 0x74, 0x02, 0x89, 0xc1},  // test eax, eax; jz +2; mov ecx, eax
    {0xff, 0xc8, 0x75, 0xfc},              // L: dec eax; jnz L
    {0x48, 0x8b, 0x43, 0x18},              // mov rax, [rbx+24]
    {0x0f, 0xaf, 0xc1},                    // imul eax, ecx
    {0x50, 0x58},                          // push rax; pop rax
};

Bytes function_of(const std::vector<uint32_t>& pieces) {
  Bytes out;
  for (const uint32_t piece : pieces) {
    const Bytes& code = kPieces[piece % kPieces.size()];
    out.insert(out.end(), code.begin(), code.end());
  }
  out.push_back(0xc3);
  return out;
}

std::vector<Bytes> functions_of(const std::vector<std::vector<uint32_t>>& program) {
  std::vector<Bytes> out;
  for (const auto& pieces : program) out.push_back(function_of(pieces));
  return out;
}

// One to one, between matched procedures, with a rule and a strength.
void check_pairs(const SampleBinary& a, const SampleBinary& b, const MatchState& state) {
  const auto check = [](const Pairing& pairs) {
    size_t count = 0;
    for (uint32_t i = 0; i < pairs.size(Side::kOld); ++i) {
      if (!pairs.has(Side::kOld, i)) continue;
      ++count;
      RC_ASSERT(pairs.partner(Side::kNew, pairs.partner(Side::kOld, i)) == i);
      RC_ASSERT(pairs.rule(i).strength != Strength::kNone);
    }
    RC_ASSERT(count == pairs.count());
    size_t back = 0;
    for (uint32_t i = 0; i < pairs.size(Side::kNew); ++i) back += pairs.has(Side::kNew, i) ? 1 : 0;
    RC_ASSERT(back == count);
  };
  check(state.procedures);
  check(state.blocks);
  check(state.data);
  for (uint32_t i = 0; i < a.shape.blocks().size(); ++i) {
    const uint32_t j = state.blocks.partner(Side::kOld, i);
    if (j == kNoMatch) continue;
    RC_ASSERT(state.procedures.partner(Side::kOld, a.shape.blocks()[i].procedure) ==
              b.shape.blocks()[j].procedure);
    RC_ASSERT(state.blocks.rule(i).strength <=
              state.procedures.rule(a.shape.blocks()[i].procedure).strength);
  }
}

using Program = std::vector<std::vector<uint32_t>>;

RC_GTEST_PROP(Matcher, PairsOneToOne, (const Program& before, const Program& after)) {
  const SampleBinary a(functions_of(before));
  const SampleBinary b(functions_of(after));
  const MatchState state = match_binaries(a.shape, b.shape, MatchOptions::defaults());
  check_pairs(a, b, state);
}

RC_GTEST_PROP(Matcher, ABinaryMatchesItself, (const Program& program)) {
  const SampleBinary a(functions_of(program));
  const SampleBinary b(functions_of(program));
  const MatchState state = match_binaries(a.shape, b.shape, MatchOptions::defaults());
  check_pairs(a, b, state);
  RC_ASSERT(state.procedures.count() == a.shape.procedures().size());
  for (uint32_t p = 0; p < a.shape.procedures().size(); ++p)
    RC_ASSERT(state.procedures.partner(Side::kOld, p) == p);
  for (uint32_t i = 0; i < a.shape.blocks().size(); ++i)
    RC_ASSERT(state.blocks.partner(Side::kOld, i) == i);
}

RC_GTEST_PROP(Matcher, TheSameEveryTime, (const Program& before, const Program& after)) {
  const SampleBinary a(functions_of(before));
  const SampleBinary b(functions_of(after));
  const MatchState one = match_binaries(a.shape, b.shape, MatchOptions::defaults());
  const MatchState two = match_binaries(a.shape, b.shape, MatchOptions::defaults());
  for (uint32_t i = 0; i < a.shape.blocks().size(); ++i)
    RC_ASSERT(one.blocks.partner(Side::kOld, i) == two.blocks.partner(Side::kOld, i));
}

TEST(Matcher, ThresholdOfTheBlockPercentage) {
  // Ten instructions in equal blocks, then a loop in one of them only.
  const std::vector<uint32_t> common{0, 1, 2, 5, 6, 0, 1, 2, 5, 6, 3};
  std::vector<uint32_t> longer = common;
  longer.insert(longer.end(), {4, 1, 4, 1, 4, 1, 4});
  const SampleBinary a({function_of(common)});
  const SampleBinary b({function_of(longer)});
  MatchOptions options = MatchOptions::defaults();
  options.steps = {StepId::kBlockPercentage};
  options.block_threshold = 0.3;
  EXPECT_EQ(match_binaries(a.shape, b.shape, options).procedures.count(), 1u);
  options.block_threshold = 0.99;
  EXPECT_EQ(match_binaries(a.shape, b.shape, options).procedures.count(), 0u);
}

TEST(MatchOptions, NamesStepsAndLevels) {
  EXPECT_EQ(MatchOptions::parse_steps("hash,name").value(),
            (std::vector{StepId::kProcedureHash, StepId::kName}));
  EXPECT_EQ(MatchOptions::parse_steps("hsah").error().code, "M001");
  EXPECT_NE(MatchOptions::parse_steps("hsah").error().help.find("hash"), std::string::npos);
  EXPECT_EQ(MatchOptions::parse_steps("").error().code, "M001");
  EXPECT_EQ(MatchOptions::parse_levels("3a,0").value(), (std::vector{Level::k3a, Level::k0}));
  EXPECT_EQ(MatchOptions::parse_levels("7").error().code, "M001");
}

}  // namespace
}  // namespace twinrun
