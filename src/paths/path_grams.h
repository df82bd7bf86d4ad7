// SPDX-License-Identifier: MIT
// What a trace's invocations are made of, as the index of paths needs it.
//
// An invocation's blocks are cut into segments where they go backward or stay. A segment here is
// its blocks and where calls came between them: those places part it into stretches, whose blocks
// follow on each other with nothing in between. Segments with the same blocks have the same shape.
// A gram is a segment that was executed, with what was in front of it in the same invocation: up to
// order - 1 runs of shapes. Each gram has how often it was executed, and for each stretch of its
// segment the first and the last position at which that began.
#pragma once

#include "paths/path_event.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace twinrun {

struct PathGrams {
  static constexpr uint32_t kMostOrder = 6;

  /// A shape that was executed several times on end. More than kMostTurns are told as that.
  class Run {
   public:
    static constexpr uint32_t kMostTurns = 15;
    Run() = default;  // none: the invocation begins behind it
    Run(uint32_t shape, uint32_t turns) : word_((shape + 1) << 4 | turns) {}
    [[nodiscard]] bool exists() const { return word_ != 0; }
    [[nodiscard]] uint32_t shape() const { return (word_ >> 4) - 1; }
    [[nodiscard]] uint32_t turns() const { return word_ & 15; }
    [[nodiscard]] bool is_of(uint32_t shape) const { return word_ >> 4 == shape + 1; }
    auto operator<=>(const Run&) const = default;

   private:
    uint32_t word_ = 0;
  };
  static constexpr uint32_t kMostSegments = (1u << 28) - 2;
  using History = std::array<Run, kMostOrder - 1>;
  /// Takes grams of some functions; says whether to go on.
  using Tell = std::function<bool(PathGrams)>;

  struct Segment {
    uint32_t function = 0;
    uint32_t blocks = 0;
    uint32_t blocks_at = 0;       // in `blocks`
    uint32_t stretches = 0;       // at least 1
    uint32_t stretches_at = 0;    // in `stretches`: numbers of the blocks that they begin with
    uint32_t shape = 0;           // the first segment of the function with the same blocks
    uint32_t order = kMostOrder;  // of its function's grams: one more than the runs of history
  };
  struct Range {
    PathPosition first = kNoPosition;
    PathPosition last = 0;

    void add(const Range& other) {
      first = std::min(first, other.first);
      last = std::max(last, other.last);
    }
  };
  struct Gram {
    History history{};  // the nearest first
    uint32_t segment = 0;
    uint32_t ranges_at = 0;  // in `ranges`, one for each stretch
    uint64_t count = 0;
  };

  uint64_t events = 0;
  std::vector<uint32_t> blocks;  // in the order of segments
  std::vector<uint32_t> stretches;
  std::vector<Segment> segments;  // by function, then by blocks
  std::vector<Gram> grams;        // by history and segment
  std::vector<Range> ranges;

  [[nodiscard]] std::span<const uint32_t> blocks_of(const Segment& segment) const {
    return std::span(blocks).subspan(segment.blocks_at, segment.blocks);
  }
  [[nodiscard]] std::span<const uint32_t> stretches_of(const Segment& segment) const {
    return std::span(stretches).subspan(segment.stretches_at, segment.stretches);
  }
  /// Adds those of other functions, which need not come behind these; settle() must follow.
  void append(const PathGrams& others);
  /// Puts segments and grams in their order, and joins grams that are equal up to what the order of
  /// their function is now.
  void settle();
  /// At most so many grams, or as many as there are segments, as PathOrders chooses. Settled,
  /// before and after.
  void reduce_to(size_t most_grams);
  /// No function has a greater order than this.
  void limit_order(uint32_t most);
};

}  // namespace twinrun
