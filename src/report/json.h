// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace twinrun {

/// Keys keep the order in which they were added, so that equal results give equal bytes.
using Json = nlohmann::ordered_json;

/// The text of it: whatever it holds does no harm on a terminal. Bytes that are no UTF-8 become
/// U+FFFD. `indent`: -1: in one line.
std::string json_text(const Json& json, int indent = -1);

/// The JSON output of a verb: {"schema": "twinrun.<verb>.v<version>", ...fields}, one line per
/// value, ending with a newline.
std::string render_json(std::string_view verb, int version, const Json& fields);

/// An error of a verb that was asked for JSON, on one line, so that it can stand behind rows.
std::string error_json(std::string_view verb, const Error& error);

}  // namespace twinrun
