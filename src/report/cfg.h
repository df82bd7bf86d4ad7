// SPDX-License-Identifier: MIT
#pragma once

#include "counts/function_flow.h"
#include "report/style.h"

#include <string>

namespace twinrun {

/// `twinrun cfg`; `limit` 0: all blocks.
std::string cfg_text(const FunctionFlow& flow, size_t limit, const Style& style);
std::string cfg_json(const FunctionFlow& flow);
/// For Graphviz.
std::string cfg_dot(const FunctionFlow& flow);

/// Whom the function calls and who calls it, instead of its blocks.
std::string cfg_calls_text(const FunctionFlow& flow, const Style& style);

}  // namespace twinrun
