// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/symbols.h"
#include "trace/reader.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace twinrun {

/// How often lines of source files were executed, by file and line: the count of the line's most
/// executed instruction.
using ExecutedLines = std::map<std::string, std::map<uint32_t, uint64_t>>;

/// Of all processes; only `files`, as debug information names them, in code of `modules` (base
/// names). Reads all blocks once.
Result<ExecutedLines> executed_lines(const Reader& reader, Binaries& binaries,
                                     const std::set<std::string>& modules,
                                     const std::set<std::string>& files);

}  // namespace twinrun
