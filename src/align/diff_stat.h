// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "base/result.h"
#include "base/work.h"
#include "run/symbols.h"
#include "trace/position.h"
#include "trace/reader.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// A value that differs although the instructions correspond.
struct ValueDifference {
  Position a;
  Position b;
  std::string file;  // of the source; empty: not known
  uint32_t line = 0;
  std::string name;  // of the variable, else the place in memory
  std::string value_a;
  std::string value_b;
};

/// How a function differs between two runs.
struct FunctionDifference {
  std::string module;
  std::string function;  // empty: code without a symbol
  ModuleAddr address;
  bool is_library = false;
  uint64_t calls_a = 0;
  uint64_t calls_b = 0;
  uint64_t instructions_a = 0;  // its own, not of what it calls
  uint64_t instructions_b = 0;
  uint64_t divergences = 0;  // the runs part in it
  uint64_t only_a = 0;       // instructions that follow until they meet
  uint64_t only_b = 0;
  uint64_t accesses = 0;                 // to memory, by instructions that correspond
  uint64_t different = 0;                // of those, with values that differ
  std::optional<ValueDifference> first;  // a store, if there is one

  [[nodiscard]] bool is_same() const {
    return calls_a == calls_b && instructions_a == instructions_b && divergences == 0 &&
           different == 0;
  }
};

struct DiffStat {
  AlignReport alignment;
  /// Those that differ: the program's own before those of libraries, the most different first.
  std::vector<FunctionDifference> functions;
  uint64_t same = 0;  // functions that do not
  bool has_values = false;

  [[nodiscard]] bool is_same() const { return functions.empty(); }
};

inline constexpr std::string_view kComparingValues = "comparing values";

struct DiffOptions {
  uint32_t divergences = 0;  // of the alignment, to be named
  bool values = true;        // if both recordings have them
  uint32_t examples = 100;   // functions whose first different value is named
  WorkSink work;             // stages of align(), and kComparingValues
};

/// Errors as of align().
Result<DiffStat> diff_stat(RunPair& runs, const DiffOptions& options);

}  // namespace twinrun
