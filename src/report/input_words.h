// SPDX-License-Identifier: MIT
#pragma once

#include "explain/inputs/input_differences.h"

#include <string>

namespace twinrun {

/// What two runs were given that is not the same, as one line; not escaped but for the texts of
/// files: `bad.csv, line 1, column 32: "ACME" where good.csv's line ends`.
std::string input_difference_text(const InputDifference& difference);

}  // namespace twinrun
