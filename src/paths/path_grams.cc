// SPDX-License-Identifier: MIT
#include "paths/path_grams.h"

#include <algorithm>
#include <map>
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

PathGrams PathGrams::part(uint32_t begin, uint32_t end) const {
  PathGrams out;
  out.events = events;
  for (uint32_t s = begin; s < end; ++s) {
    const Segment& segment = segments[s];
    Segment& copy = out.segments.emplace_back(segment);
    copy.shape -= begin;
    copy.blocks_at = static_cast<uint32_t>(out.blocks.size());
    copy.stretches_at = static_cast<uint32_t>(out.stretches.size());
    const auto own = blocks_of(segment);
    const auto parts = stretches_of(segment);
    out.blocks.insert(out.blocks.end(), own.begin(), own.end());
    out.stretches.insert(out.stretches.end(), parts.begin(), parts.end());
  }
  for (const Gram& gram : grams) {
    if (gram.segment < begin || gram.segment >= end) continue;
    Gram& copy = out.grams.emplace_back(gram);
    copy.segment -= begin;
    for (Run& run : copy.history)
      if (run.exists()) run = {run.shape() - begin, run.turns()};
    copy.ranges_at = static_cast<uint32_t>(out.ranges.size());
    const auto own = std::span(ranges).subspan(gram.ranges_at, segments[gram.segment].stretches);
    out.ranges.insert(out.ranges.end(), own.begin(), own.end());
  }
  return out;
}

void PathGrams::limit_order(uint32_t most) {
  for (Segment& segment : segments) segment.order = std::min(segment.order, most);
  settle();
}

void PathGrams::reduce_to(size_t most_grams) {
  // How many grams each function has with each order, from what they would be joined to.
  struct OfFunction {
    std::array<size_t, kMostOrder + 1> grams{};
    uint64_t executed = 0;  // segments
  };
  std::map<uint32_t, OfFunction> functions;
  PathGrams joined = *this;
  for (uint32_t order = kMostOrder; order > 0; --order) {
    joined.limit_order(order);
    for (const Gram& gram : joined.grams) {
      OfFunction& function = functions[segments[gram.segment].function];
      ++function.grams[order];
      if (order == 1) function.executed += gram.count;
    }
  }
  // What an order costs beyond the smallest, against how much is executed.
  constexpr double kScale = 1u << 20;
  const auto order_of = [&](const OfFunction& function, uint64_t price) {
    uint32_t order = kMostOrder;
    while (order > 1 && static_cast<double>(function.grams[order] - function.grams[1]) * kScale >
                            static_cast<double>(price) * static_cast<double>(function.executed))
      --order;
    return order;
  };
  uint64_t low = 0;  // a price that is low enough
  for (uint64_t high = uint64_t{1} << 50; low + 1 < high;) {
    const uint64_t half = low + (high - low) / 2;
    size_t sum = 0;
    for (const auto& [number, function] : functions)
      sum += function.grams[order_of(function, half)];
    (sum <= most_grams ? low : high) = half;
  }
  for (Segment& segment : segments)
    segment.order = std::min(segment.order, order_of(functions[segment.function], low));
  settle();
}

}  // namespace twinrun
