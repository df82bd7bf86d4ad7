// SPDX-License-Identifier: MIT
// Layout: the number of groups, the first function and the size of each, their bytes.
#include "paths/path_index_groups.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace twinrun {
Bytes PathIndexGroups::encode(const PathGrams& grams, int level, size_t group_grams) {
  std::vector<size_t> grams_of(grams.segments.size());  // by segment
  for (const PathGrams::Gram& gram : grams.grams) ++grams_of[gram.segment];
  ByteWriter head;
  Bytes body;
  uint64_t groups = 0;
  const auto end_of_function = [&](uint32_t segment) {
    const uint32_t function = grams.segments[segment].function;
    while (segment < grams.segments.size() && grams.segments[segment].function == function)
      ++segment;
    return segment;
  };
  for (uint32_t begin = 0; begin < grams.segments.size();) {
    size_t count = 0;
    uint32_t end = begin;
    while (end < grams.segments.size()) {
      const uint32_t next = end_of_function(end);
      const size_t more =
          std::accumulate(grams_of.begin() + end, grams_of.begin() + next, size_t{0});
      if (count > 0 && count + more > group_grams) break;
      count += more;
      end = next;
    }
    const Bytes coded = PathIndex::encode(grams.part(begin, end), level);
    head.varint(grams.segments[begin].function);
    head.varint(coded.size());
    body.insert(body.end(), coded.begin(), coded.end());
    ++groups;
    begin = end;
  }
  ByteWriter out;
  out.varint(groups);
  out.raw(head.bytes());
  out.raw(body);
  return out.take();
}

Result<PathIndexGroups> PathIndexGroups::open(ByteSpan bytes) {
  PathIndexGroups out;
  ByteReader in(bytes);
  const uint64_t groups = in.varint();
  if (in.failed() || groups > in.left())
    return fail("T006", "the index of paths has {} groups", groups);
  std::vector<uint64_t> sizes;
  for (uint64_t g = 0; g < groups; ++g) {
    const uint64_t function = in.varint();
    if (function >= PathEvent::kMostFunctions || (g > 0 && function <= out.groups_.back().first))
      return fail("T006", "a group of the index of paths begins with function {}", function);
    out.groups_.push_back({static_cast<uint32_t>(function), {}});
    sizes.push_back(in.varint());
  }
  for (size_t g = 0; g < groups; ++g) out.groups_[g].bytes = in.take(sizes[g]);
  if (in.failed()) return fail("T005", "the index of paths is cut short");
  return out;
}

Result<PathIndex> PathIndexGroups::of(uint32_t function, PathLengths lengths) const {
  const auto behind = std::ranges::upper_bound(groups_, function, {}, &Group::first);
  if (behind == groups_.begin()) return PathIndex({}, std::move(lengths));
  return PathIndex::decode(std::prev(behind)->bytes, std::move(lengths));
}

Result<PathIndex> PathIndexGroups::group(size_t number) const {
  return PathIndex::decode(groups_[number].bytes);
}

namespace {

/// When everything has been asked.
size_t memory_of(const PathGrams& grams) {
  const PathIndex index(grams);
  index.make_all();
  return index.memory();
}

Bytes encode_within(PathGrams grams, size_t most_bytes, size_t most_memory,
                    const std::function<Bytes(const PathGrams&)>& encode) {
  for (size_t target = grams.grams.size();;) {
    Bytes file = encode(grams);
    const bool is_smallest = grams.grams.size() <= grams.segments.size();
    const size_t memory = is_smallest ? 0 : memory_of(grams);
    if (is_smallest || (file.size() <= most_bytes && memory <= most_memory)) return file;
    // Both follow the number of grams, more or less.
    const double ratio =
        std::min(static_cast<double>(most_bytes) / static_cast<double>(file.size()),
                 static_cast<double>(most_memory) / static_cast<double>(memory));
    target = static_cast<size_t>(static_cast<double>(std::min(target, grams.grams.size())) *
                                 std::min(0.95, ratio));
    grams.reduce_to(target);
  }
}

}  // namespace

Bytes encode_index_within(PathGrams grams, size_t most_bytes, size_t most_memory, int level) {
  return encode_within(std::move(grams), most_bytes, most_memory,
                       [&](const PathGrams& some) { return PathIndex::encode(some, level); });
}

Bytes encode_groups_within(PathGrams grams, size_t most_bytes, size_t most_memory, int level) {
  return encode_within(std::move(grams), most_bytes, most_memory,
                       [&](const PathGrams& some) { return PathIndexGroups::encode(some, level); });
}

}  // namespace twinrun
