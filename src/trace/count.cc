// SPDX-License-Identifier: MIT
#include "trace/count.h"

#include "trace/event.h"

#include <algorithm>

namespace twinrun {
namespace {

std::unexpected<Error> undefined_value(uint32_t value) {
  return fail("T006", "block {} was executed but is not defined", value);
}

// Sums the counts of blocks [first, last). `before` is the value in front of them.
Result<uint64_t> sum(const CountTable& table, ByteSpan blocks, uint32_t first, uint32_t last,
                     uint32_t before) {
  const CountTable::Entry* const entries = table.data();
  const uint32_t size = table.size();
  uint64_t total = 0;
  for (uint32_t i = first; i < last; ++i) {
    const uint32_t value = block_at(blocks, i);
    if (value >= size) [[unlikely]]
      return undefined_value(value);
    const CountTable::Entry entry = entries[value];
    total += entry.count;
    if (entry.special != 0) [[unlikely]] {
      if (entry.special == CountTable::kUndefined) return undefined_value(value);
      const uint32_t previous = i == first ? before : block_at(blocks, i - 1);
      if (previous < size && is_last_arrival(entries[previous], entry)) total -= entry.count;
    }
  }
  return total;
}

}  // namespace

Result<SegmentRuns> segment_runs(ByteSpan events, uint32_t block_count, uint32_t thread_at_start) {
  SegmentRuns out;
  uint32_t thread = thread_at_start;
  uint32_t from = 0;
  uint64_t at = 0;
  const auto end_run = [&](uint32_t to) {
    if (to > from) out.runs.push_back({thread, from, to - from});
    from = to;
  };
  EventReader in(events);
  Event event;
  while (in.next(event)) {
    if (event.at < at || event.at > block_count)
      return fail("T006", "event {} at byte {} has a position out of order", event.number,
                  in.position());
    at = event.at;
    if (event.kind == EventKind::kThreadSwitch) {
      const auto change = ThreadEvent::parse(event);
      if (!change || change->thread > kThreadMax)
        return fail("T006", "a thread switch is malformed");
      end_run(static_cast<uint32_t>(at));
      thread = change->thread;
    } else if (event.kind == EventKind::kSignal) {
      const auto signal = SignalEvent::parse(event);
      if (!signal) return fail("T006", "a signal event is malformed");
      if ((signal->flags & TW_SIGNAL_PARTIAL) != 0 && at > 0)
        out.partial.push_back({static_cast<uint32_t>(at) - 1, signal->completed});
    }
  }
  if (in.failed()) return fail("T006", "the events of a segment are cut short");
  end_run(block_count);
  out.thread_at_end = thread;
  return out;
}

Result<InstructionCounter::Segment> InstructionCounter::count(const CountTable& table,
                                                              ByteSpan blocks, ByteSpan events,
                                                              uint32_t thread_at_start) {
  const auto block_count = static_cast<uint32_t>(blocks.size() / 4);
  TRY(const SegmentRuns runs, segment_runs(events, block_count, thread_at_start));
  Segment out;
  out.thread_at_end = runs.thread_at_end;
  std::map<uint32_t, Thread> changed;
  std::map<uint32_t, TwThreadSpan> spans;
  auto partial = runs.partial.begin();
  for (const ThreadRun& run : runs.runs) {
    auto [it, is_new] = changed.try_emplace(run.thread);
    Thread& thread = it->second;
    TwThreadSpan& span = spans[run.thread];
    if (is_new) {
      if (const auto known = threads_.find(run.thread); known != threads_.end())
        thread = known->second;
      span.thread = run.thread;
      span.first_step = thread.steps;
    }
    uint32_t from = run.first;
    const uint32_t to = run.first + run.count;
    uint64_t total = 0;
    for (; partial != runs.partial.end() && partial->ordinal < to; ++partial) {
      if (partial->ordinal < from) continue;  // said twice of one block
      TRY(const uint64_t whole, sum(table, blocks, from, partial->ordinal, thread.last_value));
      if (!table.defined(block_at(blocks, partial->ordinal)))
        return undefined_value(block_at(blocks, partial->ordinal));
      total += whole + partial->completed;
      from = partial->ordinal + 1;
      thread.last_value = 0;
    }
    TRY(const uint64_t rest, sum(table, blocks, from, to, thread.last_value));
    total += rest;
    if (to > from) thread.last_value = block_at(blocks, to - 1);
    thread.steps += total;
    span.blocks += run.count;
    span.instructions += total;
    out.instructions += total;
  }
  for (const auto& [number, thread] : changed) threads_[number] = thread;
  for (const auto& [number, span] : spans) out.threads.push_back(span);
  return out;
}

Result<void> count_each_block(const CountTable& table, ByteSpan blocks, const SegmentRuns& runs,
                              std::span<const TwThreadSpan> spans, std::vector<uint32_t>& out) {
  const size_t block_count = blocks.size() / 4;
  out.resize(block_count);
  struct Thread {
    uint32_t last_value = 0;
    uint32_t first_ordinal = 0;
    uint64_t total = 0;
  };
  std::map<uint32_t, Thread> threads;
  auto partial = runs.partial.begin();
  for (const ThreadRun& run : runs.runs) {
    auto [it, is_new] = threads.try_emplace(run.thread);
    Thread& thread = it->second;
    if (is_new) thread.first_ordinal = run.first;
    for (uint32_t i = run.first; i < run.first + run.count; ++i) {
      const uint32_t value = block_at(blocks, i);
      if (!table.defined(value)) return undefined_value(value);
      const CountTable::Entry entry = table.data()[value];
      out[i] = entry.count;
      if (entry.special != 0 && thread.last_value != 0 &&
          is_last_arrival(table.data()[thread.last_value], entry))
        out[i] = 0;
      thread.last_value = value;
      while (partial != runs.partial.end() && partial->ordinal < i) ++partial;
      if (partial != runs.partial.end() && partial->ordinal == i) {
        out[i] = partial->completed;
        thread.last_value = 0;
      }
      thread.total += out[i];
    }
  }
  // Only the first block of a thread can depend on what came before the segment: it counts nothing
  // when it is the last arrival at a rep instruction. The span's total tells.
  for (const TwThreadSpan& span : spans) {
    const auto it = threads.find(span.thread);
    if (it == threads.end()) continue;
    uint32_t& first = out[it->second.first_ordinal];
    const uint32_t special = table.data()[block_at(blocks, it->second.first_ordinal)].special;
    if ((special & CountTable::kZeroExit) != 0 && it->second.total == span.instructions + first)
      first = 0;
  }
  return {};
}

}  // namespace twinrun
