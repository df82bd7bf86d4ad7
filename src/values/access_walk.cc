// SPDX-License-Identifier: MIT
#include "values/access_walk.h"

#include <algorithm>

namespace twinrun {

bool AccessWalk::runs_in(uint32_t segment, uint64_t from) const {
  const FrameEntry& frame = view_.values->reader().frames()[view_.process().segments[segment]];
  return std::ranges::any_of(frame.threads, [&](const TwThreadSpan& span) {
    return span.thread == thread_.value && span.first_step + span.instructions > from;
  });
}

Result<bool> AccessWalk::enter(uint64_t from) {
  while (number_ < view_.values->segments() && !runs_in(number_, from)) ++number_;
  if (number_ >= view_.values->segments()) return false;
  TRY(segment_, view_.values->segment(number_++));
  run_ = ordinal_ = 0;
  code_ = nullptr;
  return true;
}

Result<bool> AccessWalk::next(uint64_t from, uint64_t to, ThreadAccess& out) {
  for (;;) {
    if (segment_ == nullptr) {
      TRY(const bool entered, enter(from));
      if (!entered) return false;
    }
    const std::vector<ThreadRun>& runs = segment_->runs.runs;
    while (run_ < runs.size() && (runs[run_].thread != thread_.value ||
                                  ordinal_ >= runs[run_].first + runs[run_].count)) {
      ++run_;
      code_ = nullptr;
    }
    if (run_ == runs.size()) {
      segment_ = nullptr;
      continue;
    }
    if (ordinal_ < runs[run_].first) ordinal_ = runs[run_].first;
    const uint64_t step = segment_->steps[ordinal_];
    if (code_ == nullptr) {
      if (step + segment_->counts[ordinal_] <= from) {
        // Far behind: blocks of the run are in the order of their steps.
        const auto first = segment_->steps.begin() + ordinal_;
        const auto last = segment_->steps.begin() + runs[run_].first + runs[run_].count;
        const auto behind = std::upper_bound(first, last, from);
        ordinal_ = std::max<uint32_t>(ordinal_ + 1,
                                      static_cast<uint32_t>(behind - segment_->steps.begin()) - 1);
        continue;
      }
      if (step >= to) return false;
      const BlockDef* def = view_.values->dictionary().find(segment_->value(ordinal_));
      if (def == nullptr) return fail("T022", "a block is not defined");
      TRY(code_, view_.values->code().compiled(*def));
      access_ = 0;
    }
    const uint32_t first = segment_->first_access[ordinal_];
    const uint32_t count = segment_->first_access[ordinal_ + 1] - first;
    for (; access_ < count && access_ < code_->accesses.size(); ++access_) {
      const MemoryAccess& access = code_->accesses[access_];
      const uint64_t at = step + std::min(access.instruction, segment_->counts[ordinal_]);
      if (at >= to) return false;
      if (at < from || segment_->addresses[first + access_] == SegmentValues::kNotDone) continue;
      out = {at,
             {segment_->number, ordinal_},
             segment_->value(ordinal_),
             access.instruction,
             access.kind == MemoryAccess::Kind::kStore,
             access.size,
             segment_->addresses[first + access_],
             segment_->values[first + access_]};
      if (access.size < 8) out.value &= (uint64_t{1} << access.size * 8) - 1;
      ++access_;
      return true;
    }
    code_ = nullptr;
    ++ordinal_;
  }
}

}  // namespace twinrun
