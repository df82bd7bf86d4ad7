// SPDX-License-Identifier: MIT
#include "report/source_text.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(SourceDirectories, PutOneDirectoryForAnother) {
  SourceDirectories moved;
  moved.add("/build/csv/", "/home/ann/csv");
  EXPECT_EQ(moved.find("/build/csv/src/a.c"), "/home/ann/csv/src/a.c");
  EXPECT_EQ(moved.find("/build/csv"), "/home/ann/csv");
}

TEST(SourceDirectories, AreWholeNames) {
  SourceDirectories moved;
  moved.add("/build/csv", "/home/ann/csv");
  EXPECT_EQ(moved.find("/build/csvsum/a.c"), "/build/csvsum/a.c");
  EXPECT_EQ(moved.find("build/csv/a.c"), "build/csv/a.c");
}

TEST(SourceDirectories, TheLongestCountsWhateverTheOrder) {
  SourceDirectories moved;
  moved.add("/", "/root");
  moved.add("/a", "/one");
  moved.add("/a/b", "/two/");
  EXPECT_EQ(moved.find("/a/b/c.c"), "/two/c.c");
  EXPECT_EQ(moved.find("/a/c.c"), "/one/c.c");
  EXPECT_EQ(moved.find("/c.c"), "/root/c.c");
}

TEST(SourceText, HasNothingOfWhatIsNoFile) {
  SourceText sources;
  EXPECT_EQ(sources.line("", 1), "");
  EXPECT_EQ(sources.line("/dev/zero", 1), "");
  EXPECT_EQ(sources.contents("/nowhere.c"), std::nullopt);
  EXPECT_TRUE(sources.changed().empty());
}

TEST(SourceText, TakesLinesOfWhatIsThere) {
  SourceText sources;
  EXPECT_EQ(sources.line(__FILE__, 1), "// SPDX-License-Identifier: MIT");
  EXPECT_EQ(sources.line(__FILE__, 3), "");
  EXPECT_EQ(sources.line(__FILE__, 1'000'000), "");
}

}  // namespace
}  // namespace twinrun
