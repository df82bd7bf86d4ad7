// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/symbols.h"
#include "trace/position.h"

#include <string_view>

namespace twinrun {

/// A position as people give it: numbers (parse_position), or the first execution of a source line
/// ("csv.c:33"), or a function behind its prologue ("sum"); "#3" behind it means the third one,
/// "#last" the last. Lines and functions are looked for in the processes in their order, beginning
/// with that of `defaults`. Reads the control flow up to the place. V004 when there is no such
/// place.
Result<Position> find_position(std::string_view text, const Reader& reader, Binaries& binaries,
                               const Position& defaults);

}  // namespace twinrun
