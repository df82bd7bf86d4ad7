// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_grams.h"
#include "paths/path_lengths.h"
#include "paths/schemes/item_trie.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace twinrun {

/// Counts the grams of a trace while its events come in. One look-up a segment, and most of those
/// are answered by what followed the last time. Memory follows the grams and the depth of calls.
class PathGramBuilder {
 public:
  /// Positions are numbers of events.
  PathGramBuilder() = default;
  /// Positions are steps; the lengths must outlive it.
  explicit PathGramBuilder(const PathLengths& lengths) : lengths_(&lengths) {}

  /// The next events of a well-formed trace.
  void take(PathTraceView events);
  /// With the step of each.
  void take(PathTraceView events, std::span<const PathPosition> steps);
  /// Behind the last event. The grams are settled, in the greatest order.
  [[nodiscard]] PathGrams finish();

 private:
  static constexpr uint32_t kNone = ~0u;

  struct Frame {
    uint32_t root = 0;
    uint32_t node = 0;   // of the segment under way; the root: there is none
    uint32_t floor = 0;  // a block below it begins a segment
    uint32_t state = 0;
    uint32_t function = 0;
    PathPosition expected = 0;         // of the next block, if nothing comes in between
    std::vector<PathPosition> begins;  // of the stretches under way
  };
  struct NodeInfo {
    uint32_t parent = 0;
    uint32_t item = 0;  // block * 2 + (1: there was a call in front of it)
    uint32_t segment = kNone;
  };
  struct Node {
    uint32_t segment = kNone;  // that followed not long ago
    uint32_t gram = 0;
    uint32_t other_segment = kNone;
    uint32_t other_gram = 0;
  };

  void take(PathEvent event, PathPosition at);
  void end_segment(Frame& frame);
  uint32_t new_segment(const Frame& frame);
  uint32_t find_gram(uint32_t state, uint32_t segment);
  uint32_t state_of(const PathGrams::History& history);

  const PathLengths* lengths_ = nullptr;
  PathGrams out_;
  std::vector<Frame> frames_;  // those from depth_ on are kept for their memory
  size_t depth_ = 0;
  PathPosition position_ = 0;
  ItemTrie trie_;
  std::vector<NodeInfo> nodes_{1};
  std::map<std::vector<uint32_t>, uint32_t> shapes_;  // function and blocks: first segment
  // A state is what an invocation's last segments are; the gram that follows leads to the next.
  std::vector<PathGrams::History> states_;
  std::vector<Node> recent_;                                    // by state
  std::vector<uint32_t> next_state_;                            // by gram
  boost::unordered_flat_map<uint64_t, uint32_t> gram_numbers_;  // by state and segment
  std::map<PathGrams::History, uint32_t> state_numbers_;
};

}  // namespace twinrun
