// SPDX-License-Identifier: MIT
#include "values/process_view.h"

#include <algorithm>

namespace twinrun {

uint64_t ProcessView::number_of(BlockAt block) const {
  const FrameEntry& frame = values->reader().frames()[process().segments[block.segment]];
  return frame.segment.first_block + block.ordinal;
}

Result<ProcessView*> RunView::process(uint32_t number) {
  auto& slot = views_[number];
  if (slot) return slot.get();
  TRY(auto values, ProcessValues::open(reader_, number));
  TRY(MapHistory maps, map_history(reader_, number));
  slot = std::make_unique<ProcessView>(binaries_, std::move(values), std::move(maps));
  return slot.get();
}

Result<std::optional<RunView::Origin>> RunView::origin(const Process& process) {
  const ProcessInfo& info = process.info;
  const Process* parent = reader_.process(info.parent);
  if (info.origin != TW_ORIGIN_FORK || parent == nullptr || info.parent_block == 0)
    return std::nullopt;
  // The block that ended in the call is the last one that the parent had executed.
  const uint64_t last = info.parent_block - 1;
  for (uint32_t i = 0; i < parent->segments.size(); ++i) {
    const TwSegmentHeader& segment = reader_.frames()[parent->segments[i]].segment;
    if (last < segment.first_block || last - segment.first_block >= segment.block_count) continue;
    TRY(ProcessView* const view, this->process(info.parent));
    return Origin{view, {{i, static_cast<uint32_t>(last - segment.first_block)}, ~0u}};
  }
  return std::nullopt;
}

}  // namespace twinrun
