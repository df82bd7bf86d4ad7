// SPDX-License-Identifier: MIT
#include "report/source_root.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace twinrun {
namespace {

namespace fs = std::filesystem;

/// base/repo/.git, base/repo/src, base/link -> repo, base/bare.
class SourceRootOf : public testing::Test {
 protected:
  SourceRootOf() {
    std::string name = (fs::temp_directory_path() / "twinrun-root.XXXXXX").string();
    base_ = fs::canonical(mkdtemp(name.data()));
    fs::create_directories(base_ / "repo/.git");
    fs::create_directories(base_ / "repo/src/deep");
    fs::create_directory_symlink("repo", base_ / "link");
    fs::create_directories(base_ / "bare");
  }
  ~SourceRootOf() override { fs::remove_all(base_); }

  fs::path base_;
};

TEST_F(SourceRootOf, IsTheTopLevelOfTheRepository) {
  const SourceRoot root = SourceRoot::around(base_ / "repo/src/deep");
  EXPECT_EQ(root.path(), (base_ / "repo").string());
  EXPECT_EQ(root.inside((base_ / "repo/src/./deep/../a b.c").string()), "src/a b.c");
  EXPECT_EQ(root.inside("a.c"), "src/deep/a.c");
  EXPECT_EQ(root.inside("../../a.c"), "a.c");
}

TEST_F(SourceRootOf, HasNothingOfOtherDirectories) {
  const SourceRoot root = SourceRoot::around(base_ / "repo");
  EXPECT_EQ(root.inside("/usr/include/stdio.h"), std::nullopt);
  EXPECT_EQ(root.inside((base_ / "repository/a.c").string()), std::nullopt);
  EXPECT_EQ(root.inside("../a.c"), std::nullopt);
  EXPECT_EQ(root.inside(""), std::nullopt);
  EXPECT_EQ(root.inside("."), std::nullopt);
}

TEST_F(SourceRootOf, FindsFilesThatAreNamedThroughALink) {
  const SourceRoot root = SourceRoot::around(base_ / "link/src");
  EXPECT_EQ(root.path(), (base_ / "repo").string());
  EXPECT_EQ(root.inside((base_ / "link/src/gone.c").string()), "src/gone.c");
}

TEST_F(SourceRootOf, IsTheDirectoryWhereThereIsNoRepository) {
  // Unless the machine's temporary directory is in one.
  if (SourceRoot::around(base_).path() != base_.string()) GTEST_SKIP();
  EXPECT_EQ(SourceRoot::around(base_ / "bare").path(), (base_ / "bare").string());
}

}  // namespace
}  // namespace twinrun
