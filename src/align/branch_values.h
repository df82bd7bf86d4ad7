// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/position.h"
#include "values/process_view.h"

#include <string>

namespace twinrun {

/// What a branch decided by, in one run.
struct BranchValues {
  std::string text;  // "cmp eax, [rbp-8]: i=3, n=10"; empty: not known
  std::string
      origin;  // where a value that differs came from: "system call fcntl"; empty: not found
};

/// The operands of the comparison in front of a branch that went different ways in two runs. Both
/// must have values.
struct BranchComparison {
  BranchValues a;
  BranchValues b;
};
Result<BranchComparison> compare_branch(Run& run_a, const Position& a, Run& run_b,
                                        const Position& b);

}  // namespace twinrun
