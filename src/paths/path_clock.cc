// SPDX-License-Identifier: MIT
#include "paths/path_clock.h"

#include "base/check.h"
#include "paths/folded_difference.h"
#include "trace/coding.h"

#include <utility>

namespace twinrun {

void PathClock::happened(PathEvent event, PathPosition at) {
  if (event.is_exit()) {
    if (!frames_.empty()) frames_.pop_back();
    return;
  }
  if (event.is_entry()) {
    *waited_ = at - now_;
    now_ = at;
    frames_.push_back(event.function());
    return;
  }
  function_ = frames_.empty() ? ~0u : frames_.back();
  block_ = event.block();
  now_ = at + lengths_->of(function_, block_);
}

void PathClockBuilder::surprise(uint32_t event, PathPosition difference) {
  surprises_.varint(events_ + event - last_surprise_);
  // Wraps around: a call can come earlier than the last time.
  surprises_.varint(fold_difference(difference));
  last_surprise_ = events_ + event;
}

void PathClockBuilder::take(const PathTold& told) {
  for (const PathMark& mark : told.marks) {
    // The last block is in front of an entry or an exit, or has been met at an earlier one.
    const PathEvent before = mark.event == 0 ? last_ : told.events[mark.event - 1];
    if (before.is_block()) place_ = PathClock::place(frames_.back(), before.block());
    const PathEvent event = told.events[mark.event];
    if (event.is_block()) {
      surprise(mark.event, mark.gap);
    } else if (event.is_entry()) {
      PathPosition& waited = stubs_[place_];
      if (waited != mark.gap) surprise(mark.event, mark.gap - std::exchange(waited, mark.gap));
      frames_.push_back(event.function());
    } else {
      // When an invocation ends does not matter.
      CHECK(!frames_.empty()) << "an exit outside of any function";
      frames_.pop_back();
    }
  }
  events_ += told.events.size();
  if (!told.events.empty()) last_ = told.events.back();
}

Bytes PathClockBuilder::finish(int level) const {
  ByteWriter out;
  out.fixed(static_cast<uint64_t>(surprises_.bytes().size()));
  out.raw(zstd_compress(surprises_.bytes(), level));
  return out.take();
}

Result<PathClockReader> PathClockReader::open(ByteSpan bytes, const PathLengths& lengths) {
  ByteReader in(bytes);
  const auto size = in.fixed<uint64_t>();
  if (in.failed()) return fail("T006", "the steps of paths are cut short");
  TRY(Bytes raw, zstd_decompress(bytes.subspan(in.position()), size));
  return PathClockReader(std::move(raw), lengths);
}

PathClockReader::PathClockReader(Bytes raw, const PathLengths& lengths)
    : raw_(std::move(raw)), clock_(lengths) {
  next_surprise();
}

void PathClockReader::next_surprise() {
  ByteReader in(ByteSpan(raw_).subspan(at_));
  const uint64_t distance = in.varint();
  const uint64_t word = in.varint();
  surprise_at_ = in.failed() ? ~uint64_t{0} : surprise_at_ + distance;
  surprise_ = unfold_difference(word);
  at_ += in.position();
}

void PathClockReader::steps(PathTraceView events, std::vector<PathPosition>& out) {
  out.resize(events.size());
  for (size_t i = 0; i < events.size(); ++i, ++events_) {
    PathPosition at = clock_.expected(events[i]);
    if (events_ == surprise_at_) {
      at += surprise_;
      next_surprise();
    }
    clock_.happened(events[i], at);
    out[i] = at;
  }
}

}  // namespace twinrun
