// SPDX-License-Identifier: MIT
#include "values/frame_index.h"

#include <algorithm>
#include <map>

namespace twinrun {

class FrameIndexBuilder : public CallListener {
 public:
  explicit FrameIndexBuilder(FrameIndex& out) : out_(out) {}

  void called(ThreadNo thread, CallFrame& frame) override {
    add(thread, frame, frame.kind == CallFrame::Kind::kCall ? block_ : FrameIndex::kNone);
  }
  void entered(ThreadNo thread, CallFrame& frame) override {
    if (frame.kind == CallFrame::Kind::kStart || frame.kind == CallFrame::Kind::kStack)
      add(thread, frame, FrameIndex::kNone);
    // A thread without calls at the chunk's start may have been there before.
    if (frame.kind == CallFrame::Kind::kStart) out_.frames_.back().is_inherited = out_.first_ != 0;
  }
  void found(ThreadNo thread, CallFrame& frame) override {
    for (const uint32_t block : std::exchange(lost_[thread.value], {})) put(thread, frame, block);
  }

  void block(const CallTracker& tracker, const Timeline::Item& item) {
    const Execution& e = item.execution;
    out_.values_.push_back(e.partial ? 0 : e.value);
    out_.frame_of_.push_back(FrameIndex::kNone);
    out_.previous_.push_back(FrameIndex::kNone);
    if (tracker.is_lost(e.thread)) {
      // The block that jumped was still in its frame.
      std::vector<uint32_t>& lost = lost_[e.thread.value];
      if (was_lost_[e.thread.value]) return lost.push_back(block_);
      was_lost_[e.thread.value] = true;
    } else {
      was_lost_[e.thread.value] = false;
    }
    put(frame_number(tracker.executed_in(), e.thread), block_);
  }
  void next_block() { block_ = static_cast<uint32_t>(out_.values_.size()); }

  /// Frames that were there when the chunk began have no number yet.
  uint32_t frame_number(uint64_t tag, ThreadNo thread) {
    if (tag != 0) return static_cast<uint32_t>(tag - 1);
    const auto [found, is_new] =
        unknown_.try_emplace(thread.value, static_cast<uint32_t>(out_.frames_.size()));
    if (is_new) out_.frames_.push_back({.thread = thread, .is_inherited = true});
    return found->second;
  }
  void add(ThreadNo thread, CallFrame& frame, uint32_t call) {
    frame.tag = out_.frames_.size() + 1;
    out_.frames_.push_back({thread, frame.kind, frame.is_inherited, frame.sp, call});
  }

 private:
  void put(ThreadNo thread, const CallFrame& frame, uint32_t block) {
    put(frame_number(frame.tag, thread), block);
  }
  void put(uint32_t frame, uint32_t block) {
    FrameIndex::Frame& there = out_.frames_[frame];
    out_.frame_of_[block] = frame;
    out_.previous_[block] = there.last;
    there.last = block;
  }

  FrameIndex& out_;
  uint32_t block_ = 0;
  std::map<uint32_t, std::vector<uint32_t>> lost_;  // blocks of each thread whose frame shows later
  std::map<uint32_t, bool> was_lost_;
  std::map<uint32_t, uint32_t> unknown_;  // by thread
};

Result<FrameIndex> FrameIndex::build(const Reader& reader, const Process& process,
                                     const Dictionary& dictionary, CodePlaces& places,
                                     uint32_t first, uint32_t end) {
  FrameIndex out;
  out.first_ = first;
  out.end_ = end;
  uint32_t blocks = 0;
  for (uint32_t i = first; i < end; ++i) {
    out.begin_of_.push_back(blocks);
    blocks += reader.frames()[process.segments[i]].segment.block_count;
  }
  out.begin_of_.push_back(blocks);
  out.values_.reserve(blocks);
  out.frame_of_.reserve(blocks);
  out.previous_.reserve(blocks);
  FrameIndexBuilder builder(out);
  CallTracker tracker(dictionary, places, builder);
  Timeline timeline(reader, dictionary, process);
  timeline.seek_segment(first);
  Timeline::Item item;
  for (;;) {
    TRY(const bool more, timeline.next(item));
    if (!more || timeline.segment_number() >= end) break;
    tracker.take(item);
    if (item.is_event) {
      // The frames that a thread has from before the chunk.
      if (item.event.kind == EventKind::kCalls) {
        for (CallFrame& frame : tracker.frames(item.thread))
          if (frame.tag == 0 && frame.is_inherited) builder.add(item.thread, frame, kNone);
      }
      continue;
    }
    builder.block(tracker, item);
    builder.next_block();
  }
  tracker.for_all_frames([&](ThreadNo, const CallFrame& frame) {
    if (frame.tag == 0) return;
    const auto number = static_cast<uint32_t>(frame.tag - 1);
    out.frames_[number].sp = frame.sp;
    out.at_end_.push_back(number);
  });
  return out;
}

BlockAt FrameIndex::block(uint32_t number) const {
  const auto behind = std::ranges::upper_bound(begin_of_, number);
  const auto segment = static_cast<uint32_t>(behind - begin_of_.begin()) - 1;
  return {first_ + segment, number - begin_of_[segment]};
}

bool FrameIndex::has_run(ThreadNo thread) const {
  return std::ranges::any_of(
      frames_, [&](const Frame& frame) { return frame.thread == thread && frame.last != kNone; });
}

uint32_t FrameIndex::find_at_end(const Frame& later) const {
  for (size_t i = at_end_.size(); i-- > 0;) {
    const Frame& frame = frames_[at_end_[i]];
    if (frame.thread != later.thread) continue;
    const bool is_start = frame.kind == CallFrame::Kind::kStart;
    if (later.kind == CallFrame::Kind::kStart ? is_start : !is_start && frame.sp == later.sp)
      return at_end_[i];
  }
  return kNone;
}

}  // namespace twinrun
