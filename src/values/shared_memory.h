// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

/// Memory of a process that others can have, too.
struct SharedPart {
  uint64_t address = 0;
  uint64_t length = 0;
  uint64_t offset = 0;  // of its first byte in the object
  bool is_writable = false;
  /// Names what is shared, alike in all processes of a recording: a file, a segment of shmat, or
  /// memory that processes have from the one that mapped it.
  std::string object;

  [[nodiscard]] bool has(uint64_t at, uint64_t size) const {
    return at >= address && at + size <= address + length;
  }
};

/// All that the process ever had, what it had when it was forked first. Costs its events, and those
/// of the processes that it forked from.
Result<std::vector<SharedPart>> shared_parts(const Reader& reader, const Process& process);

}  // namespace twinrun
