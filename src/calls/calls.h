// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "calls/call_values.h"
#include "run/run.h"
#include "trace/position.h"
#include "trace/reader.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// One call, or several that were folded into one.
struct CallNode {
  static constexpr uint32_t kNone = ~0u;

  uint32_t parent = kNone;  // row
  uint32_t depth = 0;       // among the rows that are shown
  Position position;        // its first instruction
  std::string_view kind;    // "start", "call", "signal", "stack"
  std::string function;     // a name, or "module+0x1234"; of a signal also which
  std::string signal;       // "SIGUSR1"
  std::string module;       // base name; empty: none
  uint64_t address = 0;     // of its first instruction
  bool has_arguments = false;
  std::vector<NamedValue> arguments;
  std::string result;
  std::vector<std::string> jumps;  // functions that it went on in by tail calls
  std::string caller;              // the calling function
  std::string file;                // of the source: where the call is
  uint32_t line = 0;
  std::optional<Step> left;        // instructions of the thread when it was left
  std::string_view ends;           // "return", "unwound", "open"
  uint64_t instructions = 0;       // of it and all that it called; of the folded ones together
  uint64_t folded = 0;             // calls that this row stands for instead of one
  std::vector<std::string> stack;  // the callers, innermost first
};

struct CallReport {
  std::vector<CallNode> rows;  // parents before children, threads one after another
  uint64_t calls = 0;          // all that were looked at
  uint64_t hidden = 0;         // that would be shown but for the limit
  uint64_t too_deep = 0;       // that would be shown but for the depth
  bool has_values = true;
};

struct CallOptions {
  std::string function;              // only calls of it, and what is below them
  std::optional<uint32_t> depth;     // levels that are shown
  std::optional<ProcessId> process;  // else all
  std::optional<ThreadNo> thread;    // else all
  std::optional<PositionRange> range;
  uint32_t limit = 25;       // rows
  uint32_t fold = 3;         // calls of one function from one place that are shown; 0: all
  bool all_modules = false;  // also what libraries call
  bool registers = false;    // the six integer registers where no parameters are known
  bool values = true;
  bool stack = false;
  std::function<void(uint64_t)> progress;  // instructions so far
};

/// Walks over the whole run. Memory follows the depth of calls and the rows. P011 when there is no
/// call of the function.
Result<CallReport> calls(Run& run, const CallOptions& options);

}  // namespace twinrun
