// SPDX-License-Identifier: MIT
#pragma once

#include "match/match_state.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace twinrun {

/// Matched pairs that do not cross each other: the longest chain that ascends on both sides.
/// O(n log n).
class Chain {
 public:
  /// The pairs must be sorted by their first, and no number occur twice on a side.
  explicit Chain(std::span<const std::pair<uint32_t, uint32_t>> pairs);
  /// How many links of the chain are below the number: things between the same two links have
  /// the same gap. O(log n).
  [[nodiscard]] size_t gap(Side side, uint32_t number) const;

 private:
  std::array<std::vector<uint32_t>, 2> links_;
};

/// Of everything that is matched.
Chain chain_of(const Pairing& matched);

/// Of things that look the same, both ascending: those between the same two matched neighbours, in
/// their order, where there are as many on both sides.
std::vector<std::pair<uint32_t, uint32_t>> pair_in_order(const Chain& chain,
                                                         std::span<const uint32_t> old_ones,
                                                         std::span<const uint32_t> new_ones);

}  // namespace twinrun
