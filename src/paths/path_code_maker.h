// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_calls.h"
#include "paths/path_code.h"
#include "paths/path_view.h"
#include "run/code_space.h"

#include <string>
#include <vector>

namespace twinrun {

/// The functions that views over processes have numbered, as they are kept. `programs`: the files
/// that the processes execute.
Bytes make_path_code(const CodeSpace& space, const PathFunctions& functions, const PathCalls& calls,
                     Binaries& binaries, const std::vector<std::string>& programs);

}  // namespace twinrun
