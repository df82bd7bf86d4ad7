// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(FormatCount, KeepsThreeDigits) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1.0 k");
  EXPECT_EQ(format_count(138214), "138 k");
  EXPECT_EQ(format_count(999999), "1.0 M");
  EXPECT_EQ(format_count(62'300'000), "62.3 M");
}

TEST(FormatSize, UsesBinaryUnits) {
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(1023), "1023 B");
  EXPECT_EQ(format_size(1024), "1.0 KiB");
  EXPECT_EQ(format_size(uint64_t{3} << 30), "3.0 GiB");
}

TEST(FormatDuration, ChoosesTheUnit) {
  EXPECT_EQ(format_duration(0.44), "0.4 s");
  EXPECT_EQ(format_duration(42.2), "42 s");
  EXPECT_EQ(format_duration(200), "3 min 20 s");
  EXPECT_EQ(format_duration(7500), "2 h 5 min");
}

TEST(BaseName, IsBehindTheLastSlash) {
  EXPECT_EQ(base_name("/usr/bin/sort"), "sort");
  EXPECT_EQ(base_name("sort"), "sort");
  EXPECT_EQ(base_name("/usr/"), "");
  EXPECT_EQ(base_name(""), "");
}

TEST(HexText, HasTwoDigitsForEachByte) {
  EXPECT_EQ(hex_text(Bytes{0x00, 0xff, 0x1a}), "00ff1a");
  EXPECT_EQ(hex_text({}), "");
}

TEST(ParseSize, TakesSuffixes) {
  EXPECT_EQ(parse_size("0").value(), 0u);
  EXPECT_EQ(parse_size("4096").value(), 4096u);
  EXPECT_EQ(parse_size("64K").value(), 65536u);
  EXPECT_EQ(parse_size("64k").value(), 65536u);
  EXPECT_EQ(parse_size("1.5G").value(), uint64_t{3} << 29);
  EXPECT_EQ(parse_size("2MiB").value(), 2u << 20);
  EXPECT_EQ(parse_size("7B").value(), 7u);
}

TEST(ParseSize, RejectsEverythingElse) {
  for (const char* text :
       {"", "K", "-1", "1X", "1KK", "1 K", "nan", "inf", "1e3", "99999999T", "5iB", "0x10"}) {
    EXPECT_FALSE(parse_size(text).has_value()) << text;
  }
}

TEST(CutText, LeavesOutWholeCharacters) {
  EXPECT_EQ(cut_text("short", 5), "short");
  EXPECT_EQ(cut_text("longer", 5), "lo...");
  EXPECT_EQ(cut_text("\u00e4\u00f6\u00fc\u00df", 4), "\u00e4\u00f6\u00fc\u00df");
  EXPECT_EQ(cut_text("\u00e4\u00f6\u00fc\u00df!", 4), "\u00e4...");
}

}  // namespace
}  // namespace twinrun
