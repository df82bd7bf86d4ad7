// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "align/run_side.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// Something that the two runs were given and that is not the same. Facts only:
/// report/input_words.h makes sentences of them.
struct InputDifference {
  enum class Kind : uint8_t {
    kArgument,   // of the command line
    kVariable,   // of the environment
    kDirectory,  // in which the program was started
    kFile,       // its contents, as far as they were read
    kOpened,     // one run opened it, the other did not try to
    kFailed,     // one run could not open it
  };
  Kind kind = Kind::kArgument;
  std::string name_a;  // "argv[2]", "HOME", a path; empty: that run has none
  std::string name_b;
  // Not escaped. Of a file what stands from the first difference to the end of its line.
  std::optional<std::string> value_a;  // nothing: there is none
  std::optional<std::string> value_b;
  bool has_ended = false;  // where a file has nothing more, it ends; else nothing more was read
  std::string before;      // of a file: what stands in front of it in the line, in both
  // Of the difference in a file: the first is 1.
  uint64_t line = 0;
  uint64_t column = 0;
  uint64_t offset = 0;  // from 0
  std::string error;    // kFailed: "ENOENT"
};

/// All of them: of the first processes what they were started with, of all what they read. Cheap:
/// it follows events, not instructions. Memory follows what was read.
Result<std::vector<InputDifference>> input_differences(const RunPair& runs);

}  // namespace twinrun
