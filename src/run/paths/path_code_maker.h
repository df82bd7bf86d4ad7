// SPDX-License-Identifier: MIT
#pragma once

#include "run/code_model.h"
#include "run/paths/path_calls.h"
#include "run/paths/path_code.h"
#include "run/paths/path_view.h"

#include <string>

namespace twinrun {

/// The functions that a view over a process has numbered, as they are kept. `program`: the file
/// that the process executes.
Bytes make_path_code(const CodeModel& model, const PathFunctions& functions, const PathCalls& calls,
                     Binaries& binaries, const MappedFile& program);

}  // namespace twinrun
