// SPDX-License-Identifier: MIT
#include "run/observed_jumps.h"

#include "program/instruction.h"
#include "trace/count.h"
#include "trace/event.h"

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace twinrun {

Result<std::vector<ObservedJump>> observed_jumps(const Reader& reader, const Process& process,
                                                 const Dictionary& dictionary) {
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> out;
  const auto add = [&](uint32_t before, uint32_t value, uint64_t number) {
    const BlockDef* from = dictionary.find(before);
    const BlockDef* to = dictionary.find(value);
    if (from != nullptr && to != nullptr)
      out.try_emplace({from->last_instruction().value, to->address.value}, number);
  };
  const auto result = [&] {
    std::vector<ObservedJump> jumps;
    jumps.reserve(out.size());
    for (const auto& [edge, block] : out) jumps.push_back({edge.first, edge.second, block});
    return jumps;
  };
  if ((reader.header().features & TW_FEATURE_JUMPS) != 0) {
    for (const Dictionary::Jump& jump : dictionary.jumps()) add(jump.from, jump.to, jump.block);
    return result();
  }
  // Two stream values one after another, the first one of a block that ends in an indirect jump.
  const Decoder decoder;
  std::vector<bool> is_indirect(dictionary.counts().size());
  for (const BlockDef& block : dictionary.blocks()) {
    if (block.jump != TW_JUMP_BORING || block.lengths.empty()) continue;
    const uint64_t last = block.last_instruction().value;
    const auto code = block.bytes.subspan(last - block.address.value);
    const auto decoded = decoder.decode(code, last);
    if (decoded && decoded->flow == Flow::kIndirectJump)
      is_indirect[block.id.value + block.variants - 1] = true;
  }
  if (std::ranges::find(is_indirect, true) == is_indirect.end()) return std::vector<ObservedJump>{};
  boost::unordered_flat_set<uint64_t> seen;
  for (const uint32_t frame : process.segments) {
    TRY(const SegmentData data,
        reader.load(frame, stream_bit(TW_STREAM_BLOCKS) | stream_bit(TW_STREAM_EVENTS)));
    // Where another thread or a signal handler runs next, nothing jumped.
    std::vector<uint64_t> breaks;
    EventReader events(data.events());
    Event event;
    while (events.next(event)) {
      if (event.kind == EventKind::kThreadSwitch || event.kind == EventKind::kSignal)
        breaks.push_back(event.at);
    }
    auto next_break = breaks.begin();
    const ByteSpan blocks = data.blocks();
    const TwSegmentHeader& header = reader.frames()[frame].segment;
    uint32_t before = 0;
    for (uint32_t i = 0; i < header.block_count; ++i) {
      const uint32_t value = block_at(blocks, i);
      for (; next_break != breaks.end() && *next_break <= i; ++next_break) before = 0;
      if (before != 0 && seen.insert(uint64_t{before} << 32 | value).second)
        add(before, value, header.first_block + i);
      before = value < is_indirect.size() && is_indirect[value] ? value : 0;
    }
  }
  return result();
}

}  // namespace twinrun
