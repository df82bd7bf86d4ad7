// SPDX-License-Identifier: MIT
#include "values/call_chains.h"

#include "calls/call_tracker.h"

#include <algorithm>
#include <numeric>

namespace twinrun {
namespace {

void append(std::span<const CallFrame> frames, const Dictionary& dictionary,
            std::vector<ActiveCalls::Frame>& out) {
  for (size_t i = frames.size(); i-- > 0;) {
    const CallFrame& frame = frames[i];
    const BlockDef* def = frame.caller == 0 ? nullptr : dictionary.find(frame.caller);
    out.push_back({.function = frame.function,
                   .sp = frame.sp,
                   .block = frame.block,
                   .call = def == nullptr ? 0 : def->last_instruction().value,
                   .is_inherited = frame.is_inherited,
                   .is_call = frame.kind == CallFrame::Kind::kCall});
  }
}

void append_interrupted(const CallTracker& tracker, ThreadNo thread, const Dictionary& dictionary,
                        std::vector<ActiveCalls::Frame>& out) {
  std::vector<std::span<const CallFrame>> stacks;
  tracker.for_all_stacks([&](ThreadNo of, std::span<const CallFrame> frames) {
    if (of == thread && !frames.empty()) stacks.push_back(frames);
  });
  while (stacks.size() > 1 && stacks.back().front().kind == CallFrame::Kind::kSignal) {
    stacks.pop_back();
    append(stacks.back(), dictionary, out);
  }
}

}  // namespace

Result<std::vector<ActiveCalls>> active_calls(ProcessView& view, std::span<const BlockAt> blocks) {
  std::vector<ActiveCalls> out(blocks.size());
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return blocks[i]; });
  const Process& process = view.process();
  const Reader& reader = view.values->reader();
  const Dictionary& dictionary = view.values->dictionary();
  CodePlaces& places = view.of.places();
  const auto chunk_of = [&](uint32_t segment) {
    while (segment > 0 &&
           (reader.frames()[process.segments[segment]].segment.flags & TW_SEGMENT_CHUNK_START) == 0)
      --segment;
    return segment;
  };
  for (size_t next = 0; next < order.size();) {
    CallListener nobody;
    CallTracker tracker(dictionary, places, nobody);
    Timeline timeline(reader, dictionary, process);
    timeline.without_steps();
    const uint32_t chunk = chunk_of(blocks[order[next]].segment);
    timeline.seek_segment(chunk);
    for (Timeline::Item item; next < order.size();) {
      const BlockAt wanted = blocks[order[next]];
      if (chunk_of(wanted.segment) != chunk) break;
      TRY(const bool more, timeline.next(item));
      if (!more) return out;
      if (item.is_event) {
        tracker.event(item);
        continue;
      }
      tracker.arrive(item);
      while (next < order.size() && timeline.segment_number() == blocks[order[next]].segment &&
             item.execution.ordinal == blocks[order[next]].ordinal) {
        ActiveCalls& calls = out[order[next++]];
        calls.thread = item.thread;
        calls.is_lost = tracker.is_lost(item.thread);
        append(tracker.frames(item.thread), dictionary, calls.frames);
        append_interrupted(tracker, item.thread, dictionary, calls.interrupted);
      }
      tracker.depart(item);
    }
  }
  return out;
}

Result<std::vector<std::vector<uint64_t>>> call_chains(ProcessView& view,
                                                       std::span<const BlockAt> blocks) {
  TRY(const std::vector<ActiveCalls> active, active_calls(view, blocks));
  std::vector<std::vector<uint64_t>> out(blocks.size());
  for (size_t i = 0; i < active.size(); ++i) {
    for (const ActiveCalls::Frame& frame : active[i].frames)
      if (frame.call != 0) out[i].push_back(frame.call);
  }
  return out;
}

}  // namespace twinrun
