// SPDX-License-Identifier: MIT
#include "match/order.h"

#include <algorithm>

namespace twinrun {

Chain::Chain(std::span<const std::pair<uint32_t, uint32_t>> pairs) {
  // Patience sorting: ends[k] is the pair with the least second that ends a chain of length k+1.
  std::vector<size_t> ends;
  std::vector<size_t> before(pairs.size(), pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto it = std::ranges::lower_bound(ends, pairs[i].second, {},
                                             [&](size_t e) { return pairs[e].second; });
    if (it != ends.begin()) before[i] = *std::prev(it);
    if (it == ends.end())
      ends.push_back(i);
    else
      *it = i;
  }
  for (size_t i = ends.empty() ? pairs.size() : ends.back(); i != pairs.size(); i = before[i]) {
    links_[0].push_back(pairs[i].first);
    links_[1].push_back(pairs[i].second);
  }
  for (auto& links : links_) std::ranges::reverse(links);
}

size_t Chain::gap(Side side, uint32_t number) const {
  const auto& links = links_[static_cast<size_t>(side)];
  return static_cast<size_t>(std::ranges::lower_bound(links, number) - links.begin());
}

std::vector<std::pair<uint32_t, uint32_t>> pair_in_order(const Chain& chain,
                                                         std::span<const uint32_t> old_ones,
                                                         std::span<const uint32_t> new_ones) {
  std::vector<std::pair<uint32_t, uint32_t>> out;
  size_t i = 0;
  size_t j = 0;
  while (i < old_ones.size() && j < new_ones.size()) {
    const size_t gap_i = chain.gap(Side::kOld, old_ones[i]);
    const size_t gap_j = chain.gap(Side::kNew, new_ones[j]);
    size_t end_i = i;
    size_t end_j = j;
    while (end_i < old_ones.size() && chain.gap(Side::kOld, old_ones[end_i]) == gap_i) ++end_i;
    while (end_j < new_ones.size() && chain.gap(Side::kNew, new_ones[end_j]) == gap_j) ++end_j;
    if (gap_i < gap_j) {
      i = end_i;
    } else if (gap_j < gap_i) {
      j = end_j;
    } else {
      if (end_i - i == end_j - j)
        for (size_t k = 0; k < end_i - i; ++k) out.emplace_back(old_ones[i + k], new_ones[j + k]);
      i = end_i;
      j = end_j;
    }
  }
  return out;
}

Chain chain_of(const Pairing& matched) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (uint32_t p = 0; p < matched.size(Side::kOld); ++p)
    if (matched.has(Side::kOld, p)) pairs.emplace_back(p, matched.partner(Side::kOld, p));
  return Chain(pairs);
}

}  // namespace twinrun
