// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "memory/allocations.h"
#include "memory/memory_index.h"
#include "values/process_view.h"

#include <cstdint>
#include <optional>
#include <string>

namespace twinrun {

/// Where a pointer came from: the online semantics of the memory indexing paper (rules 7 to 10).
struct PointerOrigin {
  enum class Kind : uint8_t {
    kAllocation,  // what an allocator returned
    kStack,       // the address of something in a frame
    kCode,        // an address that the code has, or that the loader computed from a module's place
    kOutside,     // the kernel gave it: mmap, arguments
    kUnknown,     // `why`
  };
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
  /// A value on its way back.
  struct At {
    BlockAt block;
    uint32_t statement = 0;
    uint64_t value = 0;  // of the pointer there
    uint32_t skip = 0;   // bytes of the statement's value in front of the pointer
  };
  enum class Next : uint8_t { kGoOn, kDone };

  Result<Next> step(At& at, PointerOrigin& out);
  Result<Next> operation(const BlockFlow& flow, const IrStatement& st, At& at, PointerOrigin& out);
  Result<Next> operand(const BlockFlow& flow, const IrOperand& operand, At& at, PointerOrigin& out);
  /// From the reader at `at` to who wrote these eight bytes, which begin at `where`.
  Result<Next> written(const std::vector<BytesWritten>& writers, bool in_memory, uint64_t where,
                       At& at, PointerOrigin& out);
  Result<uint64_t> value_of(const BlockFlow& flow, const At& at, const IrOperand& operand);
  Next found(PointerOrigin& out, PointerOrigin::Kind kind, uint64_t origin, uint64_t block,
             ThreadNo thread) const;
  Next unknown(PointerOrigin& out, std::string why) const;
  [[nodiscard]] const Allocation* returned(uint64_t address, uint64_t behind, uint64_t until) const;

  ProcessView& view_;
  const MemoryMap& map_;
  const AllocationLog& log_;
  Options options_;
};

}  // namespace twinrun
