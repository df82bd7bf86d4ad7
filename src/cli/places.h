// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <string>

namespace twinrun {

/// The directory of the recorder: ../libexec/twinrun, seen from the directory of this program.
Result<std::string> tool_directory();

/// The first file `program` that may be executed in the directories of PATH.
Result<std::string> find_in_path(const std::string& program);

}  // namespace twinrun
