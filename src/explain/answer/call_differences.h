// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "explain/graph/value_pairs.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace twinrun {

/// The number of the system call that the block ends with; nothing when it makes none.
Result<std::optional<uint64_t>> call_at_end(const BlockOf& block);

/// What the system calls at the ends of two blocks were given that is not the same: numbers, and
/// the bytes that addresses lead to. Nothing when they are not the same call.
Result<std::vector<DifferentOperand>> call_differences(const BlockOf& a, const BlockOf& b);

}  // namespace twinrun
