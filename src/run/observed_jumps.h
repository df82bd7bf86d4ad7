// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/block.h"
#include "trace/reader.h"

#include <cstdint>
#include <vector>

namespace twinrun {

/// An indirect jump that was executed; addresses in memory.
struct ObservedJump {
  uint64_t from = 0;  // the jump
  uint64_t to = 0;
  uint64_t block = 0;  // blocks of the process that had begun when it went there first
};

/// Where the indirect jumps of a process went, each pair once, by address. Reads all blocks once,
/// unless the process has no indirect jump.
Result<std::vector<ObservedJump>> observed_jumps(const Reader& reader, const Process& process,
                                                 const Dictionary& dictionary);

}  // namespace twinrun
