// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "trace/segment_window.h"
#include "trace/timeline.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace twinrun {

/// Walks the blocks of one thread and the events that name it, as they happened. Steps of items are
/// 0, and instructions too but for partial blocks. Holds one segment of the window, which must
/// outlive it.
class ThreadTimeline {
 public:
  ThreadTimeline(SegmentWindow& window, ThreadNo thread) : window_(window), thread_(thread) {}

  /// False at the end. Enters segments as it comes to them. A stack pointer comes behind its block.
  Result<bool> next(Timeline::Item& out);
  /// The same in the present segment: false at its end.
  bool next_here(Timeline::Item& out);
  /// Whether there is another block of the thread in the present segment.
  [[nodiscard]] bool has_block() const { return ordinal_ < blocks_; }
  /// The segment that would be entered next.
  [[nodiscard]] size_t next_segment() const { return next_; }
  /// Leaves the present segment. False when it was the last one.
  Result<bool> enter_segment();

  /// As a Timeline has it.
  [[nodiscard]] Timeline::Ahead ahead() const;
  void skip(uint32_t count) {
    last_ = ordinal_ + count - 1;
    ordinal_ += count;
    settle();
  }
  [[nodiscard]] std::optional<Timeline::StackPointer> next_stack_pointer(
      const std::function<uint32_t(uint32_t)>& jump_of) const;
  /// In front of the block that the last item was, or that skip() left out last. Counts the segment
  /// when it is asked for the first time.
  Result<Step> step();

  /// Whether the last item begins a run of the thread: others may have taught differences.
  [[nodiscard]] bool begins_run() const { return begins_run_; }
  /// Brings differences up to date that had been so at the thread's last run.
  void teach(CallDeltas& deltas);

 private:
  [[nodiscard]] bool has_event() const { return part_ != nullptr && event_ < part_->events.size(); }
  /// To the thread's next run when the present one is over.
  void settle() {
    if (ordinal_ < run_end_) return;
    is_fresh_ = true;
    ordinal_ = ++run_ < part_->runs.size() ? part_->runs[run_].first : blocks_;
  }

  SegmentWindow& window_;
  ThreadNo thread_;
  size_t next_ = 0;
  std::shared_ptr<LoadedSegment> segment_;
  const ThreadPart* part_ = nullptr;  // null: the segment has nothing of the thread
  size_t run_ = 0;
  size_t event_ = 0;
  size_t partial_ = 0;
  uint32_t ordinal_ = 0;  // of the thread's next block
  uint32_t blocks_ = 0;   // of the segment
  uint32_t run_end_ = 0;  // of the run that last_ is in
  uint32_t last_ = 0;     // the block that was last
  bool is_fresh_ = true;  // the next block begins a run
  bool has_last_ = false;
  bool begins_run_ = false;
  StackEvent stack_;
  std::optional<uint32_t> chunk_;  // whose differences are known
  size_t changes_ = 0;
};

}  // namespace twinrun
