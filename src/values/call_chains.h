// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "values/process_view.h"

#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// For each executed block the addresses of the calls that were under way in its thread, the
/// innermost first. Goes over each chunk that holds one of them once.
Result<std::vector<std::vector<uint64_t>>> call_chains(ProcessView& view,
                                                       std::span<const BlockAt> blocks);

}  // namespace twinrun
