// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "explain/value_pairs.h"

#include <vector>

namespace twinrun {

/// What the system calls at the ends of two blocks were given that is not the same: numbers, and
/// the bytes that addresses lead to. Nothing when they are not the same call.
Result<std::vector<DifferentOperand>> call_differences(const BlockOf& a, const BlockOf& b);

}  // namespace twinrun
