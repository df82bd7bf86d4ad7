// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "program/code_image.h"
#include "program/control_flow.h"
#include "run/run.h"
#include "trace/reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace twinrun {

/// A transfer of control that was executed, and how often.
struct CountedEdge {
  ObservedEdge edge;
  uint64_t count = 0;
};

/// What a recording knows about the control flow of one module.
struct ExecutedFlow {
  /// Transfers between blocks of the recording, by address; those that come from another module or
  /// go to one have ObservedEdge::kElsewhere there. Where a signal came between two blocks, there
  /// is no edge.
  std::vector<CountedEdge> edges;
  std::map<uint64_t, uint64_t> instructions;  // executions, by address
  CodeImage code;                             // the executed bytes, as the recording holds them
};

/// Of the processes together. `path`: of the module; empty for code without a file, whose addresses
/// are those in memory. O(blocks).
Result<ExecutedFlow> executed_flow(Run& run, const std::vector<uint32_t>& processes,
                                   const std::string& path);

/// A module's functions and their control flow: from its file, or when that is gone or has changed
/// from the executed bytes alone. Then addresses are offsets in the file.
struct ModuleFlow {
  ControlFlow flow;
  bool from_file = false;
  std::string note;  // why not
};
ModuleFlow module_flow(Binaries& binaries, const MappedFile& file, const ExecutedFlow& executed);

}  // namespace twinrun
