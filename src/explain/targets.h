// SPDX-License-Identifier: MIT
#pragma once

#include "explain/aligned_runs.h"
#include "explain/slice_align.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// What went differently in the end, and is to be explained.
struct Target {
  enum class Kind : uint8_t { kCrash, kHang, kExit, kOutput, kDivergence };
  Kind kind = Kind::kDivergence;
  TargetDifference difference;
  std::string what;     // "exit status", "standard output, byte 12"
  std::string value_a;  // "0", "killed by SIGSEGV", "\"4\""
  std::string value_b;
};

/// The differences that a user sees, the most telling one first: how the runs ended, what they
/// wrote, where they first part. Empty when there are none. Of output one target for each stretch
/// of differing bytes, as some can be noise.
Result<std::vector<Target>> find_targets(AlignedRuns& runs);

/// A byte of what the second run wrote that is known to be wrong.
struct WrongOutput {
  std::string to;  // a descriptor's number, or the end of a file's path
  uint64_t offset = 0;
};
/// E0xx when the run did not write that.
Result<Target> wrong_output(AlignedRuns& runs, const WrongOutput& wrong);

}  // namespace twinrun
