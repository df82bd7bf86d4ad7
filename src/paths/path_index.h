// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "paths/path_grams.h"
#include "paths/path_lengths.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace twinrun {

/// How often a path was executed, and where that ended the first and the last time.
struct PathCount {
  uint64_t count = 0;
  PathPosition first = kNoPosition;
  PathPosition last = kNoPosition;
};

/// Answers from the grams of a trace: how often, first and last, without looking at the trace. What
/// a function's answers are looked up in is made when it is first asked about, so that opening is
/// fast; for one thread at a time.
class PathIndex {
 public:
  /// The grams must be settled. `lengths`: those that they were made with.
  explicit PathIndex(PathGrams grams, PathLengths lengths = {});

  /// Nothing: the path has more backward steps than the index knows of, and may have been executed;
  /// only the trace can tell. Never so for paths of `order(function)` parts at most, where a part
  /// ends with each backward step. O(log + what the path's rarest part is part of).
  [[nodiscard]] std::optional<PathCount> find(const PathQuery& query) const;

  /// What was executed between backward steps, each once: a function's blocks in ascending order.
  struct Segment {
    uint32_t function = 0;
    std::span<const uint32_t> blocks;  // of the index
    uint64_t count = 0;
  };
  [[nodiscard]] std::vector<Segment> segments() const;
  /// Two segments one behind the other in an invocation, each pair once. Not of functions whose
  /// order is 1.
  struct Pair {
    uint32_t function = 0;
    std::span<const uint32_t> first;
    std::span<const uint32_t> second;
    uint64_t count = 0;
  };
  [[nodiscard]] std::vector<Pair> pairs() const;

  /// Of the function's grams.
  [[nodiscard]] uint32_t order(uint32_t function) const;
  [[nodiscard]] uint64_t events() const { return grams_.events; }
  /// Bytes, of what has been made so far.
  [[nodiscard]] size_t memory() const;
  /// As if everything had been asked.
  void make_all() const;

  [[nodiscard]] static Bytes encode(const PathGrams& grams, int level);
  /// From untrusted bytes; T004, T005 or T006.
  static Result<PathIndex> decode(ByteSpan bytes, PathLengths lengths = {});

 private:
  /// The grams, joined up to some runs of history.
  struct Table {
    uint32_t runs = 0;
    std::vector<PathGrams::Run> histories;  // `runs` each, the nearest first; entries are in order
    std::vector<uint32_t> segments;
    std::vector<uint64_t> counts;
    std::vector<uint32_t> ranges_at;
    std::vector<PathGrams::Range> ranges;

    [[nodiscard]] const PathGrams::Run* history(size_t entry) const {
      return &histories[entry * runs];
    }
    [[nodiscard]] size_t size() const { return counts.size(); }
  };
  struct SegmentRange {
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  /// What one function's answers are looked up in.
  struct Lookup {
    std::array<std::optional<Table>, PathGrams::kMostOrder> tables;  // by runs
    std::vector<uint32_t> postings;  // places of grams_.blocks, by block
  };
  Lookup& lookup(SegmentRange own) const;
  const Table& table(SegmentRange own, uint32_t runs) const;
  const std::vector<uint32_t>& postings(SegmentRange own) const;
  [[nodiscard]] Table make_table(SegmentRange own, uint32_t runs) const;
  [[nodiscard]] std::vector<uint32_t> make_postings(SegmentRange own) const;
  void add(PathCount& out, const Table& table, size_t entry, uint32_t block) const;
  [[nodiscard]] PathCount find_inside(std::span<const uint32_t> part, SegmentRange own) const;
  /// Nothing: not known.
  [[nodiscard]] std::optional<PathCount> find_across(
      std::span<const std::span<const uint32_t>> parts, SegmentRange own) const;
  [[nodiscard]] SegmentRange with_prefix(std::span<const uint32_t> part, SegmentRange own) const;
  /// The shape with exactly these blocks.
  [[nodiscard]] std::optional<uint32_t> shape_of(std::span<const uint32_t> part,
                                                 SegmentRange own) const;
  [[nodiscard]] bool ends_with(uint32_t shape, std::span<const uint32_t> part) const;

  PathLengths lengths_;
  PathGrams grams_;
  boost::unordered_flat_map<uint32_t, SegmentRange> segments_of_;              // by function
  mutable boost::unordered_flat_map<uint32_t, std::unique_ptr<Lookup>> made_;  // by first segment
};

}  // namespace twinrun
