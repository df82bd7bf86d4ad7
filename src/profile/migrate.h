// SPDX-License-Identifier: MIT
#pragma once

#include "match/binary_shape.h"
#include "match/match_state.h"
#include "profile/code_counts.h"

#include <cstdint>

namespace twinrun {

struct MigrateOptions {
  Strength min_strength = Strength::kWeak;  // of the matches that carry counts
  bool infer = true;                        // what is unknown, from what flows
};

/// What became of a profile.
struct Migration {
  CodeCounts counts;
  uint64_t old_functions = 0;      // with counts above 0
  uint64_t matched_functions = 0;  // of them
  uint64_t old_weight = 0;         // executed instructions
  uint64_t matched_weight = 0;     // in blocks that are matched
};

/// The counts of the old binary as counts of the new one.
Migration migrate_counts(const BinaryShape& old_shape, const BinaryShape& new_shape,
                         const MatchState& matches, const CodeCounts& old_counts,
                         const MigrateOptions& options);

}  // namespace twinrun
