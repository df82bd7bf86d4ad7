// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "match/match_report.h"

#include <string>

namespace twinrun {

/// Writes the report as an SQLite database with the tables file, function, basicblock, data,
/// instruction and unmatched; docs/cli/match.md describes them. Under a temporary name first. M003
/// when it cannot be written.
Result<void> write_match_database(const MatchReport& report, const std::string& path);

}  // namespace twinrun
