// SPDX-License-Identifier: MIT
#include "paths/path_grams.h"

#include "paths/path_orders.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace twinrun {

void PathGrams::settle() {
  std::vector<uint32_t> by_blocks(segments.size());
  std::iota(by_blocks.begin(), by_blocks.end(), 0);
  const auto compare_blocks = [&](const Segment& a, const Segment& b) {
    if (const auto c = a.function <=> b.function; c != 0) return c;
    const auto x = blocks_of(a);
    const auto y = blocks_of(b);
    return std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
  };
  const auto is_before = [&](uint32_t i, uint32_t j) {
    const Segment& a = segments[i];
    const Segment& b = segments[j];
    if (const auto c = compare_blocks(a, b); c != 0) return c < 0;
    const auto x = stretches_of(a);
    const auto y = stretches_of(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  };
  // What comes from a file is in order.
  if (!std::ranges::is_sorted(by_blocks, is_before)) std::ranges::sort(by_blocks, is_before);
  std::vector<uint32_t> numbers(segments.size());
  std::vector<Segment> ordered;
  std::vector<uint32_t> ordered_blocks;
  ordered.reserve(segments.size());
  ordered_blocks.reserve(blocks.size());
  const Segment* before = nullptr;
  for (const uint32_t old : by_blocks) {
    const auto number = static_cast<uint32_t>(ordered.size());
    numbers[old] = number;
    Segment segment = segments[old];
    const bool is_new = before == nullptr || compare_blocks(*before, segment) != 0;
    before = &segments[old];
    const auto own = blocks_of(segment);
    segment.shape = is_new ? number : ordered.back().shape;
    segment.blocks_at = static_cast<uint32_t>(ordered_blocks.size());
    ordered_blocks.insert(ordered_blocks.end(), own.begin(), own.end());
    ordered.push_back(segment);
  }
  for (Gram& gram : grams) {
    gram.segment = numbers[gram.segment];
    for (uint32_t i = 0; i < kMostOrder - 1; ++i) {
      Run& run = gram.history[i];
      if (i + 1 >= ordered[gram.segment].order) run = {};
      if (run.exists()) run = {ordered[numbers[run.shape()]].shape, run.turns()};
    }
  }
  segments = std::move(ordered);
  blocks = std::move(ordered_blocks);

  const auto comes_first = [](const Gram& a, const Gram& b) {
    return std::tie(a.history, a.segment) < std::tie(b.history, b.segment);
  };
  if (!std::ranges::is_sorted(grams, comes_first)) std::ranges::sort(grams, comes_first);
  std::vector<Gram> joined;
  std::vector<Range> joined_ranges;
  for (const Gram& gram : grams) {
    const uint32_t count = segments[gram.segment].stretches;
    const auto own = std::span(ranges).subspan(gram.ranges_at, count);
    if (!joined.empty() && joined.back().segment == gram.segment &&
        joined.back().history == gram.history) {
      joined.back().count += gram.count;
      for (uint32_t i = 0; i < count; ++i) joined_ranges[joined.back().ranges_at + i].add(own[i]);
      continue;
    }
    joined.push_back(gram);
    joined.back().ranges_at = static_cast<uint32_t>(joined_ranges.size());
    joined_ranges.insert(joined_ranges.end(), own.begin(), own.end());
  }
  grams = std::move(joined);
  ranges = std::move(joined_ranges);
}

void PathGrams::append(const PathGrams& others) {
  const auto first = static_cast<uint32_t>(segments.size());
  const auto first_range = static_cast<uint32_t>(ranges.size());
  for (Segment segment : others.segments) {
    segment.blocks_at += static_cast<uint32_t>(blocks.size());
    segment.stretches_at += static_cast<uint32_t>(stretches.size());
    segment.shape += first;
    segments.push_back(segment);
  }
  blocks.insert(blocks.end(), others.blocks.begin(), others.blocks.end());
  stretches.insert(stretches.end(), others.stretches.begin(), others.stretches.end());
  for (Gram gram : others.grams) {
    gram.segment += first;
    gram.ranges_at += first_range;
    for (Run& run : gram.history)
      if (run.exists()) run = {run.shape() + first, run.turns()};
    grams.push_back(gram);
  }
  ranges.insert(ranges.end(), others.ranges.begin(), others.ranges.end());
}

void PathGrams::limit_order(uint32_t most) {
  for (Segment& segment : segments) segment.order = std::min(segment.order, most);
  settle();
}

void PathGrams::reduce_to(size_t most_grams) {
  PathOrders orders;
  orders.add(*this);
  orders.choose(most_grams);
  for (Segment& segment : segments)
    segment.order = std::min(segment.order, orders.of(segment.function));
  settle();
}

}  // namespace twinrun
