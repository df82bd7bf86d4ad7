// SPDX-License-Identifier: MIT
// A walk over one thread needs the thread's own blocks and events, and one thing of the others: the
// stack pointer differences by which calls are predicted are learned by all threads together
// (docs/trace-format.md, "Stack pointer prediction"). A call that was predicted from what another
// thread learned cannot be followed without it.
//
// So the calls and returns of all threads are replayed once, segment by segment, on their call
// rings alone, and every change of a difference is written down with its place. A walk takes over
// the changes in front of a block when its thread gets to run. A chunk tells all rings again and
// begins with no differences: a replay can start at any chunk, so that nothing is kept of those
// that all walks have left, and a walk that lags behind has its chunk replayed.
//
// Costs a look at a table for each block, and only in processes with several threads.
#include "trace/segment_window.h"

#include "trace/timeline.h"

#include <algorithm>
#include <optional>

namespace twinrun {
namespace {

constexpr size_t kSegmentsKept = 6;
constexpr size_t kChunksKept = 4;

/// Takes the one away that was used longest ago.
template <typename Map>
void make_room(Map& map, size_t most) {
  while (map.size() >= most)
    map.erase(std::ranges::min_element(map, {}, [](const auto& e) { return e.second.used; }));
}

ThreadPart& part_of(std::vector<ThreadPart>& parts, uint32_t thread) {
  const auto at = std::ranges::lower_bound(parts, thread, {}, &ThreadPart::thread);
  if (at != parts.end() && at->thread == thread) return *at;
  return *parts.insert(at, ThreadPart{thread, {}, {}});
}

/// Events go to the thread that they name, stack pointers to the one that was running.
void take_apart(LoadedSegment& segment) {
  for (const ThreadRun& run : segment.runs.runs)
    part_of(segment.threads, run.thread).runs.push_back(run);
  EventReader in(segment.data.events());
  Event event;
  uint32_t running = segment.entry->segment.thread_at_start;
  while (in.next(event)) {
    if (event.kind == EventKind::kThreadSwitch)
      if (const auto change = ThreadEvent::parse(event)) running = change->thread;
    const std::optional<uint32_t> named =
        event.kind == EventKind::kStack ? std::optional(running) : thread_of(event);
    if (named) part_of(segment.threads, *named).events.push_back(event);
  }
}

}  // namespace

const ThreadPart* LoadedSegment::of(uint32_t thread) const {
  const auto at = std::ranges::lower_bound(threads, thread, {}, &ThreadPart::thread);
  return at != threads.end() && at->thread == thread ? &*at : nullptr;
}

Result<std::shared_ptr<LoadedSegment>> SegmentWindow::decode(size_t number) {
  if (const auto found = kept_.find(number); found != kept_.end()) {
    found->second.used = ++clock_;
    return found->second.segment;
  }
  const uint32_t frame = process_.segments[number];
  auto out = std::make_shared<LoadedSegment>();
  out->entry = &reader_.frames()[frame];
  const TwSegmentHeader& header = out->entry->segment;
  TRY(out->data, reader_.load(frame, stream_bit(TW_STREAM_BLOCKS) | stream_bit(TW_STREAM_EVENTS),
                              decoded_.get()));
  TRY(out->runs, segment_runs(out->data.events(), header.block_count, header.thread_at_start));
  take_apart(*out);
  make_room(kept_, kSegmentsKept);
  kept_[number] = {out, ++clock_};
  return out;
}

Result<std::shared_ptr<LoadedSegment>> SegmentWindow::load(size_t number) {
  if (process_.thread_steps.size() < 2) return decode(number);
  Chunk& chunk = chunk_of(number);
  for (; chunk.next <= number; ++chunk.next) {
    TRY(const auto segment, decode(chunk.next));
    replay(chunk, *segment);
  }
  TRY(auto out, decode(number));
  out->deltas = chunk.deltas;
  return out;
}

size_t SegmentWindow::chunk_start(size_t number) const {
  const auto starts = [&](size_t n) {
    return (reader_.frames()[process_.segments[n]].segment.flags & TW_SEGMENT_CHUNK_START) != 0;
  };
  while (number > 0 && !starts(number)) --number;
  return number;
}

SegmentWindow::Chunk& SegmentWindow::chunk_of(size_t number) {
  const size_t first = chunk_start(number);
  auto found = chunks_.find(first);
  if (found == chunks_.end()) {
    make_room(chunks_, kChunksKept);
    found = chunks_.try_emplace(first).first;
    found->second.next = first;
  }
  found->second.used = ++clock_;
  return found->second;
}

void SegmentWindow::find_ways() {
  ways_.resize(dictionary_.counts().size(), Way::kOther);
  for (uint32_t value = 0; value < ways_.size(); ++value) {
    const BlockDef* def = dictionary_.find(value);
    if (def == nullptr || value - def->id.value + 1 != def->variants) continue;
    ways_[value] = def->jump == TW_JUMP_CALL     ? Way::kCall
                   : def->jump == TW_JUMP_RETURN ? Way::kReturn
                                                 : Way::kOther;
  }
}

void SegmentWindow::replay(Chunk& chunk, const LoadedSegment& segment) {
  if (ways_.empty()) find_ways();
  const uint64_t first_block = segment.entry->segment.first_block;
  const ByteSpan blocks = segment.data.blocks();
  EventReader in(segment.data.events());
  Event event;
  bool more = in.next(event);
  const auto take_events = [&](uint64_t until) {
    for (; more && event.at <= until; more = in.next(event)) {
      if (event.kind == EventKind::kChunk) chunk.now.clear();
      if (event.kind != EventKind::kCalls) continue;
      if (const auto calls = CallsEvent::parse(event))
        if (auto told = CallStack::parse(*calls))
          chunk.threads[calls->thread].set(std::move(*told));
    }
  };
  auto partial = segment.runs.partial.begin();
  for (const ThreadRun& run : segment.runs.runs) {
    CallStack& ring = chunk.threads[run.thread];
    for (uint32_t at = run.first; at < run.first + run.count; ++at) {
      if (more && event.at <= at) take_events(at);
      const uint32_t value = block_at(blocks, at);
      if (value >= ways_.size() || ways_[value] == Way::kOther) continue;
      while (partial != segment.runs.partial.end() && partial->ordinal < at) ++partial;
      if (partial != segment.runs.partial.end() && partial->ordinal == at) continue;
      std::optional<StackEvent> miss;
      if (more && event.kind == EventKind::kStack && event.at == at + 1)
        miss = StackEvent::parse(event);
      if (ways_[value] == Way::kReturn) {
        ring.ret(miss ? &*miss : nullptr);
        continue;
      }
      const uint32_t id = dictionary_.find(value)->id.value;
      ring.call(id, miss ? &*miss : nullptr, chunk.now);
      if (miss) chunk.deltas->changes.push_back({first_block + at, id, chunk.now[id]});
    }
  }
  take_events(segment.entry->segment.block_count);
}

Result<void> SegmentWindow::count_steps(LoadedSegment& segment) const {
  if (!segment.steps.empty()) return {};
  std::vector<uint32_t> counts;
  TRY_VOID(count_each_block(dictionary_.counts(), segment.data.blocks(), segment.runs,
                            segment.entry->threads, counts));
  segment.steps.resize(counts.size());
  std::map<uint32_t, uint64_t> steps;
  for (const TwThreadSpan& span : segment.entry->threads) steps[span.thread] = span.first_step;
  for (const ThreadRun& run : segment.runs.runs) {
    uint64_t& now = steps[run.thread];
    for (uint32_t i = run.first; i < run.first + run.count; ++i) {
      segment.steps[i] = now;
      now += counts[i];
    }
  }
  return {};
}

}  // namespace twinrun
