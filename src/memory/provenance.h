// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "memory/allocations.h"
#include "memory/memory_index.h"
#include "memory/pointer_trace.h"
#include "values/process_view.h"

#include <cstdint>
#include <optional>
#include <string>

namespace twinrun {

/// Where a pointer came from: the online semantics of the memory indexing paper (rules 7 to 10).
struct PointerOrigin {
  using Kind = TracedPointer::Kind;
  Kind kind = Kind::kUnknown;
  /// PV: the region that it came from and the offset from there, even when that is outside of the
  /// region. Nothing when the region is gone, or the origin is not known.
  std::optional<MemoryIndex> index;
  uint64_t value = 0;   // of the pointer
  uint64_t origin = 0;  // the address that it came from
  uint32_t steps = 0;   // statements that were looked at
  std::string why;
};

/// Derives the online semantics of single pointers at the moment of a MemoryMap, by following the
/// data backward: through copies and additions to an allocator's result, to the stack pointer or to
/// a constant. A pointer costs as much as the way back to its origin is long.
class Provenance {
 public:
  struct Options {
    uint32_t most_steps = 20000;
  };
  /// `log`: of the same process. All must outlive it.
  Provenance(ProcessView& view, const MemoryMap& map, const AllocationLog& log)
      : Provenance(view, map, log, Options()) {}
  Provenance(ProcessView& view, const MemoryMap& map, const AllocationLog& log, Options options)
      : view_(view), map_(map), log_(log), options_(options) {}

  /// Of the pointer in the eight bytes at the address.
  Result<PointerOrigin> of_memory(uint64_t address);

 private:
  void find_region(const TracedPointer& from, PointerOrigin& out) const;

  ProcessView& view_;
  const MemoryMap& map_;
  const AllocationLog& log_;
  Options options_;
};

}  // namespace twinrun
