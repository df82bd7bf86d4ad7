// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "memory/allocations.h"
#include "memory/stack_areas.h"
#include "values/values.h"

#include <functional>
#include <optional>
#include <vector>

namespace twinrun {

/// What a segment writes, as ProcessValues has it.
struct SegmentSummary {
  std::vector<uint64_t> lines;
  std::vector<OutsideWrite> mappings;
};

/// A history of memory to be kept, where it is: it can be as large as all else in memory.
struct HistoryView {
  const AllocationLog& blocks;
  const AllocationLog& mappings;
  const std::vector<StackArea>& areas;
  struct Segment {
    const std::vector<uint64_t>* lines = nullptr;  // null: they are not known
    std::vector<OutsideWrite> mappings;
  };
  uint32_t segment_count = 0;
  std::function<Segment(uint32_t)> segment;
};

/// `key`: all that it depends on.
Bytes encode_history(const HistoryView& view, ByteSpan key);

/// As it was kept.
struct KeptMemory {
  AllocationLog::Parts blocks;
  AllocationLog::Parts mappings;
  std::vector<StackArea> areas;
  std::vector<std::optional<SegmentSummary>> segments;  // nothing where it is not known
};

/// Nothing for what is damaged, has another key, or refers to what it lacks: takes any bytes.
std::optional<KeptMemory> decode_history(ByteSpan bytes, ByteSpan key);

}  // namespace twinrun
