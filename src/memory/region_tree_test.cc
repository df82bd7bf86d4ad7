// SPDX-License-Identifier: MIT
#include "memory/region_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace twinrun {
namespace {

using Kind = RegionLabel::Kind;
using Path = std::vector<RegionLabel>;

TEST(RegionTree, GivesTheSamePathTheSameNumberInTwoRuns) {
  RegionTree tree;
  const Path first{
      {Kind::kHeap}, RegionLabel::of({.site = 3, .outcome = 5, .count = 2}), {Kind::kSite, 9}};
  Path second = first;
  second[1].b = 3;  // the loop went round once more
  const RegionId a = tree.insert(first);
  const RegionId b = tree.insert(second);
  EXPECT_NE(a, b);
  EXPECT_EQ(tree.insert(first), a);  // of the other run
  EXPECT_EQ(tree.find(first), a);
  EXPECT_EQ(tree.path(b), second);
  tree.remove(a);
  EXPECT_EQ(tree.find(first), a) << "the other run still has it";
  tree.remove(a);
  EXPECT_EQ(tree.find(first), 0u);
  EXPECT_EQ(tree.find(second), b);
}

TEST(RegionTree, RemovesAncestorsWithoutChildren) {
  RegionTree tree;
  const Path outer{{Kind::kStack}, {Kind::kFrame, 1, 2}};
  const RegionId frame = tree.insert(outer);
  const RegionId inner = tree.insert_below(frame, {Kind::kFrame, 3, 4});
  EXPECT_EQ(tree.size(), 3u);
  EXPECT_EQ(tree.find_below(frame, {Kind::kFrame, 3, 4}), inner);
  tree.remove(frame);
  EXPECT_EQ(tree.size(), 3u) << "it has a child";
  tree.remove(inner);
  EXPECT_EQ(tree.size(), 0u);
  EXPECT_EQ(tree.deepest(), 3u);
}

TEST(RegionTree, HasExactlyTheLiveRegions) {
  std::mt19937 random(11);
  RegionTree tree;
  std::map<Path, std::pair<RegionId, int>> live;
  for (int i = 0; i < 4000; ++i) {
    if (!live.empty() && random() % 2 == 0) {
      auto it = live.begin();
      std::advance(it, random() % live.size());
      tree.remove(it->second.first);
      if (--it->second.second == 0) live.erase(it);
      continue;
    }
    Path path{{Kind::kHeap}};
    for (size_t n = random() % 4; n > 0; --n)
      path.push_back(RegionLabel::of(
          {.site = static_cast<CodeNode>(random() % 3 + 1), .count = random() % 2 + 1}));
    auto& entry = live[path];
    const RegionId id = tree.insert(path);
    if (entry.second++ > 0) {
      ASSERT_EQ(id, entry.first);
    }
    entry.first = id;
  }
  for (const auto& [path, entry] : live) {
    EXPECT_EQ(tree.find(path), entry.first);
    EXPECT_EQ(tree.path(entry.first), path);
  }
  for (const auto& [path, entry] : live)
    for (int n = 0; n < entry.second; ++n) tree.remove(entry.first);
  EXPECT_EQ(tree.size(), 0u);
}

TEST(RegionTree, KnowsAnEntryAgain) {
  const IndexEntry entry{
      .kind = IndexEntry::Kind::kBranch, .site = 7, .outcome = 0x80000001, .count = 12};
  EXPECT_EQ(RegionLabel::of(entry).entry(), entry);
}

TEST(RegionTree, NumbersPlacesByBuildIdAndNotByPath) {
  RegionTree tree;
  const Bytes id{1, 2, 3};
  const uint32_t place = tree.place({{"/a/prog", id, true}, 0x1234});
  EXPECT_EQ(tree.place({{"/b/prog", id, true}, 0x1234}), place);
  EXPECT_NE(tree.place({{"/a/prog", id, true}, 0x1235}), place);
  EXPECT_NE(tree.place({{"/a/prog", {}, true}, 0x1234}), place);
  EXPECT_EQ(tree.place_of(place)->address, ModuleAddr{0x1234});
  EXPECT_EQ(tree.place_of(0), nullptr);
}

}  // namespace
}  // namespace twinrun
