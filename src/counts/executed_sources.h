// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/run.h"

#include <set>
#include <string>

namespace twinrun {

/// As debug information names them. Headers of the system are not among them.
struct ExecutedSources {
  std::set<std::string> own;
  std::set<std::string> system;  // of binaries that belong to the system, and of no own ones
};
/// The source files of what a run executed. Reads the blocks of all segments.
Result<ExecutedSources> executed_sources(Run& run);

}  // namespace twinrun
