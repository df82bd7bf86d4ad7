// SPDX-License-Identifier: MIT
#pragma once

#include "match/matcher.h"
#include "match/traits.h"

#include <array>
#include <cstdint>
#include <vector>

namespace twinrun {

/// Among the unmatched blocks of two procedures: pairs that are each other's best choice by far, by
/// the calls, data, numbers and offsets in them and around them, and by matched neighbours.
class BlockLikeness {
 public:
  BlockLikeness(const MatchContext& context, uint32_t old_procedure, uint32_t new_procedure);

  /// Best first; at least as alike as `threshold`. Blocks that were matched since the last time are
  /// left out, and their neighbours known by them.
  [[nodiscard]] std::vector<LikePair> find(double threshold) const;

 private:
  [[nodiscard]] const ShapeProcedure& procedure(Side side) const;
  [[nodiscard]] Traits own_traits(Side side, uint32_t block) const;
  [[nodiscard]] Traits all_traits(Side side, uint32_t local) const;

  const MatchContext& context_;
  std::array<uint32_t, 2> procedures_;
  std::array<std::vector<Traits>, 2> own_;  // by block of the procedure
};

}  // namespace twinrun
