// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "values/past_state.h"

#include <cstdint>
#include <string>

namespace twinrun {

/// What the source calls some bytes, and their value by the type that it gives them.
struct SourceName {
  std::string text;  // "h->ncols"; empty: no name is known
  std::string value;
};

/// Names of registers and memory by debug information, at moments of a run.
class SourceNames {
 public:
  /// Of bytes that the instruction has written: memory as the program stood in front of it (so that
  /// `p = p->next` is called by its old name), a register as it stands behind it.
  static Result<SourceName> of_written(ProcessView& view, const InstructionAt& at, bool in_memory,
                                       uint64_t where, uint32_t size);

  /// Of bytes in a state of the program at `debug.pc`.
  static SourceName of_memory(const DebugAt& debug, const PastState& state, uint64_t address,
                              uint32_t size);
  static SourceName of_register(const DebugAt& debug, const PastState& state, uint32_t offset,
                                uint32_t size);
};

}  // namespace twinrun
