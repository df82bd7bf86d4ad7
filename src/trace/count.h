// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "trace/block.h"

#include <map>
#include <span>
#include <vector>

namespace twinrun {

/// Consecutive blocks of a segment that one thread ran.
struct ThreadRun {
  uint32_t thread = 0;
  uint32_t first = 0;  // ordinal in the segment
  uint32_t count = 0;
};

/// A block that a signal left in its middle.
struct PartialBlock {
  uint32_t ordinal = 0;
  uint32_t completed = 0;  // instructions
};

/// The thread switches and partial blocks that the events of a segment tell.
struct SegmentRuns {
  std::vector<ThreadRun> runs;        // without gaps; empty ones left out
  std::vector<PartialBlock> partial;  // ascending
  uint32_t thread_at_end = 0;
};

/// T006 when the events are malformed or their positions go backwards or past the last block.
Result<SegmentRuns> segment_runs(ByteSpan events, uint32_t block_count, uint32_t thread_at_start);

/// Counts the instructions of one process, segment after segment. The rule, which equals hardware
/// single-stepping: a block counts the instructions begun when it is left; a block that a signal
/// cut short counts its completed ones; and the last arrival at a rep instruction that has looped
/// (the counter is zero now) counts nothing, because the processor does not stop there.
class InstructionCounter {
 public:
  struct Segment {
    uint64_t instructions = 0;
    std::vector<TwThreadSpan> threads;  // ascending by thread
    uint32_t thread_at_end = 0;
  };

  /// `blocks` are u32 in any alignment. O(blocks + events). Fails with T006 on an undefined value;
  /// then nothing has been counted.
  Result<Segment> count(const CountTable& table, ByteSpan blocks, ByteSpan events,
                        uint32_t thread_at_start);

 private:
  struct Thread {
    uint64_t steps = 0;
    uint32_t last_value = 0;  // 0: none, or it was left in its middle
  };
  std::map<uint32_t, Thread> threads_;
};

/// The instructions of each block of a segment whose spans are known, without the segments in
/// front of it: `out[i]` is the count of block i.
Result<void> count_each_block(const CountTable& table, ByteSpan blocks, const SegmentRuns& runs,
                              std::span<const TwThreadSpan> spans, std::vector<uint32_t>& out);

/// Whether a block left as `now` arrives at its rep instruction for the last time, after the one
/// left as `before` looped back to it.
inline bool is_last_arrival(CountTable::Entry before, CountTable::Entry now) {
  return (now.special & CountTable::kZeroExit) != 0 && (before.special & CountTable::kRep) != 0 &&
         (before.special & CountTable::kZeroExit) == 0 &&
         (before.special & CountTable::kPlace) == (now.special & CountTable::kPlace);
}

inline uint32_t block_at(ByteSpan blocks, size_t ordinal) {
  uint32_t value;
  std::memcpy(&value, blocks.data() + 4 * ordinal, sizeof value);
  return value;
}

}  // namespace twinrun
