// SPDX-License-Identifier: MIT
#include "report/why_end.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(CallInLine, IsTheCallWithItsArguments) {
  EXPECT_EQ(call_in_line("n += strlen(c->port);", "strlen", ""), "strlen(c->port)");
  EXPECT_EQ(call_in_line("memcpy(at(to), from, size(n)); }", "memcpy", ""),
            "memcpy(at(to), from, size(n))");
}

TEST(CallInLine, IsTheOneOfSeveralThatHasTheName) {
  constexpr const char* kLine = "return strlen(c->host) + 1 + strlen(c->port);";
  EXPECT_EQ(call_in_line(kLine, "strlen", "c->port"), "strlen(c->port)");
  EXPECT_EQ(call_in_line(kLine, "strlen", "c->user"), "strlen()");
  EXPECT_EQ(call_in_line(kLine, "strlen", ""), "strlen()");
}

TEST(CallInLine, IsOnlyAWholeNameAndAWholeCall) {
  EXPECT_EQ(call_in_line("n = my_strlen(s);", "strlen", ""), "strlen()");
  EXPECT_EQ(call_in_line("strcpy(to,", "strcpy", ""), "strcpy()");
  EXPECT_EQ(call_in_line("", "strcpy", ""), "strcpy()");
}

}  // namespace
}  // namespace twinrun
