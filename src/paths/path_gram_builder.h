// SPDX-License-Identifier: MIT
#pragma once

#include "paths/growing_array.h"
#include "paths/number_table.h"
#include "paths/path_grams.h"
#include "paths/path_told.h"
#include "paths/schemes/item_trie.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// Counts the grams of a trace while its events come in. One look-up a segment, and most of those
/// are answered by what followed the last time. Memory follows the grams and the depth of calls.
class PathGramBuilder {
 public:
  PathGramBuilder();

  /// The next events of a well-formed trace. Positions are numbers of events.
  void take(PathTraceView events);
  /// As a view tells them. Positions are their steps.
  void take(const PathTold& told);

  /// Behind the last event: ends what is under way.
  void end();
  /// The grams of each function by themselves, which are settled and in the greatest order, by
  /// ascending functions, until `tell` says that it is enough. Behind end(); any number of times.
  void each_function(const PathGrams::Tell& tell) const;
  /// All of them together, behind the last event.
  [[nodiscard]] PathGrams finish();
  [[nodiscard]] uint64_t events() const { return events_; }

 private:
  static constexpr uint32_t kNone = ~0u;
  static constexpr uint32_t kNoGram = 0;

  struct Frame {
    uint32_t root = 0;
    uint32_t node = 0;   // of the segment under way; the root: there is none
    uint32_t floor = 0;  // a block below it begins a segment
    uint32_t state = 0;
    uint32_t function = 0;
    std::vector<PathPosition> begins;  // of the stretches under way
  };
  struct NodeInfo {
    uint32_t parent = 0;
    uint32_t item = 0;  // block * 2 + (1: something came in front of it)
    uint32_t segment = kNone;
  };
  struct Segment {
    uint32_t node = 0;
    uint32_t function = 0;
    uint32_t shape = 0;  // the first segment with the same blocks
    uint32_t stretches = 0;
    uint32_t blocks = 0;
  };
  /// What an invocation's last segments are; here the two grams that followed not long ago.
  struct State {
    uint32_t gram = kNoGram;
    uint32_t other = kNoGram;
  };
  /// A gram is a head and behind it the ranges of its stretches: all in one line of the cache, most
  /// of the time. Its number is that of its head.
  struct Head {
    uint32_t count = 0;  // and 2^32 for each time that it is in wraps_
    uint32_t state = 0;
    uint32_t segment = kNone;
    uint32_t next_state = 0;
  };
  union Cell {
    Head head;
    PathGrams::Range range;
    Cell() : head() {}
    explicit Cell(const Head& its_head) : head(its_head) {}
    explicit Cell(const PathGrams::Range& its_range) : range(its_range) {}
  };
  static_assert(sizeof(Cell) == 16);

  void enter_or_leave(PathEvent event);
  /// Blocks of one invocation, each right behind the other; `at` tells their positions.
  template <typename At>
  void take_blocks(PathTraceView blocks, const At& at);
  void end_segment(Frame& frame);
  uint32_t child(uint32_t node, uint32_t item);
  uint32_t new_segment(const Frame& frame);
  uint32_t shape_of(uint32_t segment);
  [[nodiscard]] std::vector<uint32_t> items_of(const Segment& segment) const;
  [[nodiscard]] std::vector<uint32_t> blocks_of(uint32_t segment) const;
  [[nodiscard]] uint64_t hash_of_blocks(uint32_t segment) const;
  [[nodiscard]] uint64_t count_of(uint32_t gram) const;
  uint32_t find_gram(uint32_t state, uint32_t segment);
  uint32_t new_gram(uint32_t state, uint32_t segment);
  uint32_t state_of(const PathGrams::History& history);

  uint64_t events_ = 0;
  std::vector<Frame> frames_;  // those from depth_ on are kept for their memory
  size_t depth_ = 0;
  bool is_behind_block_ = false;  // the last event was a block of the innermost frame
  ItemTrie trie_;
  std::vector<NodeInfo> nodes_{1};
  std::vector<Segment> segments_;
  NumberTable shapes_;  // segments that are the first of their shape
  GrowingArray<State> states_;
  GrowingArray<PathGrams::History> histories_;  // by state
  NumberTable state_numbers_;
  GrowingArray<Cell> cells_;  // the first is no gram
  NumberTable gram_numbers_;
  boost::unordered_flat_map<uint32_t, uint32_t> wraps_;  // how often a gram's count did
  // When all is counted, by function.
  std::vector<uint32_t> ordered_grams_;
  std::vector<uint32_t> ordered_segments_;
};

}  // namespace twinrun
