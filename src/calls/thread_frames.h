// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "calls/call_tracker.h"
#include "trace/block.h"
#include "trace/timeline.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace twinrun {

/// Where a frame is: its stack among those of its thread, in the order of their first use, and its
/// place on that stack, outermost first.
struct FrameNumber {
  uint32_t stack = 0;
  size_t frame = 0;

  bool operator==(const FrameNumber&) const = default;
};

/// Numbers the stacks and frames of one thread of a tracker, for those who keep something for each
/// frame: the structural index its entries, the path view its invocation. Frames carry their
/// numbers as tags. For a listener of that tracker, which must outlive it.
class ThreadFrames {
 public:
  ThreadFrames(CallTracker& tracker, ThreadNo thread) : tracker_(&tracker), thread_(thread) {}

  [[nodiscard]] static uint64_t tag(FrameNumber number) {
    return uint64_t{number.stack} << 32 | number.frame;
  }
  [[nodiscard]] static FrameNumber number(const CallFrame& frame) {
    return {static_cast<uint32_t>((frame.tag & ~kNumbered) >> 32), frame.tag & 0xffffffff};
  }

  /// The stack that the thread was on when settle() was asked last; 0: the one it began with.
  [[nodiscard]] uint32_t stack() const { return stack_; }
  [[nodiscard]] bool is_here(const CallFrame& frame) const { return number(frame).stack == stack_; }

  /// Which stack the thread runs on now. After every block, and before a call is looked at.
  enum class Stack : uint8_t {
    kSame,
    kNew,      // begun: the next number
    kResumed,  // one that had been left
  };
  Stack settle();
  /// Numbers frames that were there before the thread's first block. Of all, the first one too.
  size_t inherit();
  /// The frames to keep on the current stack when found() is told; nothing: it is on another one.
  [[nodiscard]] std::optional<size_t> found(const CallFrame& frame) const;
  /// The frame that goes, with all above it, when left() is told; nothing for the first frame of a
  /// stack, which stays for what may follow.
  [[nodiscard]] static std::optional<FrameNumber> left(const CallFrame& frame);

  /// Where longjmp has gone to, when the thread got lost with its last block but one. Which frame
  /// it is in will be seen at its next call or return: the timeline is asked for that. Else the
  /// innermost one of the function that the present block is of. The number of that frame on the
  /// current stack; nothing when none fits. What is told as found or left later may correct it.
  template <typename SomeTimeline>
  [[nodiscard]] std::optional<size_t> landing(const SomeTimeline& timeline,
                                              const Dictionary& dictionary,
                                              uint32_t function) const {
    return landing(timeline.next_stack_pointer([&](uint32_t value) {
      const BlockDef* def = dictionary.find(value);
      if (def == nullptr || value - def->id.value + 1 != def->variants) return uint32_t{0};
      return def->jump == TW_JUMP_CALL || def->jump == TW_JUMP_RETURN ? def->jump : 0;
    }),
                   function);
  }
  [[nodiscard]] std::optional<size_t> landing(const std::optional<Timeline::StackPointer>& next,
                                              uint32_t function) const;

 private:
  // In the tag of the first frame of a stack that has been given its number.
  static constexpr uint64_t kNumbered = uint64_t{1} << 63;

  CallTracker* tracker_;
  ThreadNo thread_;
  uint32_t stack_ = 0;
  uint32_t stacks_made_ = 0;
};

}  // namespace twinrun
