// SPDX-License-Identifier: MIT
#include "base/suggest.h"

#include <gtest/gtest.h>

#include <rapidcheck.h>

namespace twinrun {
namespace {

const std::vector<std::string> kVerbs = {"record", "ls", "rm", "info", "dump", "verify"};

TEST(EditDistance, CountsSingleEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("record", "recrod"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(EditDistance, IsSymmetricAndZeroOnlyForEqualWords) {
  EXPECT_TRUE(rc::check([](const std::string& a, const std::string& b) {
    RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
    RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
  }));
}

TEST(Suggest, FindsTyposAndBeginnings) {
  EXPECT_EQ(suggest("recrod", kVerbs), std::vector<std::string>{"record"});
  EXPECT_EQ(suggest("verfy", kVerbs), std::vector<std::string>{"verify"});
  EXPECT_EQ(suggest("rec", kVerbs), std::vector<std::string>{"record"});
}

TEST(Suggest, StaysSilentWhenNothingIsNear) {
  EXPECT_TRUE(suggest("frobnicate", kVerbs).empty());
  EXPECT_EQ(did_you_mean("frobnicate", kVerbs), "");
}

TEST(DidYouMean, NamesTheNearest) {
  EXPECT_EQ(did_you_mean("lss", kVerbs), "did you mean 'ls'?");
  EXPECT_EQ(did_you_mean("rs", kVerbs), "did you mean 'ls' or 'rm'?");
}

}  // namespace
}  // namespace twinrun
