// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "kernel/dump_rows.h"
#include "run/run.h"
#include "trace/position.h"
#include "trace/reader.h"

#include <functional>
#include <optional>

namespace twinrun {

enum class DumpWhat { kInstructions, kBlocks, kFunctions, kSyscalls, kEvents, kIr };

struct DumpOptions {
  DumpWhat what = DumpWhat::kInstructions;
  std::optional<ProcessId> process;  // else all, one after another
  std::optional<ThreadNo> thread;    // else all
  std::optional<PositionRange> range;
  bool data = false;    // system calls: the bytes, too
  bool values = false;  // instructions: what they read and wrote
};

/// Takes a row; false ends the dump.
using DumpSink = std::function<bool(DumpRow&&)>;

/// Calls `sink` for each row in the order of execution. Memory use does not grow with the trace.
Result<void> dump(Run& run, const DumpOptions& options, const DumpSink& sink);

}  // namespace twinrun
