// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "explain/graph/slice_align.h"
#include "explain/target/target_facts.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace twinrun {

/// What went differently in the end, and is to be explained.
struct Target {
  enum class Kind : uint8_t {
    kCrash,
    kHang,
    kExit,
    kOutput,
    kDivergence,
    // Only when they are asked for.
    kPlace,
    kValue,
  };
  Kind kind = Kind::kDivergence;
  bool is_passed_on = false;  // kOutput: to a file that the run itself reads
  TargetDifference difference;
  std::vector<TargetDifference> also;  // to be explained with it
  TargetSubject what;
  TargetValue value_a;
  TargetValue value_b;
};

/// The differences that a user sees, the most telling one first: how the runs ended, what they
/// wrote, where they first part. Empty when there are none. Of output one target for each stretch
/// of differing bytes, as some can be noise; what nobody sees, of /dev/null, is none.
Result<std::vector<Target>> find_targets(RunPair& runs);

/// How two processes ended; nothing when that is the same.
Result<std::optional<Target>> end_target(RunPair& runs, uint32_t process_a, uint32_t process_b);

/// The processes that correspond, in their order.
std::vector<std::pair<uint32_t, uint32_t>> process_pairs(const RunPair& runs);

}  // namespace twinrun
