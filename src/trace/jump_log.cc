// SPDX-License-Identifier: MIT
#include "trace/jump_log.h"

#include "trace/block_facts.h"

#include <algorithm>

namespace twinrun {

void JumpLog::add_definitions(ByteSpan defs) {
  DefinitionReader in(defs);
  for (Definition def; in.next(def);) {
    if (def.kind != TW_DEF_BLOCK) continue;
    const auto block = parse_block(def.payload);
    if (!block) continue;
    const uint32_t last = block->id.value + block->variants - 1;
    if (jumps_.size() <= last) jumps_.resize(std::max<size_t>(last + 1, jumps_.size() * 2));
    jumps_[last] = block->jump == TW_JUMP_BORING && successors_of_code(*block).any;
  }
}

void JumpLog::inherit(const JumpLog& parent, uint32_t limit) {
  jumps_.assign(parent.jumps_.begin(),
                parent.jumps_.begin() + std::min<ptrdiff_t>(limit, std::ssize(parent.jumps_)));
}

void JumpLog::collect(ByteSpan blocks, const SegmentRuns& runs, uint64_t first_block,
                      ByteWriter& defs) {
  const auto jumps = [&](uint32_t value) { return value < jumps_.size() && jumps_[value] != 0; };
  for (const ThreadRun& run : runs.runs) {
    uint32_t& last = last_[run.thread];
    for (uint32_t i = run.first; i < run.first + run.count; ++i) {
      const uint32_t value = block_at(blocks, i);
      if (jumps(last) && seen_.insert(uint64_t{last} << 32 | value).second) {
        ByteWriter payload;
        payload.varint(last);
        payload.varint(value);
        payload.varint(first_block + i);
        defs.varint(TW_DEF_JUMP);
        defs.varint(payload.bytes().size());
        defs.raw(payload.bytes());
      }
      last = value;
    }
  }
}

}  // namespace twinrun
