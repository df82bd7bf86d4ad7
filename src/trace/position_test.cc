// SPDX-License-Identifier: MIT
#include "trace/position.h"

#include "trace/reader.h"
#include "trace/trace_builder.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace twinrun {
namespace {

constexpr Position kDefaults{{3}, {2}, {0}};

TEST(Position, PartsThatAreLeftOutComeFromTheDefaults) {
  EXPECT_EQ(parse_position("12345", kDefaults), (Position{{3}, {2}, {12345}}));
  EXPECT_EQ(parse_position("7.12345", kDefaults), (Position{{3}, {7}, {12345}}));
  EXPECT_EQ(parse_position("9.7.12345", kDefaults), (Position{{9}, {7}, {12345}}));
  EXPECT_EQ(parse_position("1_000,000", kDefaults)->step.value, 1'000'000u);
}

TEST(Position, NonsenseIsRefused) {
  for (const char* text : {"", ".", "1.", ".1", "a", "1.2.3.4", "0.5", "0.1.5", "-1", "_1",
                           "99999999999999999999999", "5000000000.1"})
    EXPECT_EQ(parse_position(text, kDefaults).error().code, "T008") << text;
}

TEST(Position, RangesHaveManyForms) {
  const auto steps = [](std::string_view text) {
    const auto range = parse_range(text, kDefaults);
    return range ? std::pair(range->from.step.value, range->to.step.value) : std::pair(1ul, 0ul);
  };
  EXPECT_EQ(steps("5..9"), std::pair(5ul, 9ul));
  EXPECT_EQ(steps("5..+10"), std::pair(5ul, 15ul));
  EXPECT_EQ(steps("5.."), std::pair(5ul, kLastStep));
  EXPECT_EQ(steps("..9"), std::pair(0ul, 9ul));
  EXPECT_EQ(steps("7"), std::pair(7ul, 8ul));
  EXPECT_EQ(steps("7.5..9"), std::pair(5ul, 9ul));
  EXPECT_FALSE(parse_range("1.1.5..2.1.9", kDefaults).has_value());
}

RC_GTEST_PROP(Position, WhatIsPrintedIsReadBack, ()) {
  const Position position{{*rc::gen::inRange<uint32_t>(1, UINT32_MAX)},
                          {*rc::gen::inRange<uint32_t>(1, UINT32_MAX)},
                          {*rc::gen::arbitrary<uint64_t>()}};
  const auto read = parse_position(format_position(position, PositionForm::kFull), {});
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == position);
}

TEST(Position, TheShortestFormDependsOnTheRecording) {
  const Bytes bytes = small_recording();
  const auto reader = Reader::open_memory(bytes);
  EXPECT_EQ(shortest_form(**reader), PositionForm::kFull);
  EXPECT_EQ(format_position(kDefaults, PositionForm::kThreadStep), "2.0");
  EXPECT_EQ(format_position(kDefaults, PositionForm::kStep), "0");
}

}  // namespace
}  // namespace twinrun
