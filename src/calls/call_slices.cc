// SPDX-License-Identifier: MIT
#include "calls/call_slices.h"

#include "base/text.h"
#include "calls/call_walk.h"
#include "run/executable_files.h"
#include "run/function_labels.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace twinrun {
namespace {

/// Keeps the longest slices: with twice as many as wanted, the shorter half goes.
class Longest {
 public:
  Longest(CallSlices& out, size_t limit) : out_(out), limit_(limit) {}

  void add(const CallSlice& slice) {
    ++out_.calls;
    if (slice.to - slice.from < out_.shortest) return;
    out_.slices.push_back(slice);
    if (limit_ != 0 && out_.slices.size() / 2 >= limit_) cut();
  }

  void cut() {
    if (limit_ == 0 || out_.slices.size() <= limit_) return;
    std::vector<uint64_t> sizes;
    sizes.reserve(out_.slices.size());
    for (const CallSlice& slice : out_.slices) sizes.push_back(slice.to - slice.from);
    const auto first_out = sizes.begin() + static_cast<ptrdiff_t>(limit_);
    std::ranges::nth_element(sizes, first_out, std::greater());
    // All of one length stay or go together.
    out_.shortest = *first_out + 1;
    std::erase_if(out_.slices,
                  [&](const CallSlice& slice) { return slice.to - slice.from < out_.shortest; });
  }

 private:
  CallSlices& out_;
  size_t limit_;
};

/// A frame's tag: the number of its name plus one, and the stack that it is on.
constexpr uint64_t kNameMask = (uint64_t{1} << 32) - 1;
constexpr unsigned kStackShift = 32;

class SliceListener : public CallListener {
 public:
  SliceListener(CallWalk& walk, NameTable& names, std::map<CallSlices::Track, uint32_t>& tracks,
                Longest& out)
      : walk_(walk), labels_(walk.places(), walk.maps(), names), tracks_(tracks), out_(out) {}

  void called(ThreadNo /*thread*/, CallFrame& frame) override { frame.tag &= ~kNameMask; }

  void entered(ThreadNo thread, CallFrame& frame) override {
    if (frame.kind == CallFrame::Kind::kStack)
      frame.tag = uint64_t{++stacks_[thread.value]} << kStackShift;
    name(frame);
  }

  void jumped(ThreadNo /*thread*/, CallFrame& frame, uint32_t /*from*/) override {
    if ((frame.tag & kNameMask) == 0) name(frame);
  }

  void left(ThreadNo thread, CallFrame& frame, FrameEnd /*how*/, Step step) override {
    // A call that was under way at a fork and never ran here.
    if (frame.function == CodePlaces::kUnknown && frame.is_inherited) return;
    const uint64_t named = frame.tag & kNameMask;
    const CallSlices::Track track{walk_.process().number(), thread.value,
                                  static_cast<uint32_t>(frame.tag >> kStackShift)};
    const auto [found, is_new] = tracks_.try_emplace(track, static_cast<uint32_t>(tracks_.size()));
    out_.add({.track = found->second,
              .name = named != 0 ? static_cast<uint32_t>(named - 1)
                                 : labels_.label(frame.function, frame.entry, frame.block),
              .from = std::min(frame.step.value, step.value),
              .to = step.value});
  }

 private:
  /// Behind a stub is what was called.
  void name(CallFrame& frame) {
    if (is_on_the_way(walk_.places().function(frame.function))) return;
    frame.tag = (frame.tag & ~kNameMask) |
                (uint64_t{labels_.label(frame.function, frame.entry, frame.block)} + 1);
  }

  CallWalk& walk_;
  FunctionLabels labels_;
  std::map<CallSlices::Track, uint32_t>& tracks_;
  Longest& out_;
  std::map<uint32_t, uint32_t> stacks_;  // that a thread has switched to
};

/// What was left last comes first among those that began together: it is around the others.
void nest(std::vector<CallSlice>& slices) {
  std::ranges::reverse(slices);
  std::ranges::stable_sort(slices, [](const CallSlice& x, const CallSlice& y) {
    return std::tuple(x.track, x.from, y.to) < std::tuple(y.track, y.from, x.to);
  });
  std::vector<const CallSlice*> around;
  for (CallSlice& slice : slices) {
    while (!around.empty() &&
           (around.back()->track != slice.track || around.back()->to <= slice.from))
      around.pop_back();
    // Where the stack of a run is not understood, frames can be left too late.
    if (!around.empty()) slice.to = std::min(slice.to, around.back()->to);
    around.push_back(&slice);
  }
}

}  // namespace

Result<CallSlices> call_slices(Run& run, const CallSliceOptions& options) {
  CallSlices out;
  Longest longest(out, options.limit);
  NameTable names;
  std::map<CallSlices::Track, uint32_t> tracks;
  uint64_t before = 0;
  for (const auto& [number, process] : run.reader().processes()) {
    TRY(const auto files, executable_files(run.reader(), {number}));
    out.processes[number] = files.empty() ? "" : std::string(base_name(files[0].path));
    CallWalk::Options walking;
    if (options.progress)
      walking.progress = [&](uint64_t done) { options.progress(before + done); };
    TRY(const auto borrowed, run.borrow(number));
    TRY(const auto walk, CallWalk::open(*borrowed, walking));
    SliceListener listener(*walk, names, tracks, longest);
    TRY_VOID(walk->run(listener));
    before += process.instructions;
  }
  longest.cut();
  nest(out.slices);
  out.names = names.names();
  out.tracks.resize(tracks.size());
  for (const auto& [track, number] : tracks) out.tracks[number] = track;
  return out;
}

}  // namespace twinrun
