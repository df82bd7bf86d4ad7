// SPDX-License-Identifier: MIT
#include "report/table.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(TextTable, AlignsColumnsAndLeavesNoTrailingBlanks) {
  TextTable table({{"NAME"}, {"SIZE", TextTable::Align::kRight}, {"STATE"}});
  table.add_row({"gzip-1", "12", ""});
  table.add_row({"a", "1234", "partial"});
  EXPECT_EQ(table.render(),
            "NAME    SIZE  STATE\n"
            "gzip-1    12\n"
            "a       1234  partial\n");
}

TEST(TextTable, CountsColumnsNotBytes) {
  TextTable table({{""}, {""}});
  table.add_row({"é", "x"});
  table.add_row({"日本", "y"});
  EXPECT_EQ(table.render(), "é     x\n日本  y\n");
}

TEST(DisplayWidth, KnowsWideAndCombiningCharacters) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("日本"), 4u);
}

}  // namespace
}  // namespace twinrun
