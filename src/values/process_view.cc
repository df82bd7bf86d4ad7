// SPDX-License-Identifier: MIT
#include "values/process_view.h"

namespace twinrun {

uint64_t ProcessView::number_of(BlockAt block) const {
  const FrameEntry& frame = values->reader().frames()[process().segments[block.segment]];
  return frame.segment.first_block + block.ordinal;
}

Result<std::unique_ptr<ProcessView>> ProcessView::make(RunProcess& process) {
  TRY(auto values, ProcessValues::open(process));
  return std::make_unique<ProcessView>(process, std::move(values));
}

Result<ProcessView*> view_of(Run& run, uint32_t process) {
  TRY(RunProcess* const opened, run.process(process));
  return opened->facet<ProcessView>();
}

Result<std::optional<ForkOrigin>> fork_origin(const ProcessView& child) {
  const ProcessInfo& info = child.process().info;
  const Reader& reader = child.of.reader();
  const Process* parent = reader.process(info.parent);
  if (info.origin != TW_ORIGIN_FORK || parent == nullptr || info.parent_block == 0)
    return std::nullopt;
  // The block that ended in the call is the last one that the parent had executed.
  const uint64_t last = info.parent_block - 1;
  for (uint32_t i = 0; i < parent->segments.size(); ++i) {
    const TwSegmentHeader& segment = reader.frames()[parent->segments[i]].segment;
    if (last < segment.first_block || last - segment.first_block >= segment.block_count) continue;
    TRY(ProcessView* const view, view_of(child.run(), info.parent));
    return ForkOrigin{view, {{i, static_cast<uint32_t>(last - segment.first_block)}, ~0u}};
  }
  return std::nullopt;
}

}  // namespace twinrun
