// SPDX-License-Identifier: MIT
#pragma once

#include "report/json.h"
#include "trace/position.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace twinrun {

// What JSON tells beside a text, so that nobody has to read numbers out of texts again.

/// A position: {"process": 1, "thread": 1, "step": 123}.
Json moment_json(const Position& at);

/// The number or truth value that the text of a value begins with: 42, -1, 0x7ffe..., 97 'a',
/// 0x4010 "text", 0.1, true, NULL. Null when it is something else (a string, a structure, what is
/// not available), or a number that does not fit into 64 bits.
Json typed_value(std::string_view text);

/// row[key], and row[key + "_typed"] where the text is one of a number or truth value.
void add_value(Json& row, const std::string& key, const std::string& text);

/// row[key] in hexadecimal, and row[key + "_number"].
void add_address(Json& row, const std::string& key, uint64_t address);

/// Where bytes are, of "0x1ffefff010:8" and "eax": {"address": 137438887952, "size": 8},
/// {"register": "eax"}.
Json bytes_json(std::string_view text);

}  // namespace twinrun
