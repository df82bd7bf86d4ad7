// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

/// One binary of a recording and what became of it.
struct PackedBinary {
  std::string path;
  Bytes build_id;
  uint64_t size = 0;       // 0: not packed
  std::string missing;     // why it was not packed
  std::string debug_path;  // separate debug file; empty: none was found
  uint64_t debug_size = 0;
};

struct PackResult {
  std::string path;
  uint64_t size_before = 0;
  uint64_t size = 0;
  std::vector<PackedBinary> binaries;
};

/// Writes a copy of the recording to `output` (which may be its own path) with the executable files
/// that it mapped and their separate debug files inside. Files that are gone or have another build
/// id than the recorded one are left out, and the result says so; what is packed already is kept.
Result<PackResult> pack(const Reader& reader, const std::string& output);

}  // namespace twinrun
