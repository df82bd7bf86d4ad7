// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "calls/call_tracker.h"
#include "values/values.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace twinrun {

/// Which frame executed each block of a chunk. 12 bytes a block. Frames are numbers of this chunk;
/// those that were there when it began are found again in the chunk before by their thread and
/// stack pointer.
class FrameIndex {
 public:
  static constexpr uint32_t kNone = ~0u;

  struct Frame {
    ThreadNo thread;
    CallFrame::Kind kind = CallFrame::Kind::kCall;
    bool is_inherited = false;  // it began in an earlier chunk
    uint64_t sp = 0;
    uint32_t call = kNone;  // the block that called it, in this chunk
    uint32_t last = kNone;  // the last block that it executed in this chunk
  };

  /// Of segments [first, end) of the process, which are one chunk.
  static Result<FrameIndex> build(const Reader& reader, const Process& process,
                                  const Dictionary& dictionary, CodePlaces& places, uint32_t first,
                                  uint32_t end);

  [[nodiscard]] uint32_t first_segment() const { return first_; }
  [[nodiscard]] uint32_t end_segment() const { return end_; }
  /// Blocks of the chunk by number, and back.
  [[nodiscard]] uint32_t number(BlockAt block) const {
    return begin_of_[block.segment - first_] + block.ordinal;
  }
  [[nodiscard]] BlockAt block(uint32_t number) const;
  [[nodiscard]] uint32_t frame_of(uint32_t block) const { return frame_of_[block]; }
  /// The stream value of a block that was executed to its end; 0 of one that was left in its
  /// middle.
  [[nodiscard]] uint32_t value(uint32_t block) const { return values_[block]; }
  [[nodiscard]] const Frame& frame(uint32_t number) const { return frames_[number]; }
  /// The frame's block before this one, kNone when it has none in this chunk.
  [[nodiscard]] uint32_t previous(uint32_t block) const { return previous_[block]; }

  [[nodiscard]] bool has_run(ThreadNo thread) const;
  /// The frame that a later chunk inherited; kNone when there is none such at this one's end.
  [[nodiscard]] uint32_t find_at_end(const Frame& later) const;

 private:
  friend class FrameIndexBuilder;

  uint32_t first_ = 0;
  uint32_t end_ = 0;
  std::vector<uint32_t> begin_of_;  // number of the first block of each segment, and the end
  std::vector<uint32_t> values_;
  std::vector<uint32_t> frame_of_;
  std::vector<uint32_t> previous_;
  std::vector<Frame> frames_;
  std::vector<uint32_t> at_end_;  // frames that are there at the end
};

}  // namespace twinrun
