// SPDX-License-Identifier: MIT
#include "trace/timeline.h"

#include <algorithm>

namespace twinrun {

std::optional<uint32_t> thread_of(const Event& event) {
  if (traits_of(event.kind).owner != EventOwner::kThread) return std::nullopt;
  ByteReader in(event.payload);
  const uint64_t thread = in.varint();
  if (in.failed() || thread > kThreadMax) return std::nullopt;
  return static_cast<uint32_t>(thread);
}

Result<bool> Timeline::enter_segment() {
  if (segment_ >= process_.segments.size()) return false;
  const uint32_t frame = process_.segments[segment_++];
  const FrameEntry& entry = reader_.frames()[frame];
  TRY(data_, reader_.load(frame, stream_bit(TW_STREAM_BLOCKS) | stream_bit(TW_STREAM_EVENTS)));
  TRY(runs_,
      segment_runs(data_.events(), entry.segment.block_count, entry.segment.thread_at_start));
  step_of_.clear();
  if (counts_steps_) {
    TRY_VOID(count_each_block(dictionary_.counts(), data_.blocks(), runs_, entry.threads, counts_));
  }
  for (const TwThreadSpan& span : entry.threads) steps_[span.thread] = span.first_step;
  events_.emplace(data_.events());
  if (!events_->next(pending_)) events_.reset();
  run_ = partial_ = 0;
  ordinal_ = 0;
  blocks_ = entry.segment.block_count;
  first_block_ = entry.segment.first_block;
  thread_ = entry.segment.thread_at_start;
  return true;
}

Result<bool> Timeline::next(Item& out) {
  while (!events_ && ordinal_ >= blocks_) {
    TRY(const bool entered, enter_segment());
    if (!entered) return false;
  }
  out.stack_miss = nullptr;
  if (events_ && pending_.at <= ordinal_) {
    out.is_event = true;
    out.event = pending_;
    if (pending_.kind == EventKind::kThreadSwitch)
      if (const auto change = ThreadEvent::parse(pending_)) thread_ = change->thread;
    out.thread = {thread_of(pending_).value_or(thread_)};
    out.step = {counts_steps_ ? steps_[out.thread.value] : 0};
    out.blocks = first_block_ + pending_.at;
    if (!events_->next(pending_)) events_.reset();
    return true;
  }
  while (ordinal_ >= runs_.runs[run_].first + runs_.runs[run_].count) ++run_;
  while (partial_ < runs_.partial.size() && runs_.partial[partial_].ordinal < ordinal_) ++partial_;
  thread_ = runs_.runs[run_].thread;
  out.is_event = false;
  Execution& e = out.execution;
  e.ordinal = ordinal_;
  e.block = first_block_ + ordinal_;
  e.value = block_at(data_.blocks(), ordinal_);
  e.thread = out.thread = {thread_};
  e.partial = partial_ < runs_.partial.size() && runs_.partial[partial_].ordinal == ordinal_;
  out.blocks = e.block;
  if (counts_steps_) {
    uint64_t& steps = steps_[thread_];
    e.step = out.step = {steps};
    e.instructions = counts_[ordinal_];
    steps += e.instructions;
  } else {
    e.step = out.step = {};
    e.instructions = e.partial ? runs_.partial[partial_].completed : 0;
  }
  ++ordinal_;
  if (events_ && pending_.kind == EventKind::kStack && pending_.at == ordinal_)
    if (const auto stack = StackEvent::parse(pending_)) {
      stack_ = *stack;
      out.stack_miss = &stack_;
    }
  return true;
}

Timeline::Ahead Timeline::ahead() const {
  if (ordinal_ >= blocks_) return {};
  uint64_t end = blocks_;
  // The stack pointer that an event tells belongs to the block in front of it.
  if (events_) end = pending_.kind == EventKind::kStack ? pending_.at - 1 : pending_.at;
  size_t run = run_;
  while (ordinal_ >= runs_.runs[run].first + runs_.runs[run].count) ++run;
  if (runs_.runs[run].thread != thread_) return {};
  end = std::min<uint64_t>(end, runs_.runs[run].first + runs_.runs[run].count);
  size_t partial = partial_;
  while (partial < runs_.partial.size() && runs_.partial[partial].ordinal < ordinal_) ++partial;
  if (partial < runs_.partial.size()) end = std::min<uint64_t>(end, runs_.partial[partial].ordinal);
  if (end <= ordinal_) return {};
  Ahead out{data_.blocks().data() + size_t{4} * ordinal_,
            static_cast<uint32_t>(end - ordinal_),
            first_block_ + ordinal_,
            nullptr,
            {}};
  if (counts_steps_) {
    out.instructions = counts_.data() + ordinal_;
    const auto steps = steps_.find(thread_);
    out.step = {steps == steps_.end() ? 0 : steps->second};
  }
  return out;
}

void Timeline::skip(uint32_t count) {
  if (counts_steps_ && count > 0) {
    uint64_t& steps = steps_[thread_];
    for (uint32_t i = 0; i < count; ++i) steps += counts_[ordinal_ + i];
  }
  ordinal_ += count;
}

std::optional<Timeline::StackPointer> Timeline::next_stack_pointer(
    const std::function<uint32_t(uint32_t)>& jump_of) const {
  if (ordinal_ == 0) return std::nullopt;
  size_t run = 0;
  while (run < runs_.runs.size() && ordinal_ - 1 >= runs_.runs[run].first + runs_.runs[run].count)
    ++run;
  if (run == runs_.runs.size()) return std::nullopt;
  StackPointer out;
  uint32_t at = ordinal_ - 1;
  for (; at < runs_.runs[run].first + runs_.runs[run].count; ++at) {
    out.jump = jump_of(block_at(data_.blocks(), at));
    if (out.jump != 0) break;
  }
  if (out.jump == 0) return std::nullopt;
  if (!events_) return std::nullopt;
  EventReader events = *events_;
  Event event = pending_;
  for (bool more = true; more && event.at <= at + 1; more = events.next(event)) {
    if (event.kind != EventKind::kStack || event.at != at + 1) continue;
    const auto stack = StackEvent::parse(event);
    if (!stack) return std::nullopt;
    out.sp = stack->sp.value;
    return out;
  }
  return std::nullopt;
}

Result<Step> Timeline::step() {
  if (segment_ == 0 || ordinal_ == 0) return Step{};
  const FrameEntry& entry = reader_.frames()[process_.segments[segment_ - 1]];
  if (step_of_.empty()) {
    TRY_VOID(count_each_block(dictionary_.counts(), data_.blocks(), runs_, entry.threads, counts_));
    step_of_.resize(blocks_);
    std::map<uint32_t, uint64_t> steps;
    for (const TwThreadSpan& span : entry.threads) steps[span.thread] = span.first_step;
    for (const ThreadRun& run : runs_.runs) {
      uint64_t& now = steps[run.thread];
      for (uint32_t i = run.first; i < run.first + run.count; ++i) {
        step_of_[i] = now;
        now += counts_[i];
      }
    }
  }
  return Step{step_of_[ordinal_ - 1]};
}

bool Timeline::seek_segment(ThreadNo thread, Step step) {
  for (size_t i = 0; i < process_.segments.size(); ++i) {
    for (const TwThreadSpan& span : reader_.frames()[process_.segments[i]].threads) {
      if (span.thread != thread.value || step.value < span.first_step ||
          step.value - span.first_step >= span.instructions)
        continue;
      // Where the other threads are.
      steps_.clear();
      for (size_t before = 0; before < i; ++before)
        for (const TwThreadSpan& s : reader_.frames()[process_.segments[before]].threads)
          steps_[s.thread] = s.first_step + s.instructions;
      segment_ = i;
      events_.reset();
      ordinal_ = blocks_ = 0;
      return true;
    }
  }
  return false;
}

void Timeline::seek_segment(size_t number) {
  steps_.clear();
  segment_ = number;
  events_.reset();
  ordinal_ = blocks_ = 0;
}

}  // namespace twinrun
