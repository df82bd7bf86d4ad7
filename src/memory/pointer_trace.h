// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "memory/allocations.h"
#include "values/process_view.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace twinrun {

/// Where a pointer was made.
struct TracedPointer {
  enum class Kind : uint8_t {
    kAllocation,  // an allocator returned it
    kStack,       // the address of something in a frame
    kCode,        // an address that the code has, or that the loader computed from a module's place
    kOutside,     // the kernel gave it: mmap, arguments
    kUnknown,     // `why`
  };
  Kind kind = Kind::kUnknown;
  uint64_t value = 0;                      // of the pointer
  uint64_t origin = 0;                     // the address that it came from
  const Allocation* allocation = nullptr;  // kAllocation: of the log
  // The statement at which the way back ended, the block's number in the process, and its thread.
  BlockAt at;
  uint32_t statement = 0;
  uint64_t block = 0;
  ThreadNo thread;
  uint32_t steps = 0;  // statements that were looked at
  std::string why;
};

/// Follows single pointers back to where they were made. A pointer costs as much as the way back is
/// long.
class PointerTrace {
 public:
  /// Whether a number was the address of something when so many blocks of the process had begun.
  using IsAddress = std::function<bool(uint64_t value, uint64_t block)>;
  /// `log`: of the same process. All must outlive it.
  PointerTrace(ProcessView& view, const AllocationLog& log, IsAddress is_address,
               uint32_t most_steps)
      : view_(view), log_(log), is_address_(std::move(is_address)), most_steps_(most_steps) {}

  /// An addition that is on the way: of `operand`, at this statement, to a pointer.
  struct Addition {
    BlockAt block;
    uint32_t statement = 0;
    IrOperand operand;
    uint64_t from = 0;  // the pointer before it and behind it
    uint64_t to = 0;
  };
  /// Asked whether an addition of something that is no constant leads to another object, as
  /// `p += new - old` does: then the origin is not known.
  void set_moves(std::function<Result<bool>(const Addition&)> moves) { moves_ = std::move(moves); }
  /// Told the statements that have written the pointer, the latest first, and its value there.
  void set_passes(std::function<void(BlockAt, uint32_t, uint64_t)> passes) {
    passes_ = std::move(passes);
  }

  /// Of the pointer in these eight bytes, as they are at the moment.
  Result<TracedPointer> of_memory(Moment moment, uint64_t address, uint64_t value);
  /// Of an operand of a statement that was executed.
  Result<TracedPointer> of_operand(BlockAt block, uint32_t statement, const IrOperand& what,
                                   uint64_t value);

 private:
  /// A value on its way back.
  struct At {
    BlockAt block;
    uint32_t statement = 0;
    uint64_t value = 0;  // of the pointer there
    uint32_t skip = 0;   // bytes of the statement's value in front of the pointer
  };
  enum class Next : uint8_t { kGoOn, kDone };

  Result<TracedPointer> go(At at, Next next, TracedPointer out);
  Result<Next> step(At& at, TracedPointer& out);
  Result<Next> operation(const BlockFlow& flow, const IrStatement& st, At& at, TracedPointer& out);
  Result<Next> operand(const BlockFlow& flow, const IrOperand& operand, At& at, TracedPointer& out);
  /// From the reader at `at` to who wrote these eight bytes, which begin at `where`.
  Result<Next> written(const std::vector<BytesWritten>& writers, bool in_memory, uint64_t where,
                       At& at, TracedPointer& out);
  Result<uint64_t> value_of(const BlockFlow& flow, const At& at, const IrOperand& operand);
  static Next found(TracedPointer& out, TracedPointer::Kind kind, uint64_t origin, uint64_t block,
                    ThreadNo thread);
  static Next unknown(TracedPointer& out, std::string why);

  ProcessView& view_;
  const AllocationLog& log_;
  IsAddress is_address_;
  uint32_t most_steps_;
  std::function<Result<bool>(const Addition&)> moves_;
  std::function<void(BlockAt, uint32_t, uint64_t)> passes_;
};

}  // namespace twinrun
