// SPDX-License-Identifier: MIT
#pragma once

#include "memory/pointer_trace.h"
#include "values/process_view.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace twinrun {

/// Where the pointers of accesses were made, as far as a bounded search tells.
class Origins {
 public:
  struct Options {
    uint32_t traces = 200;    // pointers that are followed
    uint32_t segments = 60;   // that are computed for it
    uint32_t steps = 2000;    // of each
    uint32_t most_runs = 96;  // of each: blocks that are computed again
    uint32_t offsets = 300;   // statements that an index is followed through
  };
  Origins(ProcessView& view, const AllocationLog& log, Options options);

  struct Found {
    TracedPointer from;
    /// Statements that had written the pointer, the latest first, with its value there.
    struct Pass {
      BlockAt block;
      uint32_t statement = 0;
      uint64_t value = 0;
    };
    std::vector<Pass> passes;
  };
  /// Of the address of a memory access; nothing when it is not known.
  Result<std::optional<Found>> of_access(BlockAt block, uint32_t statement, uint64_t address);
  /// The statements that had written it, whatever it is and as far as they are known.
  Result<std::vector<Found::Pass>> passes_of(BlockAt block, uint32_t statement, uint64_t address);
  /// Accesses whose pointers were not followed, because of a limit.
  [[nodiscard]] uint64_t unfollowed() const { return unfollowed_; }

 private:
  [[nodiscard]] bool is_address(uint64_t value, uint64_t block) const;
  [[nodiscard]] bool is_one_object(uint64_t x, uint64_t y, uint64_t block) const;
  /// Whether what is added is the distance of two objects.
  Result<bool> is_moved(const PointerTrace::Addition& added);

  ProcessView& view_;
  const AllocationLog& log_;
  Options options_;
  PointerTrace trace_;
  Found found_;
  uint64_t stack_top_ = 0;  // of the main stack, where its strings are; 0: not known
  uint32_t runs_ = 0;
  uint64_t spent_ = 0;  // segments
  uint64_t unfollowed_ = 0;
};

}  // namespace twinrun
