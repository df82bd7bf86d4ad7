// SPDX-License-Identifier: MIT
// The blocks of two matched procedures: by hash at levels, in two phases, and by control flow.
#include "match/block_matcher.h"
#include "match/matcher.h"

#include <algorithm>

namespace twinrun {

void match_blocks(MatchContext& context) {
  const Pairing& procedures = context.state.procedures;
  for (uint32_t p = 0; p < procedures.size(Side::kOld); ++p)
    if (const uint32_t q = procedures.partner(Side::kOld, p); q != kNoMatch)
      BlockMatcher(context, p, q).run();
}

}  // namespace twinrun
