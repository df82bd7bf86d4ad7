// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/run.h"
#include "trace/position.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace twinrun {

/// A position as people give it: numbers (parse_position), or the first execution of a source line
/// ("csv.c:33"), or a function behind its prologue ("sum"); "#3" behind it means the third one,
/// "#last" the last. Lines and functions are looked for in the processes in their order, beginning
/// with that of `defaults`. Reads the control flow up to the place. V004 when there is no such
/// place.
Result<Position> find_position(std::string_view text, Run& run, const Position& defaults);

struct PlaceExecution {
  Position position;
  uint64_t number = 0;  // which execution of the place, from 1 on; 0: numbers were given
};

/// The same, but without "#n" the last execution that `is_preferred` accepts, or else the last.
Result<PlaceExecution> find_last_position(std::string_view text, Run& run, const Position& defaults,
                                          const std::function<bool(const Position&)>& is_preferred);

}  // namespace twinrun
