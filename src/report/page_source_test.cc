// SPDX-License-Identifier: MIT
#include "report/page_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(CutSource, ShowsSmallFilesAsAWhole) {
  const PageSource source = cut_source("a\n\nb\n", {3}, 100, 1);
  EXPECT_EQ(source.lines, 3u);
  ASSERT_EQ(source.chunks.size(), 1u);
  EXPECT_EQ(source.chunks[0].lines, (std::vector<std::string>{"a", "", "b"}));
}

TEST(CutSource, ShowsLinesAroundThoseThatMatter) {
  std::string text;
  for (int i = 1; i <= 100; ++i) text += fmt::format("{}\n", i);
  const PageSource source = cut_source(text, {1, 50, 53, 100, 4000}, 10, 2);
  EXPECT_EQ(source.lines, 100u);
  ASSERT_EQ(source.chunks.size(), 3u);
  EXPECT_EQ(source.chunks[0].first, 1u);
  EXPECT_EQ(source.chunks[0].lines.size(), 3u);
  EXPECT_EQ(source.chunks[1].first, 48u);
  EXPECT_EQ(source.chunks[1].lines.front(), "48");
  EXPECT_EQ(source.chunks[1].lines.back(), "55");
  EXPECT_EQ(source.chunks[2].lines, (std::vector<std::string>{"98", "99", "100"}));
}

TEST(CutSource, CutsLongLines) {
  const PageSource source = cut_source(std::string(5000, 'x'), {1}, 10000, 1);
  EXPECT_LT(source.chunks.at(0).lines.at(0).size(), 1100u);
  EXPECT_NE(source.chunks[0].lines[0].find("4000 bytes more"), std::string::npos);
}

}  // namespace
}  // namespace twinrun
