// SPDX-License-Identifier: MIT
#pragma once

#include "report/json.h"
#include "run/code_names.h"

#include <string>

namespace twinrun {

/// "csv.c:33 sum", "sum 0x1234 (libc.so.6)", "0x4010"; escaped.
std::string place_text(const SourcePlace& place);
Json place_json(const SourcePlace& place);

}  // namespace twinrun
