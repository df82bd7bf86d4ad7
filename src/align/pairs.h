// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "base/result.h"
#include "run/run.h"
#include "trace/reader.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace twinrun {

/// Numbers of processes that correspond; 0: the other run has none.
struct PairedProcess {
  uint32_t a = 0;
  uint32_t b = 0;
};

struct ProcessPair {
  Run::Loan a;
  Run::Loan b;

  static Result<ProcessPair> open(const RunPair& runs, const PairedProcess& numbers);
  /// A001 when they execute different programs, A002 when different builds of one that the identity
  /// does not know.
  [[nodiscard]] Result<void> same_program(const CodeIdentity& identity) const;
};

/// The number of the block with which a thread reads its first input: a system call that reads,
/// made by other code than the loader's. Nothing for none.
Result<std::optional<uint64_t>> first_input(const RunProcess& process, ThreadNo thread);

}  // namespace twinrun
