// SPDX-License-Identifier: MIT
#include "counts/block_ways.h"

#include "trace/count.h"
#include "trace/event.h"

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <map>

namespace twinrun {
namespace {

/// Blocks of a segment before which a signal was delivered, in order.
std::vector<uint64_t> signal_positions(ByteSpan events) {
  std::vector<uint64_t> out;
  EventReader in(events);
  Event event;
  while (in.next(event)) {
    if (event.kind == EventKind::kSignal) out.push_back(event.at);
  }
  return out;
}

}  // namespace

Result<std::vector<BlockWay>> block_ways(const Reader& reader, const Process& process,
                                         const Dictionary& dictionary) {
  struct Last {
    bool jumps = false;
    uint32_t to = 0;     // most branches go where they went before
    uint32_t other = 0;  // or where they went the time before that
  };
  std::vector<Last> known(dictionary.counts().size());
  for (const BlockDef& block : dictionary.blocks()) {
    for (uint32_t variant = 0; variant < block.variants; ++variant)
      known[block.id.value + variant].jumps = block.jump == TW_JUMP_BORING;
  }
  boost::unordered_flat_set<uint64_t> ways;
  std::map<uint32_t, uint32_t> last_values;  // by thread
  for (const uint32_t frame : process.segments) {
    const TwSegmentHeader& header = reader.frames()[frame].segment;
    TRY(const SegmentData data,
        reader.load(frame, stream_bit(TW_STREAM_BLOCKS) | stream_bit(TW_STREAM_EVENTS)));
    TRY(const SegmentRuns runs,
        segment_runs(data.events(), header.block_count, header.thread_at_start));
    const std::vector<uint64_t> signals = signal_positions(data.events());
    auto signal = signals.begin();
    for (const ThreadRun& run : runs.runs) {
      uint32_t& last = last_values[run.thread];
      for (uint32_t i = run.first; i < run.first + run.count; ++i) {
        const uint32_t value = block_at(data.blocks(), i);
        if (value >= known.size()) return fail("T006", "block {} is not defined", value);
        while (signal != signals.end() && *signal < i) ++signal;
        if (signal != signals.end() && *signal == i) last = 0;
        Last& from = known[last];
        if (from.jumps && from.to != value && from.other != value) {
          ways.insert(uint64_t{last} << 32 | value);
          from.other = from.to;
          from.to = value;
        }
        last = value;
      }
    }
  }
  std::vector<BlockWay> out;
  for (const uint64_t way : ways)
    out.push_back({static_cast<uint32_t>(way >> 32), static_cast<uint32_t>(way)});
  std::ranges::sort(out);
  return out;
}

Result<std::unique_ptr<BlockWays>> BlockWays::make(RunProcess& process) {
  auto out = std::make_unique<BlockWays>();
  TRY(out->rows, block_ways(process.reader(), process.process(), process.dictionary()));
  return out;
}

}  // namespace twinrun
