// SPDX-License-Identifier: MIT
#pragma once

#include "profile/code_counts.h"
#include "program/module_code.h"

#include <cstdint>

namespace twinrun {

/// How near a profile comes to a fresh one of the same binary. All shares are from 0 to 1, and 1 is
/// best. Blocks are those of compilers, which do not end at calls: a block that only a call leads
/// to belongs to the call's.
struct ProfileScore {
  /// Sums of min(share, share) over all blocks: what both profiles agree on when each is scaled
  /// to 1.
  double block_overlap = 0;
  double edge_overlap = 0;  // the same over edges
  double function_overlap =
      0;  // of blocks inside of each function, by the fresh weight of functions

  // Two-way branches, in executions by the fresh profile.
  uint64_t branches = 0;
  uint64_t best_hits = 0;  // when each is predicted by the fresh profile
  uint64_t hits = 0;       // by the other one; without information the next block is predicted
  uint64_t with_information = 0;  // executions of branches that the other one knows something of
  /// The ratio of the two hit rates; 1 without branches.
  [[nodiscard]] double branch_ratio() const {
    return best_hits == 0 ? 1 : static_cast<double>(hits) / static_cast<double>(best_hits);
  }

  // Blocks of the functions that either profile has executed.
  uint64_t functions = 0;
  uint64_t blocks = 0;
  uint64_t only_fresh = 0;  // executed by one of the profiles only
  uint64_t only_other = 0;
  uint64_t both = 0;
  [[nodiscard]] double coverage() const {
    return blocks == 0
               ? 1
               : 1 - static_cast<double>(only_fresh + only_other) / static_cast<double>(blocks);
  }
};

ProfileScore score_counts(const ModuleCode& binary, const CodeCounts& counts,
                          const CodeCounts& fresh);

}  // namespace twinrun
