// SPDX-License-Identifier: MIT
#pragma once

#include "trace/position.h"
#include "values/slice_report.h"
#include "values/who.h"

#include <string>

namespace twinrun {

std::string who_text(const WhoReport& report, PositionForm form);
std::string who_json(const WhoReport& report);

std::string slice_text(const SliceReport& report, PositionForm form);
std::string slice_json(const SliceReport& report);
/// For Graphviz; names are escaped.
std::string slice_dot(const SliceReport& report, PositionForm form);

}  // namespace twinrun
