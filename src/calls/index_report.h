// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/code_names.h"
#include "run/run.h"
#include "run/structural_index.h"
#include "trace/position.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// A structural index in words.
struct IndexReport {
  struct Row {
    std::string_view kind;  // "call", "branch", ...
    SourcePlace site;       // of a call, a predicate ...; none for a signal
    SourcePlace outcome;    // where it led to
    uint64_t count = 1;
    uint32_t number = 0;  // of a signal, or of a stack
  };
  Position at;
  SourcePlace instruction;
  std::vector<Row> rows;  // the outermost first
  std::string text;       // what step_of_index() takes
};

/// The structural index of the instruction at a position. T008 when there is none.
Result<IndexReport> index_report(Run& run, const Position& at);

/// The position that has the index; A004 when none has it.
Result<Position> position_of_index(Run& run, std::string_view text, const Position& thread);

}  // namespace twinrun
