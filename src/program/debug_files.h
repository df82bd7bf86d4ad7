// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

#include <string>
#include <vector>

namespace twinrun {

/// By what the separate debug file of a binary is found.
struct DebugKey {
  std::string binary_path;  // where the binary is, or was when it ran
  Bytes build_id;           // empty: it has none
  std::string link;         // of .gnu_debuglink; empty: it has none
};

/// Directories of separate debug files, those to look in first in front.
using DebugDirectories = std::vector<std::string>;
/// /usr/lib/debug.
DebugDirectories system_debug_directories();

/// The files that may be it, best first: by build id, then by name beside the binary and in the
/// directories. Some of them may exist.
std::vector<std::string> debug_candidates(const DebugKey& key, const DebugDirectories& directories);

/// Whether the servers of DEBUGINFOD_URLS are asked when no file is here.
enum class AskServers : uint8_t { kNo, kYes };

/// The first candidate that is there and of the same build; empty when there is none.
std::string find_debug_file(const DebugKey& key, const DebugDirectories& directories,
                            AskServers servers = AskServers::kYes);

}  // namespace twinrun
