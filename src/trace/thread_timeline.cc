// SPDX-License-Identifier: MIT
#include "trace/thread_timeline.h"

#include <algorithm>
#include <utility>

namespace twinrun {

Result<bool> ThreadTimeline::enter_segment() {
  has_last_ = false;
  if (next_ >= window_.size()) return false;
  TRY(segment_, window_.load(next_++));
  part_ = segment_->of(thread_.value);
  run_ = event_ = partial_ = 0;
  run_end_ = 0;
  blocks_ = segment_->entry->segment.block_count;
  ordinal_ = part_ != nullptr && !part_->runs.empty() ? part_->runs[0].first : blocks_;
  is_fresh_ = true;
  return true;
}

bool ThreadTimeline::next_here(Timeline::Item& out) {
  out.stack_miss = nullptr;
  begins_run_ = false;
  if (has_event() && part_->events[event_].at <= ordinal_) {
    out.is_event = true;
    out.event = part_->events[event_++];
    out.thread = thread_;
    out.step = {};
    out.blocks = segment_->entry->segment.first_block + out.event.at;
    return true;
  }
  if (ordinal_ >= blocks_) return false;
  const std::vector<PartialBlock>& partial = segment_->runs.partial;
  while (partial_ < partial.size() && partial[partial_].ordinal < ordinal_) ++partial_;
  out.is_event = false;
  Execution& e = out.execution;
  e.ordinal = last_ = ordinal_;
  e.block = segment_->entry->segment.first_block + ordinal_;
  e.value = block_at(segment_->data.blocks(), ordinal_);
  e.thread = out.thread = thread_;
  e.partial = partial_ < partial.size() && partial[partial_].ordinal == ordinal_;
  e.instructions = e.partial ? partial[partial_].completed : 0;
  e.step = out.step = {};
  out.blocks = e.block;
  has_last_ = true;
  begins_run_ = std::exchange(is_fresh_, false);
  if (begins_run_) run_end_ = part_->runs[run_].first + part_->runs[run_].count;
  ++ordinal_;
  if (has_event() && part_->events[event_].kind == EventKind::kStack &&
      part_->events[event_].at == ordinal_)
    if (const auto stack = StackEvent::parse(part_->events[event_])) {
      stack_ = *stack;
      out.stack_miss = &stack_;
    }
  settle();
  return true;
}

Result<bool> ThreadTimeline::next(Timeline::Item& out) {
  while (!next_here(out)) {
    TRY(const bool entered, enter_segment());
    if (!entered) return false;
  }
  return true;
}

Timeline::Ahead ThreadTimeline::ahead() const {
  if (is_fresh_ || ordinal_ >= blocks_) return {};
  uint64_t end = run_end_;
  if (has_event()) {
    // The stack pointer that an event tells belongs to the block in front of it.
    const Event& event = part_->events[event_];
    end = std::min(end, event.kind == EventKind::kStack ? event.at - 1 : event.at);
  }
  const std::vector<PartialBlock>& partial = segment_->runs.partial;
  size_t next = partial_;
  while (next < partial.size() && partial[next].ordinal < ordinal_) ++next;
  if (next < partial.size()) end = std::min<uint64_t>(end, partial[next].ordinal);
  if (end <= ordinal_) return {};
  return {segment_->data.blocks().data() + size_t{4} * ordinal_,
          static_cast<uint32_t>(end - ordinal_),
          segment_->entry->segment.first_block + ordinal_,
          nullptr,
          {}};
}

std::optional<Timeline::StackPointer> ThreadTimeline::next_stack_pointer(
    const std::function<uint32_t(uint32_t)>& jump_of) const {
  if (!has_last_) return std::nullopt;
  Timeline::StackPointer out;
  uint32_t at = last_;
  for (; at < run_end_; ++at) {
    out.jump = jump_of(block_at(segment_->data.blocks(), at));
    if (out.jump != 0) break;
  }
  if (out.jump == 0) return std::nullopt;
  for (size_t i = event_; i < part_->events.size() && part_->events[i].at <= at + 1; ++i) {
    const Event& event = part_->events[i];
    if (event.kind != EventKind::kStack || event.at != at + 1) continue;
    const auto stack = StackEvent::parse(event);
    if (!stack) return std::nullopt;
    out.sp = stack->sp.value;
    return out;
  }
  return std::nullopt;
}

Result<Step> ThreadTimeline::step() {
  if (!has_last_) return Step{};
  TRY_VOID(window_.count_steps(*segment_));
  return Step{segment_->steps[last_]};
}

void ThreadTimeline::teach(CallDeltas& deltas) {
  const TwSegmentHeader& header = segment_->entry->segment;
  if (chunk_ != header.chunk) {
    chunk_ = header.chunk;
    changes_ = 0;
    deltas.clear();
  }
  if (segment_->deltas == nullptr) return;  // there are no others
  const std::vector<ChunkDeltas::Change>& changes = segment_->deltas->changes;
  for (; changes_ < changes.size() && changes[changes_].block < header.first_block + last_;
       ++changes_)
    deltas[changes[changes_].id] = changes[changes_].delta;
}

}  // namespace twinrun
