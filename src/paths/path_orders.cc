// SPDX-License-Identifier: MIT
#include "paths/path_orders.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace twinrun {

void PathOrders::add(const PathGrams& grams) {
  segments_ += grams.segments.size();
  grams_ += grams.grams.size();
  for (const PathGrams::Gram& gram : grams.grams)
    functions_[grams.segments[gram.segment].function].executed += gram.count;
  // With an order, those are one gram whose segments are equal and as many runs as it leaves.
  std::vector<std::pair<uint32_t, uint64_t>> different;
  for (uint32_t order = 1; order <= PathGrams::kMostOrder; ++order) {
    different.clear();
    for (const PathGrams::Gram& gram : grams.grams)
      different.emplace_back(
          grams.segments[gram.segment].function,
          XXH3_64bits_withSeed(gram.history.data(), (order - 1) * sizeof(PathGrams::Run),
                               gram.segment));
    std::ranges::sort(different);
    different.erase(std::ranges::unique(different).begin(), different.end());
    for (const auto& [function, hash] : different) ++functions_[function].grams[order];
  }
}

uint32_t PathOrders::order_at(const OfFunction& function, uint64_t price) {
  // What an order costs beyond the smallest, against how much is executed.
  constexpr double kScale = 1u << 20;
  uint32_t order = function.order;
  while (order > 1 && static_cast<double>(function.grams[order] - function.grams[1]) * kScale >
                          static_cast<double>(price) * static_cast<double>(function.executed))
    --order;
  return order;
}

void PathOrders::choose(size_t most_grams) {
  uint64_t low = 0;  // a price that is low enough
  for (uint64_t high = uint64_t{1} << 50; low + 1 < high;) {
    const uint64_t half = low + (high - low) / 2;
    size_t sum = 0;
    for (const auto& [number, function] : functions_)
      sum += function.grams[order_at(function, half)];
    (sum <= most_grams ? low : high) = half;
  }
  grams_ = 0;
  for (auto& [number, function] : functions_) {
    function.order = order_at(function, low);
    grams_ += function.grams[function.order];
  }
}

uint32_t PathOrders::of(uint32_t function) const {
  const auto it = functions_.find(function);
  return it == functions_.end() ? PathGrams::kMostOrder : it->second.order;
}

}  // namespace twinrun
