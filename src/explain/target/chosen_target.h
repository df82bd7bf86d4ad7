// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "explain/graph/same_pointer.h"
#include "explain/target/targets.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

/// What a user asks about, in place of what went differently in the end.
struct TargetChoice {
  enum class Kind : uint8_t { kNone, kPlace, kOutput, kWrong, kExit };
  Kind kind = Kind::kNone;
  // kPlace.
  std::string at;     // as of find_position(), of the second run
  std::string value;  // a subject (subject.h); empty: all that the line uses
  // kOutput: the same byte of both runs. kWrong: of the second alone, whatever the first wrote.
  int64_t descriptor = 0;  // kOutput
  std::string to;          // kWrong: a descriptor's number, or the end of a file's path
  uint64_t offset = 0;
};

struct ChosenTargets {
  std::vector<Target> targets;  // to be explained together, the one that is told first
  Sameness same;                // without targets
  std::vector<WhyNote> notes;
};

/// Errors: V004 when neither run comes to the place, those of parse_subject(), V006 when neither
/// run has written such a byte.
Result<ChosenTargets> choose_targets(RunPair& runs, PointerMatcher& pointers,
                                     const TargetChoice& choice);

}  // namespace twinrun
