// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "explain/graph/value_pairs.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace twinrun {

/// Two executions of one instruction that correspond, and what of it is in question.
struct RoundOf {
  BlockOf a;
  BlockOf b;
  uint32_t instruction = 0;  // in both blocks
  ValuePairs::Wanted wanted;
};

/// Where what is carried from one time round to the next began to differ.
struct FirstRound {
  Position a;
  Position b;
  uint64_t rounds = 0;  // between it and the one that was asked about
};

/// Goes back over the executions of the instruction, as long as those of the two runs correspond
/// and their results differ. `other`: an earlier time round, by which accesses that stay in one
/// place are known from those that move on: they must stay there. Ends early when `is_late` says
/// so. Nothing when the results cannot be told.
Result<std::optional<FirstRound>> first_round(RunPair& runs, const RoundOf& from,
                                              const RoundOf& other,
                                              const std::function<bool()>& is_late);

}  // namespace twinrun
