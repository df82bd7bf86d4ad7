// SPDX-License-Identifier: MIT
#include "explain/answer/page_data.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace twinrun {
namespace {

/// By turns aligned and not, with these lengths.
std::vector<PageCell> cells(const std::vector<uint16_t>& lengths) {
  std::vector<PageCell> out;
  uint64_t at = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const uint64_t end = at + lengths[i] + 1;
    PageCell cell{.a = {at, end}, .b = {at, end}};
    if (i % 2 == 0) {
      cell.aligned = end - at;
    } else {
      cell.only_a = cell.only_b = end - at;
      cell.divergences = 1;
    }
    at = end;
    out.push_back(cell);
  }
  return out;
}

RC_GTEST_PROP(MergeCells, LosesNothingAndKeepsTheLimit, (const std::vector<uint16_t>& lengths)) {
  const size_t limit = *rc::gen::inRange<size_t>(1, 40);
  const std::vector<PageCell> before = cells(lengths);
  const std::vector<PageCell> after = merge_cells(before, limit);
  // Half of the limit are long, and as many can stand between those.
  RC_ASSERT(after.size() <= 2 * limit + 1);
  uint64_t at = 0;
  PageCell sums;
  for (const PageCell& cell : after) {
    RC_ASSERT(cell.a.from == at && cell.b.from == at);
    at = cell.a.to;
    RC_ASSERT(cell.b.to == at);
    RC_ASSERT(cell.aligned + cell.only_a == cell.a.size());
    sums.divergences += cell.divergences;
    sums.only_b += cell.only_b;
  }
  for (const PageCell& cell : before) {
    sums.divergences -= cell.divergences;
    sums.only_b -= cell.only_b;
  }
  RC_ASSERT(sums.divergences == 0 && sums.only_b == 0);
  RC_ASSERT(at == (before.empty() ? 0 : before.back().a.to));
}

TEST(MergeCells, KeepsThePlaceOfTheLongestDivergence) {
  std::vector<PageCell> input = cells({0, 2, 0, 5, 0, 3, 0});
  input[1].at.function = "f";
  input[3].at.function = "g";
  input[5].at.function = "h";
  const std::vector<PageCell> joined = merge_cells(input, 1);
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_EQ(joined[0].at.function, "g");
  EXPECT_EQ(joined[0].divergences, 3u);
}

TEST(IsSourceFile, TakesNothingElse) {
  EXPECT_TRUE(is_source_file("/home/me/a.c"));
  EXPECT_TRUE(is_source_file("/usr/include/c++/12/vector"));
  EXPECT_FALSE(is_source_file("./stdlib/exit.c"));
  EXPECT_FALSE(is_source_file("/home/me/.ssh/id_ed25519"));
  EXPECT_FALSE(is_source_file("/usr/include/../../etc/shadow"));
  EXPECT_FALSE(is_source_file("/home/me/.c"));
  EXPECT_FALSE(is_source_file(""));
}

}  // namespace
}  // namespace twinrun
