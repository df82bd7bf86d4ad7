// SPDX-License-Identifier: MIT
#include "cli/progress_estimate.h"

#include "base/work.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace twinrun {
namespace {

TEST(ProgressEstimate, GoesByTheSpeedSoFar) {
  ProgressEstimate estimate({{"reading", 1}});
  EXPECT_FALSE(estimate.at(0).share);
  estimate.tell("reading", 0, 0);
  EXPECT_FALSE(estimate.at(5).share) << "nothing is known yet";
  estimate.tell("reading", 0.25, 10);
  const auto view = estimate.at(10);
  EXPECT_EQ(view.stage, "reading");
  EXPECT_DOUBLE_EQ(*view.share, 0.25);
  EXPECT_DOUBLE_EQ(*view.left, 30);
}

TEST(ProgressEstimate, CountsTheStagesToCome) {
  ProgressEstimate estimate({{"reading", 1}, {"thinking", 2}, {"writing", 1}});
  estimate.tell("reading", 0.5, 0);
  // Five seconds are half of a quarter.
  EXPECT_DOUBLE_EQ(*estimate.at(5).share, 0.125);
  EXPECT_DOUBLE_EQ(*estimate.at(5).left, 35);
  // A stage that cannot tell how far it is takes what was planned.
  estimate.tell("thinking", kUnknownShare, 10);
  EXPECT_DOUBLE_EQ(*estimate.at(20).share, 0.5);
  EXPECT_DOUBLE_EQ(*estimate.at(20).left, 20);
}

TEST(ProgressEstimate, WhatIsLateIsNotAtItsEnd) {
  ProgressEstimate estimate({{"reading", 1}, {"thinking", 1}});
  estimate.tell("reading", 1, 0);
  estimate.tell("thinking", kUnknownShare, 10);
  for (int second = 30; second < 200; second += 10) {
    const double now = second;
    const auto view = estimate.at(now);
    EXPECT_LT(*view.share, 0.8) << now;
    EXPECT_NEAR(*view.left, 0.4 * (now - 10), 1e-9) << now;
  }
}

TEST(ProgressEstimate, GoesByAGuessUntilSomethingIsKnown) {
  ProgressEstimate estimate({{"reading", 1}, {"thinking", 1}}, 10);
  estimate.tell("reading", kUnknownShare, 0);
  EXPECT_DOUBLE_EQ(*estimate.at(5).share, 0.25);
  EXPECT_DOUBLE_EQ(*estimate.at(5).left, 15);
  // It was wrong: reading took twice as long, and so will thinking.
  estimate.tell("thinking", kUnknownShare, 20);
  EXPECT_DOUBLE_EQ(*estimate.at(30).left, 10);
}

TEST(ProgressEstimate, SkippedStagesAreDone) {
  ProgressEstimate estimate({{"reading", 1}, {"thinking", 8}, {"writing", 1}});
  estimate.tell("reading", 1, 0);
  EXPECT_LT(*estimate.at(10).share, 0.11);
  estimate.tell("writing", kUnknownShare, 10);
  EXPECT_GT(*estimate.at(10).share, 0.49);
}

TEST(ProgressEstimate, AStageMayComeAgainAndNewOnesMayCome) {
  ProgressEstimate estimate({{"aligning", 1}, {"explaining", 1}});
  estimate.tell("aligning", 0.5, 0);
  estimate.tell("pairing", kUnknownShare, 5);
  EXPECT_EQ(estimate.at(6).stage, "pairing");
  estimate.tell("aligning", 0.75, 7);
  const auto view = estimate.at(8);
  EXPECT_EQ(view.stage, "aligning");
  EXPECT_GT(*view.share, 0);
  EXPECT_LT(*view.share, 1);
}

constexpr double kTick = 0.1;

/// Runs stages of some true lengths and asks each tenth of a second.
void run(ProgressEstimate& estimate, const std::vector<std::pair<std::string, double>>& lengths,
         bool is_measured,
         const std::function<void(double now, const ProgressEstimate::View&)>& see) {
  double begin = 0;
  for (const auto& [name, length] : lengths) {
    for (int tick = 0; tick * kTick < length; ++tick) {
      const double at = tick * kTick;
      estimate.tell(name, is_measured ? at / length : kUnknownShare, begin + at);
      see(begin + at, estimate.at(begin + at));
    }
    begin += length;
  }
}

// The plan is wrong by a factor of four here and there: no share is taken back, and near the end
// nothing stands still for a large part of the time.
TEST(ProgressEstimate, StaysSensibleWhenThePlanIsWrong) {
  const std::vector<std::vector<std::pair<std::string, double>>> truths{
      {{"a", 10}, {"b", 10}, {"c", 10}},
      {{"a", 10}, {"b", 40}, {"c", 10}},
      {{"a", 10}, {"b", 10}, {"c", 40}},
      {{"a", 40}, {"b", 10}, {"c", 10}},
  };
  for (const auto& truth : truths) {
    double total = 0;
    for (const auto& [name, length] : truth) total += length;
    ProgressEstimate estimate({{"a", 1}, {"b", 1}, {"c", 1}});
    double shown = 0;
    double above = 0;  // seconds that it stands above 95%
    run(estimate, truth, true, [&](double now, const ProgressEstimate::View& view) {
      if (!view.share) return;
      EXPECT_GE(*view.share, shown);
      shown = *view.share;
      if (shown > 0.95) above += kTick;
      EXPECT_LT(std::abs(*view.share - now / total), 0.51) << now << " of " << total;
    });
    EXPECT_GT(shown, 0.95);
    EXPECT_LT(above, 0.15 * total);
  }
}

}  // namespace
}  // namespace twinrun
