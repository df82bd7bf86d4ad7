// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <string>

namespace twinrun {

/// The directory of the recorder: ../libexec/twinrun, seen from the directory of this program.
Result<std::string> tool_directory();

}  // namespace twinrun
