// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "program/debug_files.h"
#include "trace/maps.h"

#include <vector>

namespace twinrun {

/// Adds what names and lines of these binaries depend on: which files they and their debug files
/// are now. What is kept with it fits until one of them changes.
void add_binary_states(ByteWriter& out, const std::vector<MappedFile>& files,
                       const DebugDirectories& debug_directories);

}  // namespace twinrun
