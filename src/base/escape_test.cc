// SPDX-License-Identifier: MIT
#include "base/escape.h"

#include <gtest/gtest.h>

#include <rapidcheck.h>

namespace twinrun {
namespace {

TEST(Escape, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(escape_for_terminal("h->ncols /usr/bin/gzip Grüße 日本 🙂"),
            "h->ncols /usr/bin/gzip Grüße 日本 🙂");
}

TEST(Escape, ShowsControlCharacters) {
  EXPECT_EQ(escape_for_terminal("a\x1b[31mb\n\t\x7f"), "a\\x1b[31mb\\n\\t\\x7f");
  EXPECT_EQ(escape_for_terminal(std::string_view("\0", 1)), "\\x00");
}

TEST(Escape, ShowsC1AndBidirectionalControls) {
  EXPECT_EQ(escape_for_terminal("\xc2\x9b"), "\\u{9b}");
  EXPECT_EQ(escape_for_terminal("a\u202eb\u2066"), "a\\u{202e}b\\u{2066}");
}

TEST(Escape, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(escape_for_terminal("\x9b"), "\\x9b");                    // C1 as a lone byte
  EXPECT_EQ(escape_for_terminal("\xc0\x80"), "\\xc0\\x80");           // overlong
  EXPECT_EQ(escape_for_terminal("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(escape_for_terminal("\xe2\x80"), "\\xe2\\x80");           // cut short
}

TEST(EscapeLines, LetsLinesAndColoursThrough) {
  EXPECT_EQ(escape_lines("a\n\tb\x1b[31mc\x1b[0m", true), "a\n\tb\x1b[31mc\x1b[0m");
  EXPECT_EQ(escape_lines("a\x1b[31mc", false), "a\\x1b[31mc");
  EXPECT_EQ(escape_lines("\x1b[2J\x1b]0;title\x07", true), "\\x1b[2J\\x1b]0;title\\x07");
  EXPECT_EQ(escape_lines("Gr\u00fc\u202e\xff\n", true), "Gr\u00fc\\u{202e}\\xff\n");
}

TEST(EscapeLines, LeavesWhatWasEscapedAlone) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const std::string once = escape_for_terminal(text);
    RC_ASSERT(escape_lines(once, false) == once);
    RC_ASSERT(escape_for_terminal(text).find('\x1b') == std::string::npos);
  }));
}

TEST(EscapeJson, WritesHostileCharactersAsTheirNumbers) {
  EXPECT_EQ(escape_json("{\n  \"a\": \"Gr\u00fc\x7f\u009b\u202e\"\n}"),
            "{\n  \"a\": \"Gr\u00fc\\u007f\\u009b\\u202e\"\n}");
  EXPECT_EQ(escape_json("\"\U000e0041\""), "\"\\udb40\\udc41\"");
}

TEST(Escape, NeverLetsAControlByteThrough) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    for (const char c : escape_for_terminal(text)) {
      RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
      RC_ASSERT(c != 0x7f);
    }
  }));
}

TEST(Escape, IsIdempotent) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const std::string once = escape_for_terminal(text);
    RC_ASSERT(escape_for_terminal(once) == once);
  }));
}

TEST(QuoteForShell, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(quote_for_shell("./csvsum"), "./csvsum");
  EXPECT_EQ(quote_for_shell(""), "''");
  EXPECT_EQ(quote_for_shell("a b"), "'a b'");
  EXPECT_EQ(quote_for_shell("it's"), "'it'\\''s'");
  EXPECT_EQ(quote_for_shell("$HOME"), "'$HOME'");
}

}  // namespace
}  // namespace twinrun
