// SPDX-License-Identifier: MIT
#include "base/result.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return fail("X001", "{} is odd", n);
  return n / 2;
}

Result<int> quarter(int n) {
  TRY(const int once, half(n));
  TRY(const int twice, half(once));
  return twice;
}

TEST(Result, TryPassesValuesAndErrorsOn) {
  EXPECT_EQ(quarter(12).value(), 3);
  const Result<int> bad = quarter(6);
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().code, "X001");
  EXPECT_EQ(bad.error().message, "3 is odd");
}

TEST(Error, CollectsHelpAndContext) {
  const Error error = Error{"X002", "broken", {}, {}}.with_help("mend it").in("inner").in("outer");
  EXPECT_EQ(error.help, "mend it");
  EXPECT_EQ(error.context, (std::vector<std::string>{"inner", "outer"}));
}

}  // namespace
}  // namespace twinrun
