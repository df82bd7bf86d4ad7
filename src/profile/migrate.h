// SPDX-License-Identifier: MIT
#pragma once

#include "match/binary_shape.h"
#include "match/match_state.h"
#include "profile/code_counts.h"

#include <array>
#include <cstdint>

namespace twinrun {

struct MigrateOptions {
  Strength min_strength = Strength::kWeak;  // of the matches that carry counts
  bool infer = true;                        // what is unknown, from what flows
};

/// How much of a profile was carried over.
struct CarriedCounts {
  uint64_t old_functions = 0;             // executed ones
  uint64_t matched_functions = 0;         // of them
  uint64_t old_weight = 0;                // executed instructions
  uint64_t matched_weight = 0;            // in blocks that are matched
  std::array<uint64_t, 5> by_strength{};  // that, by the strength of the blocks' matches
  uint64_t new_functions = 0;             // of the new binary that have no counts: unknown
};

struct Migration {
  CodeCounts counts;
  CarriedCounts carried;
};

/// The counts of the old binary as counts of the new one.
Migration migrate_counts(const BinaryShape& old_shape, const BinaryShape& new_shape,
                         const MatchState& matches, const CodeCounts& old_counts,
                         const MigrateOptions& options);

}  // namespace twinrun
