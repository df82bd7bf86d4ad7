// SPDX-License-Identifier: MIT
#pragma once

#include "run/code_model.h"
#include "run/paths/path_calls.h"
#include "run/paths/path_code.h"
#include "run/paths/path_view.h"

#include <string>
#include <vector>

namespace twinrun {

/// The functions that views over processes have numbered, as they are kept. `programs`: the files
/// that the processes execute.
Bytes make_path_code(const CodeModel& model, const PathFunctions& functions, const PathCalls& calls,
                     Binaries& binaries, const std::vector<std::string>& programs);

}  // namespace twinrun
