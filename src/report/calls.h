// SPDX-License-Identifier: MIT
#pragma once

#include "calls/calls.h"
#include "memory/allocations.h"
#include "trace/position.h"

#include <string>

namespace twinrun {

std::string calls_text(const CallReport& report, PositionForm form);
std::string calls_json(const CallReport& report);

/// `limit`: places that are shown.
std::string allocations_text(const AllocationReport& report, size_t limit);
std::string allocations_json(const AllocationReport& report);

}  // namespace twinrun
