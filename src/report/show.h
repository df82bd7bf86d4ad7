// SPDX-License-Identifier: MIT
#pragma once

#include "report/shown.h"
#include "trace/position.h"

#include <string>

namespace twinrun {

/// `form`: in which positions of both runs are unambiguous.
std::string show_text(const WhyReport& report, SourceText& sources, const Shown& shown,
                      PositionForm form);
std::string show_json(const WhyReport& report, SourceText& sources, const Shown& shown);

}  // namespace twinrun
