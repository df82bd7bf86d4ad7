// SPDX-License-Identifier: MIT
#include "cli/progress.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(ProgressLine, TellsTheShareAndTheTimeLeft) {
  EXPECT_EQ(progress_line({"reading", 0.25, 30.2}, 10), "reading 25%, 30 s left");
  EXPECT_EQ(progress_line({"reading", 0.25, 130}, 10), "reading 25%, 2 min 10 s left");
  EXPECT_EQ(progress_line({"reading", 1.0, 0.0}, 10), "reading 99%, 1 s left");
}

TEST(ProgressLine, WithoutAnEstimateTellsTheTimeSoFar) {
  EXPECT_EQ(progress_line({"reading", {}, {}}, 12), "reading, 12 s so far");
  EXPECT_EQ(progress_line({}, 2.4), "working, 2 s so far");
}

TEST(Progress, WritesNothingWhenNotOnATerminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress("reading", 10);
    for (uint64_t i = 0; i <= 10; ++i) progress.update(i);
    Progress stages({{"one", 1}, {"two", 2}});
    stages.sink()("two", 0.5);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace twinrun
