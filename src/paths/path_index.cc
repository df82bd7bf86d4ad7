// SPDX-License-Identifier: MIT
// A path is cut into parts where it goes backward or stays, as invocations are cut into segments.
// So where a path was executed,
//     one part    is inside of a segment: no block is twice in one, so at most once in each;
//     two parts   are the end of a segment and the beginning of the one that follows it;
//     more parts  have whole segments between those two.
// The whole segments are some runs of shapes. A gram counts when its segment begins with the last
// part and the nearest runs of its history are those; of the farthest of them it can have had more
// turns, one of which then is the first part's segment, if it ends with that; if it had as many,
// the run in front of it must end with the first part. All but the last condition are looked up in
// order; the entries that are left are few: docs/decisions/0038-paths-index.md has numbers. One
// part is found by its rarest block.
//
// The end of a path is in the last segment's stretch that holds it, and the positions of a stretch
// follow from its blocks' lengths: first and last position of that stretch give those of the path's
// end.
#include "paths/path_index.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <tuple>

namespace twinrun {
namespace {

/// Where it goes backward or stays a new part begins.
std::vector<std::span<const uint32_t>> path_parts(std::span<const uint32_t> blocks) {
  std::vector<std::span<const uint32_t>> parts;
  size_t begin = 0;
  for (size_t i = 1; i <= blocks.size(); ++i) {
    if (i < blocks.size() && blocks[i] > blocks[i - 1]) continue;
    parts.push_back(blocks.subspan(begin, i - begin));
    begin = i;
  }
  return parts;
}

}  // namespace

PathIndex::PathIndex(PathGrams grams, PathLengths lengths)
    : lengths_(std::move(lengths)), grams_(std::move(grams)) {
  for (uint32_t s = 0; s < grams_.segments.size(); ++s) {
    SegmentRange& own = segments_of_.try_emplace(grams_.segments[s].function, s, s).first->second;
    own.end = s + 1;
  }
}

PathIndex::Lookup& PathIndex::lookup(SegmentRange own) const {
  std::unique_ptr<Lookup>& made = made_[own.begin];
  if (!made) made = std::make_unique<Lookup>();
  return *made;
}

const PathIndex::Table& PathIndex::table(SegmentRange own, uint32_t runs) const {
  std::optional<Table>& table = lookup(own).tables[runs];
  if (!table) table = make_table(own, runs);
  return *table;
}

const std::vector<uint32_t>& PathIndex::postings(SegmentRange own) const {
  std::vector<uint32_t>& made = lookup(own).postings;
  if (made.empty()) made = make_postings(own);
  return made;
}

void PathIndex::make_all() const {
  for (const auto& [function, own] : segments_of_) {
    for (uint32_t runs = 0; runs < PathGrams::kMostOrder; ++runs) table(own, runs);
    postings(own);
  }
}

PathIndex::Table PathIndex::make_table(SegmentRange own, uint32_t runs) const {
  Table table;
  table.runs = runs;
  if (runs >= grams_.segments[own.begin].order) return table;
  // Grams are in order: those without history first, by segment, then by the shape of the nearest
  // run.
  std::vector<uint32_t> entries;
  const auto add_between = [&](const auto& is_before, const auto& is_within) {
    const auto first = std::ranges::partition_point(grams_.grams, is_before);
    for (auto gram = first; gram != grams_.grams.end() && is_within(*gram); ++gram)
      entries.push_back(static_cast<uint32_t>(gram - grams_.grams.begin()));
  };
  using Gram = PathGrams::Gram;
  if (runs == 0)
    add_between([&](const Gram& g) { return !g.history[0].exists() && g.segment < own.begin; },
                [&](const Gram& g) { return !g.history[0].exists() && g.segment < own.end; });
  add_between(
      [&](const Gram& g) { return !g.history[0].exists() || g.history[0].shape() < own.begin; },
      [&](const Gram& g) { return g.history[0].shape() < own.end; });
  // With more than one run the farthest may be missing: what is in front of it is then not asked.
  const uint32_t needed = runs > 1 ? runs - 1 : runs;
  if (needed > 1)
    std::erase_if(entries,
                  [&](uint32_t g) { return !grams_.grams[g].history[needed - 1].exists(); });
  const auto compare = [&](const Gram& a, const Gram& b) {
    const auto c = std::lexicographical_compare_three_way(
        a.history.begin(), a.history.begin() + runs, b.history.begin(), b.history.begin() + runs);
    return c != 0 ? c : a.segment <=> b.segment;
  };
  if (runs + 1 < PathGrams::kMostOrder)
    std::ranges::sort(entries, [&](uint32_t i, uint32_t j) {
      return compare(grams_.grams[i], grams_.grams[j]) < 0;
    });
  const Gram* last = nullptr;
  for (const uint32_t entry : entries) {
    const Gram& gram = grams_.grams[entry];
    const uint32_t stretches = grams_.segments[gram.segment].stretches;
    const auto ranges = std::span(grams_.ranges).subspan(gram.ranges_at, stretches);
    if (last != nullptr && compare(*last, gram) == 0) {
      table.counts.back() += gram.count;
      for (uint32_t i = 0; i < stretches; ++i)
        table.ranges[table.ranges_at.back() + i].add(ranges[i]);
      continue;
    }
    last = &gram;
    table.histories.insert(table.histories.end(), gram.history.begin(),
                           gram.history.begin() + runs);
    table.segments.push_back(gram.segment);
    table.counts.push_back(gram.count);
    table.ranges_at.push_back(static_cast<uint32_t>(table.ranges.size()));
    table.ranges.insert(table.ranges.end(), ranges.begin(), ranges.end());
  }
  table.histories.shrink_to_fit();
  table.segments.shrink_to_fit();
  table.counts.shrink_to_fit();
  table.ranges_at.shrink_to_fit();
  table.ranges.shrink_to_fit();
  return table;
}

std::vector<uint32_t> PathIndex::make_postings(SegmentRange own) const {
  // Segments of a function are next to each other, and so are their blocks.
  const uint32_t begin = grams_.segments[own.begin].blocks_at;
  const PathGrams::Segment& last = grams_.segments[own.end - 1];
  const auto blocks = std::span(grams_.blocks).subspan(begin, last.blocks_at + last.blocks - begin);
  std::vector<uint32_t> out(blocks.size());
  const uint32_t greatest = std::ranges::max(blocks);
  if (greatest / 16 > blocks.size()) {
    // Few blocks with great numbers.
    std::iota(out.begin(), out.end(), begin);
    std::ranges::stable_sort(out, {}, [&](uint32_t place) { return grams_.blocks[place]; });
    return out;
  }
  std::vector<uint32_t> starts(size_t{greatest} + 2);
  for (const uint32_t block : blocks) ++starts[block + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  for (uint32_t i = 0; i < blocks.size(); ++i) out[starts[blocks[i]]++] = begin + i;
  return out;
}

std::vector<PathIndex::Segment> PathIndex::segments() const {
  std::vector<Segment> out;
  std::vector<uint32_t> numbers(grams_.segments.size(), ~0u);  // in `out`, by shape
  for (const PathGrams::Segment& segment : grams_.segments) {
    if (numbers[segment.shape] != ~0u) continue;
    numbers[segment.shape] = static_cast<uint32_t>(out.size());
    out.push_back({segment.function, grams_.blocks_of(segment), 0});
  }
  for (const PathGrams::Gram& gram : grams_.grams)
    out[numbers[grams_.segments[gram.segment].shape]].count += gram.count;
  return out;
}

std::vector<PathIndex::Pair> PathIndex::pairs() const {
  boost::unordered_flat_map<uint64_t, uint64_t> counts;
  for (const PathGrams::Gram& gram : grams_.grams)
    if (gram.history[0].exists())
      counts[uint64_t{gram.history[0].shape()} << 32 | grams_.segments[gram.segment].shape] +=
          gram.count;
  std::vector<Pair> out;
  for (const auto& [key, count] : counts) {
    const PathGrams::Segment& first = grams_.segments[key >> 32];
    const PathGrams::Segment& second = grams_.segments[key & 0xffffffff];
    out.push_back({first.function, grams_.blocks_of(first), grams_.blocks_of(second), count});
  }
  std::ranges::sort(out, [](const Pair& a, const Pair& b) {
    return std::tuple(a.function, a.first.data(), a.second.data()) <
           std::tuple(b.function, b.first.data(), b.second.data());
  });
  return out;
}

uint32_t PathIndex::order(uint32_t function) const {
  const auto it = segments_of_.find(function);
  return it == segments_of_.end() ? PathGrams::kMostOrder : grams_.segments[it->second.begin].order;
}

size_t PathIndex::memory() const {
  size_t sum = (grams_.blocks.size() + grams_.stretches.size()) * 4 +
               grams_.segments.size() * sizeof(PathGrams::Segment) +
               grams_.grams.size() * sizeof(PathGrams::Gram) +
               grams_.ranges.size() * sizeof(PathGrams::Range) +
               segments_of_.size() * sizeof(std::pair<uint32_t, SegmentRange>);
  for (const auto& [function, made] : made_) {
    sum += sizeof(Lookup) + made->postings.size() * 4;
    for (const std::optional<Table>& table : made->tables)
      if (table)
        sum += table->histories.size() * sizeof(PathGrams::Run) + table->size() * 16 +
               table->ranges.size() * sizeof(PathGrams::Range);
  }
  return sum;
}

void PathIndex::add(PathCount& out, const Table& table, size_t entry, uint32_t block) const {
  const PathGrams::Segment& segment = grams_.segments[table.segments[entry]];
  const auto stretches = grams_.stretches_of(segment);
  const auto behind = std::ranges::upper_bound(stretches, block);
  const auto stretch = static_cast<uint32_t>(behind - stretches.begin()) - 1;
  const PathGrams::Range& range = table.ranges[table.ranges_at[entry] + stretch];
  const auto blocks = grams_.blocks_of(segment);
  uint64_t offset = 0;
  for (uint32_t i = stretches[stretch]; i < block; ++i)
    offset += lengths_.of(segment.function, blocks[i]);
  if (out.count == 0) out.last = 0;
  out.count += table.counts[entry];
  out.first = std::min(out.first, range.first + offset);
  out.last = std::max(out.last, range.last + offset);
}

PathIndex::SegmentRange PathIndex::with_prefix(std::span<const uint32_t> part,
                                               SegmentRange own) const {
  const auto compare = [&](const PathGrams::Segment& segment) {
    const auto blocks = grams_.blocks_of(segment);
    const auto head = blocks.first(std::min(blocks.size(), part.size()));
    return std::lexicographical_compare_three_way(head.begin(), head.end(), part.begin(),
                                                  part.end());
  };
  const auto begin = grams_.segments.begin();
  const auto first = std::partition_point(begin + own.begin, begin + own.end,
                                          [&](const auto& s) { return compare(s) < 0; });
  const auto behind =
      std::partition_point(first, begin + own.end, [&](const auto& s) { return compare(s) == 0; });
  return {static_cast<uint32_t>(first - begin), static_cast<uint32_t>(behind - begin)};
}

std::optional<uint32_t> PathIndex::shape_of(std::span<const uint32_t> part,
                                            SegmentRange own) const {
  // Of the segments that begin so, the shortest is the first.
  const SegmentRange range = with_prefix(part, own);
  if (range.begin == range.end || grams_.segments[range.begin].blocks != part.size())
    return std::nullopt;
  return grams_.segments[range.begin].shape;
}

bool PathIndex::ends_with(uint32_t shape, std::span<const uint32_t> part) const {
  const auto blocks = grams_.blocks_of(grams_.segments[shape]);
  return blocks.size() >= part.size() && std::ranges::equal(blocks.last(part.size()), part);
}

PathCount PathIndex::find_inside(std::span<const uint32_t> part, SegmentRange own) const {
  const std::vector<uint32_t>& places = postings(own);
  const Table& whole = table(own, 0);
  std::span<const uint32_t> rarest;
  size_t rarest_at = 0;
  for (size_t i = 0; i < part.size(); ++i) {
    const auto range = std::ranges::equal_range(
        places, part[i], {}, [&](uint32_t place) { return grams_.blocks[place]; });
    if (range.empty()) return {};
    if (i > 0 && range.size() >= rarest.size()) continue;
    rarest = {range.begin(), range.end()};
    rarest_at = i;
  }
  PathCount out;
  for (const uint32_t place : rarest) {
    const auto behind = std::upper_bound(
        grams_.segments.begin() + own.begin, grams_.segments.begin() + own.end, place,
        [](uint32_t at, const PathGrams::Segment& s) { return at < s.blocks_at; });
    const PathGrams::Segment& segment = *std::prev(behind);
    const uint32_t in_segment = place - segment.blocks_at;
    if (in_segment < rarest_at || in_segment - rarest_at + part.size() > segment.blocks) continue;
    const auto start = in_segment - static_cast<uint32_t>(rarest_at);
    if (!std::ranges::equal(grams_.blocks_of(segment).subspan(start, part.size()), part)) continue;
    // The table without history has each segment once, in their order.
    add(out, whole, static_cast<size_t>(&segment - grams_.segments.data()) - own.begin,
        start + static_cast<uint32_t>(part.size()) - 1);
  }
  return out;
}

std::optional<PathCount> PathIndex::find_across(std::span<const std::span<const uint32_t>> parts,
                                                SegmentRange own) const {
  using Shapes = PathGrams::Run;
  const SegmentRange last = with_prefix(parts.back(), own);
  if (last.begin == last.end) return PathCount{};
  std::vector<Shapes> middle;  // the nearest first
  for (size_t i = parts.size() - 1; i-- > 1;) {
    const auto shape = shape_of(parts[i], own);
    if (!shape) return PathCount{};
    if (middle.empty() || !middle.back().is_of(*shape)) {
      middle.emplace_back(*shape, 1);
    } else if (middle.back().turns() < Shapes::kMostTurns) {
      middle.back() = {*shape, middle.back().turns() + 1};
    }
  }
  // A run of kMostTurns can be of any number from there on.
  for (const Shapes run : middle)
    if (run.turns() == Shapes::kMostTurns) return std::nullopt;
  if (middle.size() + 1 >= grams_.segments[own.begin].order) return std::nullopt;
  const Table& table = this->table(own, static_cast<uint32_t>(middle.size()) + 1);
  const size_t exact = middle.empty() ? 0 : middle.size() - 1;
  // Where the entries with the exact runs, and then with the farthest one's shape, begin. Without a
  // middle: all of the function, whose shapes are next to each other.
  const auto compare = [&](size_t entry) -> std::strong_ordering {
    const Shapes* history = table.history(entry);
    if (middle.empty())
      return history->shape() < own.begin ? std::strong_ordering::less
             : history->shape() < own.end ? std::strong_ordering::equal
                                          : std::strong_ordering::greater;
    for (size_t i = 0; i < exact; ++i)
      if (const auto c = history[i] <=> middle[i]; c != 0) return c;
    return history[exact].shape() <=> middle[exact].shape();
  };
  size_t low = 0;
  for (size_t high = table.size(); low < high;) {
    const size_t half = low + (high - low) / 2;
    if (compare(half) < 0) {
      low = half + 1;
    } else {
      high = half;
    }
  }
  const bool repeats_first = !middle.empty() && ends_with(middle.back().shape(), parts.front());
  PathCount out;
  uint32_t shape = ~0u;
  bool fits = false;
  for (size_t entry = low; entry < table.size() && compare(entry) == 0; ++entry) {
    if (table.segments[entry] < last.begin || table.segments[entry] >= last.end) continue;
    const Shapes* history = table.history(entry);
    if (!middle.empty()) {
      const uint32_t turns = history[exact].turns();
      if (turns < middle.back().turns()) continue;
      if (turns > middle.back().turns()) {
        if (repeats_first) add(out, table, entry, static_cast<uint32_t>(parts.back().size()) - 1);
        continue;
      }
    }
    const Shapes first = history[middle.size()];
    if (!first.exists()) continue;
    if (first.shape() != shape) {
      shape = first.shape();
      fits = ends_with(shape, parts.front());
    }
    if (fits) add(out, table, entry, static_cast<uint32_t>(parts.back().size()) - 1);
  }
  return out;
}

std::optional<PathCount> PathIndex::find(const PathQuery& query) const {
  const auto it = segments_of_.find(query.function);
  if (it == segments_of_.end()) return PathCount{};
  const SegmentRange own = it->second;
  const std::vector<std::span<const uint32_t>> parts = path_parts(query.blocks);
  const auto known = [&](std::span<const std::span<const uint32_t>> some) {
    return some.size() == 1 ? find_inside(some[0], own) : find_across(some, own);
  };
  std::span<const std::span<const uint32_t>> rest = parts;
  for (;;) {
    if (auto found = known(rest)) return found;
    // When whatever goes on like the path comes from its first part, that says nothing: it ends
    // where the rest does.
    size_t length = rest.size() - 1;
    std::optional<PathCount> with_first;
    while (length > 1 && !(with_first = known(rest.first(length)))) --length;
    if (!with_first) break;
    if (with_first->count == 0) return PathCount{};
    const auto without = known(rest.subspan(1, length - 1));
    if (!without || without->count != with_first->count) break;
    rest = rest.subspan(1);
  }
  // What contains a path that was not executed was not executed either.
  const size_t order = std::min<size_t>(grams_.segments[own.begin].order, rest.size());
  for (size_t i = 0; i + order <= rest.size(); ++i)
    if (const auto part = known(rest.subspan(i, order)); part && part->count == 0)
      return PathCount{};
  return std::nullopt;
}

}  // namespace twinrun
