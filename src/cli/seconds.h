// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace twinrun {

/// The seconds that a flag was given: "0", "2", "0.5". C003, with that help, when it is no time.
Result<double> parse_seconds(std::string_view flag, const std::string& text,
                             std::string help = "write seconds: 5, 0.5");

}  // namespace twinrun
