// SPDX-License-Identifier: MIT
#pragma once

#include "profile/code_counts.h"

#include <span>

namespace twinrun {

/// Adds up profiles of one binary. What only some of them know is taken from those: fresh counts
/// fill what a migrated profile does not know. A sum is known only as well as the worst of its
/// parts. What an exact profile does not mention was executed 0 times, and is known.
CodeCounts merge_counts(std::span<const CodeCounts> profiles);

}  // namespace twinrun
