// SPDX-License-Identifier: MIT
#pragma once

#include "run/calls.h"
#include "trace/position.h"

#include <string>

namespace twinrun {

std::string calls_text(const CallReport& report, PositionForm form);
std::string calls_json(const CallReport& report);

}  // namespace twinrun
