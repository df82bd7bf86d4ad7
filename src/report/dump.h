// SPDX-License-Identifier: MIT
#pragma once

#include "kernel/dump_rows.h"

#include <string>
#include <string_view>

namespace twinrun {

/// One or more lines. `form` says how much of a position is written.
std::string dump_text(const DumpRow& row, PositionForm form);

/// The first line of `dump --json`; each row follows as one line.
std::string dump_json_header(std::string_view what, std::string_view path);
std::string dump_json(const DumpRow& row);

}  // namespace twinrun
