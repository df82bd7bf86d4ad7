// SPDX-License-Identifier: MIT
#include "cli/progress.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(ProgressLine, EstimatesFromTheSpeedSoFar) {
  EXPECT_EQ(progress_line("reading", 25, 100, 10), "reading   25%  ETA 30 s");
  EXPECT_EQ(progress_line("reading", 0, 100, 10), "reading    0%");
  EXPECT_EQ(progress_line("reading", 500, 100, 10), "reading  100%  ETA 0.0 s");
  EXPECT_EQ(progress_line("reading", 0, 0, 0), "reading  100%");
  EXPECT_EQ(progress_line("nodes", 12, Progress::kUnknown, 10), "nodes  12");
}

TEST(Progress, WritesNothingWhenNotOnATerminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress("reading", 10);
    for (uint64_t i = 0; i <= 10; ++i) progress.update(i);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace twinrun
