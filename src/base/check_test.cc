// SPDX-License-Identifier: MIT
#include "base/check.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(Check, PassesSilently) {
  int evaluated = 0;
  CHECK(++evaluated == 1) << "never shown";
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, PrintsFactsAndEndsWithThree) {
  const int next = 7;
  EXPECT_EXIT(CHECK(next <= 3) << next << "bytes", testing::ExitedWithCode(3),
              "internal error: next <= 3 is false at .*check_test.cc:.* 7 bytes");
}

}  // namespace
}  // namespace twinrun
