// SPDX-License-Identifier: MIT
#include "explain/answer/last_words.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(LastLineAlone, IsTheLastThatTheOtherDidNotSay) {
  EXPECT_EQ(last_line_alone("reading\nno such key: x\nbye\n", "reading\nbye\n"), "no such key: x");
  EXPECT_EQ(last_line_alone("one\ntwo", ""), "two");
  EXPECT_EQ(last_line_alone("one\n", "zero\none\n"), "");
  EXPECT_EQ(last_line_alone("", "one\n"), "");
}

TEST(LastLineAlone, AnIndentedLineBelongsToTheOneInFront) {
  EXPECT_EQ(last_line_alone("terminate called after throwing 'x'\n  what():  stoi\n", ""),
            "terminate called after throwing 'x' what():  stoi");
  EXPECT_EQ(last_line_alone("two rows are wrong\n  a\n  b\n", ""), "two rows are wrong");
  EXPECT_EQ(last_line_alone("a.lua:4: no number\nstack traceback:\n\tin main\n\tin ?\n", ""),
            "a.lua:4: no number");
  EXPECT_EQ(last_line_alone("  alone\r\n\n", ""), "alone");
}

}  // namespace
}  // namespace twinrun
