// SPDX-License-Identifier: MIT
#pragma once

#include "calls/index_report.h"

#include <string>

namespace twinrun {

std::string index_text(const IndexReport& report, PositionForm form);
std::string index_json(const IndexReport& report);

}  // namespace twinrun
