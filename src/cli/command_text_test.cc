// SPDX-License-Identifier: MIT
#include "cli/command_text.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text) {
  const auto words = read_command(text);
  return words ? words->words : Words{"error " + words.error().code};
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

TEST(CommandText, VariablesInFrontAreSetForTheCommand) {
  const auto command = read_command("A=1 _b='x y' ./a C=2");
  ASSERT_TRUE(command);
  EXPECT_EQ(command->variables, (Words{"A=1", "_b=x y"}));
  EXPECT_EQ(command->words, (Words{"./a", "C=2"}));
  EXPECT_EQ(split("1a=2 b"), (Words{"1a=2", "b"}));
  EXPECT_EQ(split("A=1"), (Words{"error C003"}));
}

TEST(CommandText, TheOtherOfTwoCommandsGetsAShellToo) {
  const auto command = read_command("A=1 ./a b", true);
  ASSERT_TRUE(command);
  EXPECT_EQ(command->words, (Words{"/bin/sh", "-c", "A=1 ./a b"}));
  EXPECT_TRUE(command->variables.empty());
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
