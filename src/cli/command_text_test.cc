// SPDX-License-Identifier: MIT
#include "cli/command_text.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text) {
  const auto words = split_command(text);
  return words ? *words : Words{"error " + words.error().code};
}

TEST(CommandText, WordsAreSplitAsAShellSplitsThem) {
  EXPECT_EQ(split("./a  b\tc"), (Words{"./a", "b", "c"}));
  EXPECT_EQ(split("a 'b c' \"d e\" f\\ g"), (Words{"a", "b c", "d e", "f g"}));
  EXPECT_EQ(split("a '' \"\""), (Words{"a", "", ""}));
  EXPECT_EQ(split("a 'b'c\"d\""), (Words{"a", "bcd"}));
  EXPECT_EQ(split("a \"b\\\"c\" '\\'"), (Words{"a", "b\"c", "\\"}));
}

TEST(CommandText, WhatNeedsAShellGetsOne) {
  for (const char* text : {"a <b", "a | b", "a $HOME", "a \"$HOME\"", "a; b", "a *.c"})
    EXPECT_EQ(split(text), (Words{"/bin/sh", "-c", text}));
  EXPECT_EQ(split("a '$HOME'"), (Words{"a", "$HOME"}));
}

TEST(CommandText, OpenQuotesAndNothingAreRefused) {
  EXPECT_EQ(split("a 'b"), (Words{"error C003"}));
  EXPECT_EQ(split("  "), (Words{"error C003"}));
}

TEST(ShellWord, IsQuotedOnlyWhereAShellWouldReadMore) {
  EXPECT_EQ(shell_word("csv.c:33"), "csv.c:33");
  EXPECT_EQ(shell_word("csv.c:33#2"), "'csv.c:33#2'");
  EXPECT_EQ(shell_word("h->ncols"), "'h->ncols'");
  EXPECT_EQ(shell_word("a'b c"), "'a'\\''b c'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace twinrun
