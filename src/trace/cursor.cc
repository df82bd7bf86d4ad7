// SPDX-License-Identifier: MIT
#include "trace/cursor.h"

namespace twinrun {

Result<bool> BlockCursor::enter_segment(size_t number) {
  if (number >= process_.segments.size()) {
    segment_ = process_.segments.size();
    ordinal_ = end_ = 0;
    return false;
  }
  const uint32_t frame = process_.segments[number];
  const FrameEntry& entry = reader_.frames()[frame];
  TRY(data_, reader_.load(frame, stream_bit(TW_STREAM_BLOCKS) | stream_bit(TW_STREAM_EVENTS)));
  TRY(runs_,
      segment_runs(data_.events(), entry.segment.block_count, entry.segment.thread_at_start));
  TRY_VOID(count_each_block(dictionary_.counts(), data_.blocks(), runs_, entry.threads, counts_));
  steps_.clear();
  for (const TwThreadSpan& span : entry.threads) steps_[span.thread] = span.first_step;
  segment_ = number + 1;
  run_ = 0;
  partial_ = 0;
  ordinal_ = 0;
  end_ = entry.segment.block_count;
  return true;
}

Result<bool> BlockCursor::next(Execution& out) {
  for (;;) {
    if (ordinal_ >= end_) {
      // Segments in which the wanted thread does not run need not be read.
      size_t number = segment_;
      if (thread_) {
        const auto runs_here = [&](const FrameEntry& entry) {
          for (const TwThreadSpan& span : entry.threads)
            if (span.thread == thread_->value) return true;
          return false;
        };
        while (number < process_.segments.size() &&
               !runs_here(reader_.frames()[process_.segments[number]]))
          ++number;
      }
      TRY(const bool entered, enter_segment(number));
      if (!entered) return false;
      continue;
    }
    while (ordinal_ >= runs_.runs[run_].first + runs_.runs[run_].count) ++run_;
    const ThreadRun& run = runs_.runs[run_];
    if (thread_ && run.thread != thread_->value) {
      ordinal_ = run.first + run.count;
      continue;
    }
    while (partial_ < runs_.partial.size() && runs_.partial[partial_].ordinal < ordinal_)
      ++partial_;
    uint64_t& steps = steps_[run.thread];
    out.ordinal = ordinal_;
    out.block = frame().segment.first_block + ordinal_;
    out.value = block_at(data_.blocks(), ordinal_);
    out.thread = {run.thread};
    out.step = {steps};
    out.instructions = counts_[ordinal_];
    out.partial = partial_ < runs_.partial.size() && runs_.partial[partial_].ordinal == ordinal_;
    steps += out.instructions;
    ++ordinal_;
    return true;
  }
}

Result<bool> BlockCursor::seek(ThreadNo thread, Step step) {
  for (size_t i = 0; i < process_.segments.size(); ++i) {
    for (const TwThreadSpan& span : reader_.frames()[process_.segments[i]].threads) {
      if (span.thread != thread.value || step.value < span.first_step ||
          step.value - span.first_step >= span.instructions)
        continue;
      TRY(const bool entered, enter_segment(i));
      if (!entered) return false;
      for (const ThreadRun& run : runs_.runs) {
        for (uint32_t at = run.first; at < run.first + run.count; ++at) {
          uint64_t& steps = steps_[run.thread];
          if (run.thread == thread.value && steps <= step.value &&
              step.value - steps < counts_[at]) {
            ordinal_ = at;
            return true;
          }
          steps += counts_[at];
        }
      }
      return fail("T006", "step {} of thread {} is not where the segment says", step.value,
                  thread.value);
    }
  }
  return false;
}

}  // namespace twinrun
