// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace twinrun {

/// The name that people know: without the parameters and the result that a C++ symbol encodes.
std::string source_name(const std::string& symbol);

}  // namespace twinrun
