// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/run.h"
#include "trace/reader.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace twinrun {

struct ExecutedLine {
  uint64_t times = 0;  // the count of its most executed instruction
  /// Where each of its branches went, as addresses in the file of the code.
  std::map<uint64_t, std::set<uint64_t>> ways;
};
/// By source file and line.
using ExecutedLines = std::map<std::string, std::map<uint32_t, ExecutedLine>>;

/// Of all processes; only `files`, as debug information names them, in code of `modules` (base
/// names). Reads all blocks twice.
Result<ExecutedLines> executed_lines(Run& run, const std::set<std::string>& modules,
                                     const std::set<std::string>& files);

}  // namespace twinrun
