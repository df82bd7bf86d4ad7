// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/position.h"
#include "values/named_instruction.h"
#include "values/process_view.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// One writer in a chain.
struct WhoRow {
  enum class Kind : uint8_t {
    kInstruction,
    kSyscall,
    kSignal,
    kStartup,
    kUnseen,  // changed by the kernel or another process, or not told
    kFile,    // mapped
    kZero,    // fresh memory
    kParent,  // from before the fork
    kStart,   // from before the thread or the recording began
    kLate,    // from before the function at which the recording begins
  };
  Kind kind = Kind::kInstruction;
  uint32_t hop = 1;               // distance from what was asked for
  std::string subject;            // the bytes in question
  std::string name;               // of the variable that they are; empty: none known
  std::string shown;              // their value by the variable's type
  NamedInstruction at;            // of an outside writer only the position
  std::string call;               // "read", of a system call
  std::optional<uint64_t> value;  // what it wrote, at most a word
  std::string input;              // "data.csv", "standard input", "argv"
  std::optional<uint64_t> input_offset;
  std::vector<uint32_t> from;  // rows of the next hop
};

struct WhoReport {
  std::string subject;
  NamedInstruction at;  // the instruction at which was asked
  std::vector<WhoRow> rows;
  bool cut = false;  // --depth or the limit on rows was reached
};

struct WhoOptions {
  uint32_t depth = 8;
  uint32_t most_rows = 60;
  std::function<void(uint64_t)> progress =
      {};  // hops behind which no writer is looked for any more
};

/// Who wrote the bytes (subject.h) as the instruction at the position sees them, and where that
/// came from.
Result<WhoReport> who(Run& run, const Position& at, std::string_view subject,
                      const WhoOptions& options);

}  // namespace twinrun
