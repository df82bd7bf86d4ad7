// SPDX-License-Identifier: MIT
#pragma once

#include "values/backtrace.h"

#include <string>

namespace twinrun {

/// `limit`: frames that are shown, innermost first, as far as main; 0: all, and those behind main.
std::string backtrace_text(const Backtrace& trace, PositionForm form, size_t limit);
std::string backtrace_json(const Backtrace& trace);

}  // namespace twinrun
