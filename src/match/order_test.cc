// SPDX-License-Identifier: MIT
#include "match/order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace twinrun {
namespace {

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

TEST(Chain, LeavesOutWhatCrosses) {
  const Pairs pairs{{1, 1}, {2, 9}, {3, 3}, {5, 4}};
  const Chain chain(pairs);
  EXPECT_EQ(chain.gap(Side::kOld, 0), 0u);
  EXPECT_EQ(chain.gap(Side::kOld, 2), 1u);
  EXPECT_EQ(chain.gap(Side::kNew, 2), 1u);
  EXPECT_EQ(chain.gap(Side::kOld, 4), 2u);
  EXPECT_EQ(chain.gap(Side::kNew, 9), 3u);
}

TEST(PairInOrder, PairsWhereThereAreAsMany) {
  const Chain chain(Pairs{{10, 20}});
  const std::vector<uint32_t> olds{1, 2, 11};
  const std::vector<uint32_t> news{5, 6, 21, 22};
  EXPECT_EQ(pair_in_order(chain, olds, news), (Pairs{{1, 5}, {2, 6}}));
}

// The chain ascends on both sides, is a part of the pairs, and no single pair could be added to it.
RC_GTEST_PROP(Chain, Ascends, ()) {
  const auto set = *rc::gen::container<std::set<uint32_t>>(rc::gen::inRange(0u, 60u));
  std::vector<uint32_t> olds(set.begin(), set.end());
  std::vector<uint32_t> news =
      *rc::gen::map(rc::gen::just(olds), [](std::vector<uint32_t> v) { return v; });
  const auto swaps = *rc::gen::container<std::vector<std::pair<uint32_t, uint32_t>>>(
      rc::gen::pair(rc::gen::inRange(0u, 60u), rc::gen::inRange(0u, 60u)));
  for (const auto& [i, j] : swaps)
    if (i < news.size() && j < news.size()) std::swap(news[i], news[j]);
  Pairs pairs;
  for (size_t i = 0; i < olds.size(); ++i) pairs.emplace_back(olds[i], news[i]);
  const Chain chain(pairs);
  size_t links = 0;
  for (const auto& [a, b] : pairs) {
    const bool before = chain.gap(Side::kOld, a + 1) != chain.gap(Side::kOld, a);
    const bool behind = chain.gap(Side::kNew, b + 1) != chain.gap(Side::kNew, b);
    const bool is_link = before && behind && chain.gap(Side::kOld, a) == chain.gap(Side::kNew, b);
    links += is_link ? 1 : 0;
    // What is no link of the chain crosses one.
    if (!before && !behind) RC_ASSERT(chain.gap(Side::kOld, a) != chain.gap(Side::kNew, b));
  }
  RC_ASSERT(links == chain.gap(Side::kOld, ~0u));
  RC_ASSERT(links == chain.gap(Side::kNew, ~0u));
  // By the definition.
  std::vector<size_t> longest(pairs.size(), 1);
  size_t best = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      if (pairs[j].second < pairs[i].second) longest[i] = std::max(longest[i], longest[j] + 1);
    best = std::max(best, longest[i]);
  }
  RC_ASSERT(links == best);
}

}  // namespace
}  // namespace twinrun
