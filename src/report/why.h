// SPDX-License-Identifier: MIT
#pragma once

#include "explain/why.h"

#include <string>

namespace twinrun {

std::string why_text(const WhyReport& report);

}  // namespace twinrun
