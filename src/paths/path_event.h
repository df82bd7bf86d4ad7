// SPDX-License-Identifier: MIT
// The control flow trace of one thread, as words of 32 bits: entry to a function, a basic block of
// the function that is innermost, exit from it (the E of the paper). Blocks have numbers in their
// function; the same numbers are used again in other functions. The top bit is never set: a
// grammar's symbols have it on names of rules.
//
// A trace is well formed when every block and every exit is inside a function. It may end inside
// functions: the recording was cut, or the thread ended there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

class PathEvent {
 public:
  static constexpr uint32_t kMostBlocks = 1u << 30;
  static constexpr uint32_t kMostFunctions = (1u << 30) - 1;

  /// `block` < kMostBlocks.
  static constexpr PathEvent block(uint32_t block) { return PathEvent(block); }
  /// `function` < kMostFunctions.
  static constexpr PathEvent entry(uint32_t function) { return PathEvent(kEntry | function); }
  static constexpr PathEvent exit() { return PathEvent(kExit); }
  static constexpr PathEvent of_word(uint32_t word) { return PathEvent(word); }

  [[nodiscard]] constexpr bool is_block() const { return word_ < kEntry; }
  [[nodiscard]] constexpr bool is_exit() const { return word_ == kExit; }
  [[nodiscard]] constexpr bool is_entry() const { return word_ >= kEntry && word_ < kExit; }
  [[nodiscard]] constexpr uint32_t block() const { return word_; }
  [[nodiscard]] constexpr uint32_t function() const { return word_ & ~kEntry; }
  [[nodiscard]] constexpr uint32_t word() const { return word_; }
  constexpr bool operator==(const PathEvent&) const = default;

 private:
  static constexpr uint32_t kEntry = 1u << 30;
  static constexpr uint32_t kExit = (1u << 31) - 1;
  constexpr explicit PathEvent(uint32_t word) : word_(word) {}
  uint32_t word_;
};
static_assert(sizeof(PathEvent) == 4);

using PathTrace = std::vector<PathEvent>;
using PathTraceView = std::span<const PathEvent>;

/// Every block and exit is inside a function, and there are no words that mean nothing. O(n).
bool is_well_formed(PathTraceView trace);

/// "Did `function` execute these blocks, one behind the other, in one invocation?" Calls in between
/// do not matter. At least one block.
struct PathQuery {
  uint32_t function = 0;
  std::vector<uint32_t> blocks;
};

/// An occurrence is known by where its last block begins: the number of that event in the trace or,
/// where steps are known, the thread's step.
using PathPosition = uint64_t;
inline constexpr PathPosition kNoPosition = ~PathPosition{0};

/// What a way to answer queries had to do for the last one.
struct PathStats {
  uint64_t terminals_expanded = 0;  // events of the trace that were decompressed
  uint64_t rules_visited = 0;       // rules whose flags were computed or that were descended into
  uint64_t chunks_opened = 0;
};

}  // namespace twinrun
