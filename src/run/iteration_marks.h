// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"

#include <cstdint>
#include <map>
#include <vector>

namespace twinrun {

/// Where a run that is compared leaves out numbers when it counts the times round a loop, because
/// the other run has times there that it has not. Numbers still increase strictly: indices stay
/// unique, in order and nested.
struct IterationMark {
  uint64_t block = 0;  // of the process; arriving there, the run counts once more
  ModuleAddr site;     // what is counted: the beginning of the predicate's node, as nodes have it
  uint64_t jump = 0;   // numbers that are left out in front of this one

  bool operator==(const IterationMark&) const = default;
};

/// By thread; ascending.
using ProcessMarks = std::map<uint32_t, std::vector<IterationMark>>;
/// By process.
using RunMarks = std::map<uint32_t, ProcessMarks>;

}  // namespace twinrun
