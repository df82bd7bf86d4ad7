// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "values/process_view.h"

#include <cstdint>

namespace twinrun {

/// One access to memory.
struct ThreadAccess {
  uint64_t step = 0;  // of the instruction
  BlockAt block;
  uint32_t block_value = 0;  // of the stream
  uint32_t instruction = 0;  // in the block
  bool is_store = false;
  uint32_t size = 0;
  uint64_t address = 0;
  uint64_t value = 0;  // its low word
};

/// Walks over the memory accesses of a thread in the order of execution. The process's values must
/// not be asked by others meanwhile. V001 when the recording has none.
class AccessWalk {
 public:
  AccessWalk(ProcessView& view, ThreadNo thread) : view_(view), thread_(thread) {}

  /// The next access of an instruction in [from, to); false when there is none. `from` must not go
  /// back.
  Result<bool> next(uint64_t from, uint64_t to, ThreadAccess& out);

 private:
  Result<bool> enter(uint64_t from);
  [[nodiscard]] bool runs_in(uint32_t segment, uint64_t from) const;

  ProcessView& view_;
  ThreadNo thread_;
  const SegmentValues* segment_ = nullptr;
  uint32_t number_ = 0;  // of the next segment to enter
  uint32_t run_ = 0;
  uint32_t ordinal_ = 0;
  const CompiledBlock* code_ = nullptr;  // of the present block; null: not looked at
  uint32_t access_ = 0;
};

}  // namespace twinrun
