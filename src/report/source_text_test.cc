// SPDX-License-Identifier: MIT
#include "report/source_text.h"

#include "trace/trace_builder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace twinrun {
namespace {

TEST(SourceDirectories, PutOneDirectoryForAnother) {
  SourceDirectories moved;
  moved.add("/build/csv/", "/home/ann/csv");
  EXPECT_EQ(moved.find("/build/csv/src/a.c").path, "/home/ann/csv/src/a.c");
  EXPECT_EQ(moved.find("/build/csv").path, "/home/ann/csv");
  EXPECT_EQ(moved.find("/build/csv/a.c").by, NamedBy::kUser);
}

TEST(SourceDirectories, AreWholeNames) {
  SourceDirectories moved;
  moved.add("/build/csv", "/home/ann/csv");
  EXPECT_EQ(moved.find("/build/csvsum/a.c").path, "/build/csvsum/a.c");
  EXPECT_EQ(moved.find("build/csv/a.c").path, "build/csv/a.c");
  EXPECT_EQ(moved.find("build/csv/a.c").by, NamedBy::kBinary);
}

TEST(SourceDirectories, TheLongestCountsWhateverTheOrder) {
  SourceDirectories moved;
  moved.add("/", "/root");
  moved.add("/a", "/one");
  moved.add("/a/b", "/two/");
  EXPECT_EQ(moved.find("/a/b/c.c").path, "/two/c.c");
  EXPECT_EQ(moved.find("/a/c.c").path, "/one/c.c");
  EXPECT_EQ(moved.find("/c.c").path, "/root/c.c");
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

// A binary may come from anybody, and a report is sent on: neither may carry away other files.
TEST(ReadSource, TakesWhatABinaryNamesOnlyIfItIsASourceWhereItSays) {
  const TempDir dir;
  const auto put = [&](const std::string& name) {
    const std::string path = dir.file(name);
    std::ofstream(path) << "text";
    return path;
  };
  const auto is_read = [](const std::string& path, NamedBy by) {
    return read_source({path, by}).has_value();
  };
  const std::string source = put("a.c");
  const std::string key = put("id_rsa");
  EXPECT_TRUE(is_read(source, NamedBy::kBinary));
  EXPECT_TRUE(is_read(put("A.HPP"), NamedBy::kBinary));
  EXPECT_FALSE(is_read(key, NamedBy::kBinary));
  EXPECT_FALSE(is_read("/usr/include/../.." + key, NamedBy::kBinary)) << "the way back out";
  EXPECT_TRUE(is_read(key, NamedBy::kUser));
  std::filesystem::create_directory(dir.file("sub"));
  const std::string other = put("sub/other.c");
  std::filesystem::create_symlink("a.c", dir.file("beside.c"));
  std::filesystem::create_symlink(other, dir.file("elsewhere.c"));
  std::filesystem::create_symlink("../id_rsa", dir.file("sub/key.c"));
  std::filesystem::create_directory_symlink("sub", dir.file("link"));
  EXPECT_TRUE(is_read(dir.file("beside.c"), NamedBy::kBinary));
  EXPECT_FALSE(is_read(dir.file("elsewhere.c"), NamedBy::kBinary));
  EXPECT_TRUE(is_read(dir.file("elsewhere.c"), NamedBy::kUser));
  EXPECT_FALSE(is_read(dir.file("sub/key.c"), NamedBy::kBinary));
  EXPECT_TRUE(is_read(dir.file("link/other.c"), NamedBy::kBinary)) << "a directory may be a link";
}

}  // namespace
}  // namespace twinrun
