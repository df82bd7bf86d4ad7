// SPDX-License-Identifier: MIT
// The tracker knows frames by stack pointers; those who keep something for each frame need to know
// which of theirs is meant. A frame begins with its caller's tag, and its listener gives it its
// own: number of the stack and of the frame on it.
//
// A new stack is seen when the first frame of the one that runs has not been numbered. A stack that
// was left keeps its frames, and so do its listener's; it is resumed under its number. The first
// frame of a stack never goes: code can follow on it whose beginning nobody saw.
//
// longjmp is the hard case, because the tracker learns with the next call or return only which
// frame it went to. Whoever needs to know at once looks ahead in the recording. When the stack
// pointer is not told there (it was predicted, which it is not right after a jump, or a segment
// ends), the function of the code decides; a wrong guess is corrected as soon as the tracker knows.
#include "calls/thread_frames.h"

namespace twinrun {

ThreadFrames::Stack ThreadFrames::settle() {
  const std::span<CallFrame> frames = tracker_->frames(thread_);
  if (frames.empty()) return Stack::kSame;
  CallFrame& first = frames.front();
  const bool is_new = first.kind == CallFrame::Kind::kStack && (first.tag & kNumbered) == 0;
  const uint32_t wanted = is_new ? ++stacks_made_ : number(first).stack;
  if (is_new) first.tag = kNumbered | tag({wanted, 0});
  if (wanted == stack_) return Stack::kSame;
  stack_ = wanted;
  return is_new ? Stack::kNew : Stack::kResumed;
}

size_t ThreadFrames::inherit() {
  const std::span<CallFrame> frames = tracker_->frames(thread_);
  for (size_t i = 1; i < frames.size(); ++i) frames[i].tag = tag({stack_, i});
  return frames.size();
}

std::optional<size_t> ThreadFrames::found(const CallFrame& frame) const {
  if (!is_here(frame)) return std::nullopt;
  return number(frame).frame + 1;
}

std::optional<FrameNumber> ThreadFrames::left(const CallFrame& frame) {
  const FrameNumber out = number(frame);
  if (out.frame == 0) return std::nullopt;
  return out;
}

std::optional<size_t> ThreadFrames::landing(const std::optional<Timeline::StackPointer>& next,
                                            uint32_t function) const {
  const auto is_it = [&](const CallFrame& frame) {
    if (!is_here(frame)) return false;
    if (!next) return frame.function == function;
    return next->jump == TW_JUMP_RETURN ? frame.sp + 8 == next->sp
                                        : frame.sp > next->sp || frame.sp == CallFrame::kUnknownSp;
  };
  // Out of a signal handler it goes to frames below the handler's.
  const CallTracker::Thread& runner = tracker_->runner(thread_);
  for (size_t s = runner.stacks.size(); s-- > 0;) {
    const std::vector<CallFrame>& frames = runner.stacks[s].frames;
    for (size_t i = frames.size(); i-- > 0;)
      if (is_it(frames[i])) return number(frames[i]).frame;
  }
  return std::nullopt;
}

}  // namespace twinrun
