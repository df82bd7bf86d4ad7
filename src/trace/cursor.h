// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "trace/count.h"
#include "trace/reader.h"

#include <optional>
#include <vector>

namespace twinrun {

/// One execution of a block.
struct Execution {
  uint64_t block = 0;    // number in the process
  uint32_t ordinal = 0;  // number in its segment
  uint32_t value = 0;    // of the stream: block id plus variant
  ThreadNo thread;
  Step step;  // instructions of the thread before it
  uint32_t instructions = 0;
  bool partial = false;  // a signal left it in its middle
};

/// Walks the executed blocks of a process, or of one of its threads, in the order of execution.
/// Holds one segment at a time. The reader and the dictionary must outlive it.
class BlockCursor {
 public:
  BlockCursor(const Reader& reader, const Dictionary& dictionary, const Process& process,
              std::optional<ThreadNo> thread)
      : reader_(reader), dictionary_(dictionary), process_(process), thread_(thread) {}

  /// False at the end.
  Result<bool> next(Execution& out);

  /// Goes to the block that holds step `step` of `thread` (the last block that begins at or before
  /// it); next() returns it. False when the thread does not come that far. Reads one segment.
  Result<bool> seek(ThreadNo thread, Step step);

  /// The segment of the execution that next() returned last.
  [[nodiscard]] const SegmentData& segment() const { return data_; }
  [[nodiscard]] const FrameEntry& frame() const {
    return reader_.frames()[process_.segments[segment_ - 1]];
  }
  /// Number of the current segment in the process; changes when next() enters another one.
  [[nodiscard]] size_t segment_number() const { return segment_ - 1; }

 private:
  Result<bool> enter_segment(size_t number);

  const Reader& reader_;
  const Dictionary& dictionary_;
  const Process& process_;
  std::optional<ThreadNo> thread_;
  size_t segment_ = 0;  // the next one to enter
  SegmentData data_;
  SegmentRuns runs_;
  std::vector<uint32_t> counts_;
  size_t run_ = 0;
  uint32_t ordinal_ = 0;
  uint32_t end_ = 0;
  size_t partial_ = 0;
  std::map<uint32_t, uint64_t> steps_;  // of each thread, at ordinal_
};

}  // namespace twinrun
