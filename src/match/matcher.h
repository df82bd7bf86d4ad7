// SPDX-License-Identifier: MIT
#pragma once

#include "base/work.h"
#include "match/binary_shape.h"
#include "match/levels.h"
#include "match/match_options.h"
#include "match/match_state.h"

#include <array>
#include <string_view>
#include <vector>

namespace twinrun {

/// What the steps work on.
struct MatchContext {
  MatchContext(const BinaryShape& old_shape, const BinaryShape& new_shape, const MatchOptions& how);
  MatchContext(const MatchContext&) = delete;
  MatchContext& operator=(const MatchContext&) = delete;

  [[nodiscard]] const BinaryShape& shape(Side side) const {
    return *shapes[static_cast<size_t>(side)];
  }
  [[nodiscard]] const BlockHasher& hasher(Side side) const {
    return hashers[static_cast<size_t>(side)];
  }
  void pair_procedures(uint32_t a, uint32_t b, StepId step, Strength strength) {
    state.procedures.add(a, b, {static_cast<uint8_t>(step), 0, strength});
  }

  std::array<const BinaryShape*, 2> shapes;
  const MatchOptions& options;
  MatchState state;
  std::array<BlockHasher, 2> hashers;
  std::vector<bool> has_matched_blocks;  // by old procedure
};

/// Procedures (procedures.cc, likeness.cc).
void match_by_name(MatchContext& context);
void match_by_hierarchical_name(MatchContext& context);
void match_by_hash(MatchContext& context);
void match_by_similar_name(MatchContext& context);
void match_by_percentage(MatchContext& context);
void match_by_likeness(MatchContext& context);
void match_between(MatchContext& context);

/// Data (data.cc).
void match_data_by_hash(MatchContext& context);
void match_data_by_position(MatchContext& context);
void match_data_by_reference(MatchContext& context);

/// The blocks of matched procedures that this was not done for yet (block_matcher.cc): all steps of
/// blocks that the options have.
void match_blocks(MatchContext& context);

inline constexpr std::string_view kMatching = "matching";  // as told (base/work.h)

/// Takes the steps in the order of the options. Those of blocks work together and have an order of
/// their own: the first of them takes all; behind further procedures, the next one takes theirs.
MatchState match_binaries(const BinaryShape& old_shape, const BinaryShape& new_shape,
                          const MatchOptions& options, const WorkSink& work = {});

}  // namespace twinrun
