// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "paths/path_lengths.h"
#include "paths/path_view.h"
#include "paths/paths_file.h"

#include <functional>

namespace twinrun {

/// The lengths of all blocks of a process.
Result<PathLengths> path_lengths(const PathCode& code);

/// Tells the events of a trace again, from its archive, with their steps. `more` says whether to go
/// on. Returns how many chunks were read.
Result<uint64_t> replay_paths(const PathStream& stream, const PathLengths& lengths,
                              const std::function<bool(const PathTold&)>& more);

}  // namespace twinrun
