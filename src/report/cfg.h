// SPDX-License-Identifier: MIT
#pragma once

#include "report/style.h"
#include "run/function_flow.h"

#include <string>

namespace twinrun {

/// `twinrun cfg`; `limit` 0: all blocks.
std::string cfg_text(const FunctionFlow& flow, size_t limit, const Style& style);
std::string cfg_json(const FunctionFlow& flow);
/// For Graphviz.
std::string cfg_dot(const FunctionFlow& flow);

}  // namespace twinrun
