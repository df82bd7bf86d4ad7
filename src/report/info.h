// SPDX-License-Identifier: MIT
#pragma once

#include "counts/operations.h"
#include "counts/profile.h"
#include "report/style.h"
#include "run/summary.h"

#include <string>
#include <vector>

namespace twinrun {

/// `all`: without limits on the rows of each table.
std::string info_text(const RecordingSummary& summary, bool all, const Style& style);
std::string info_json(const RecordingSummary& summary);

/// `twinrun info --functions`; `limit` 0: all rows.
std::string functions_text(const std::vector<FunctionCount>& functions, uint64_t total,
                           size_t limit);
std::string functions_json(const std::vector<FunctionCount>& functions, uint64_t total);

/// `twinrun info --instructions`.
std::string instructions_text(const std::vector<InstructionCount>& instructions);
std::string instructions_json(const std::vector<InstructionCount>& instructions);

/// `twinrun info --operations`; `limit` 0: all rows of logged operations.
std::string operations_text(const OperationCounts& counts, size_t limit);
std::string operations_json(const OperationCounts& counts);

/// "exit 0", "killed by SIGSEGV", "became another program", "cut: no space left".
std::string end_text(EndKind how, uint32_t status, const std::string& note);

}  // namespace twinrun
