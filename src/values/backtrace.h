// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "calls/call_values.h"
#include "trace/position.h"
#include "values/process_view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

/// A function that has not returned yet at some moment.
struct BacktraceFrame {
  enum class Kind : uint8_t {
    kCall,
    kInlined,  // no call was executed: its code stands in the next frame's function
    kOther,    // a signal handler, the start of a thread, code on another stack
  };
  Kind kind = Kind::kCall;
  std::string function;  // empty: not known
  std::string module;
  uint64_t pc = 0;      // of the instruction that is executed next, or of the call; 0: interrupted
  uint64_t offset = 0;  // of that in the function, or in the module
  std::string file;     // of the source
  uint32_t line = 0;
  bool has_arguments = false;         // debug information knows which there are
  std::vector<NamedValue> arguments;  // as they are at the moment
};

struct Backtrace {
  Position at;
  bool is_lost = false;                // behind a longjmp: the innermost may have ended
  std::vector<BacktraceFrame> frames;  // innermost first
};

/// The calls under way in front of the instruction. Registers of callers are those of the call, so
/// that arguments are known that a debugger has lost. V001 for a recording without values.
Result<Backtrace> backtrace(Run& run, const Position& at);

}  // namespace twinrun
