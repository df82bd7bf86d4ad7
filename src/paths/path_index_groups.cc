// SPDX-License-Identifier: MIT
// Layout: the number of groups, the first function and the size of each, their bytes.
#include "paths/path_index_groups.h"

#include "paths/path_orders.h"

#include <algorithm>

namespace twinrun {
namespace {

/// Gathers functions into groups.
class GroupWriter {
 public:
  GroupWriter(int level, size_t group_grams) : level_(level), group_grams_(group_grams) {}

  void add(const PathGrams& functions) {
    if (!group_.grams.empty() && group_.grams.size() + functions.grams.size() > group_grams_)
      end_group();
    group_.append(functions);
    group_.events = functions.events;
    grams_ += functions.grams.size();
  }
  [[nodiscard]] Bytes finish() {
    if (!group_.grams.empty()) end_group();
    ByteWriter out;
    out.varint(groups_);
    out.raw(head_.bytes());
    out.raw(body_);
    return out.take();
  }
  [[nodiscard]] size_t grams() const { return grams_; }
  [[nodiscard]] size_t bytes() const { return body_.size(); }

 private:
  void end_group() {
    group_.settle();
    const Bytes coded = PathIndex::encode(group_, level_);
    head_.varint(group_.segments[0].function);
    head_.varint(coded.size());
    body_.insert(body_.end(), coded.begin(), coded.end());
    ++groups_;
    group_ = {};
  }

  int level_;
  size_t group_grams_;
  PathGrams group_;
  uint64_t groups_ = 0;
  size_t grams_ = 0;
  ByteWriter head_;
  Bytes body_;
};

}  // namespace

Bytes PathIndexGroups::encode(const Each& each, int level, size_t group_grams) {
  GroupWriter writer(level, group_grams);
  each([&](const PathGrams& functions) {
    writer.add(functions);
    return true;
  });
  return writer.finish();
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

Bytes encode_groups_within(const PathIndexGroups::Each& each, size_t most_bytes, int level) {
  PathOrders orders;
  each([&](const PathGrams& functions) {
    orders.add(functions);
    return true;
  });
  for (;;) {
    const bool is_smallest = orders.grams() <= orders.segments();
    // What the bytes so far say about all of them; nothing while that is little.
    const auto expected = [&](const GroupWriter& writer) {
      if (writer.grams() < orders.grams() / 8) return 0.0;
      return static_cast<double>(writer.bytes()) / static_cast<double>(writer.grams()) *
             static_cast<double>(orders.grams());
    };
    GroupWriter writer(level, PathIndexGroups::kGroupGrams);
    each([&](PathGrams functions) {
      const uint32_t order = orders.of(functions.segments[0].function);
      if (order < PathGrams::kMostOrder) functions.limit_order(order);
      writer.add(functions);
      return is_smallest || expected(writer) < 1.2 * static_cast<double>(most_bytes);
    });
    const bool is_whole = writer.grams() >= orders.grams();
    const double bytes = expected(writer);
    if (is_whole) {
      Bytes file = writer.finish();
      if (is_smallest || file.size() <= most_bytes) return file;
    }
    // Bytes follow the number of grams, more or less.
    const double ratio = std::min(0.95, static_cast<double>(most_bytes) / bytes);
    orders.choose(static_cast<size_t>(static_cast<double>(orders.grams()) * ratio));
  }
}

namespace {

/// When everything has been asked.
size_t memory_of(const PathGrams& grams) {
  const PathIndex index(grams);
  index.make_all();
  return index.memory();
}

}  // namespace

Bytes encode_index_within(PathGrams grams, size_t most_bytes, size_t most_memory, int level) {
  for (size_t target = grams.grams.size();;) {
    Bytes file = PathIndex::encode(grams, level);
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

}  // namespace twinrun
