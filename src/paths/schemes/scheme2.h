// SPDX-License-Identifier: MIT
#pragma once

#include "paths/schemes/rule_flags.h"

namespace twinrun {

/// Scheme 2 (section 4.2): matches in the WPP itself. O((|R| + |S|) * levels + m^2); an occurrence
/// whose position is wanted costs a way down the grammar more.
PathAnswer match_scheme2(const Grammar& wpp, const PathQuery& query, PathWanted wanted);

/// Figure 5: walks over symbols with the states of the active invocations.
class WppWalk {
 public:
  /// `lengths`: of the rules.
  WppWalk(const Grammar& wpp, const std::vector<uint64_t>& lengths, RuleFlags& flags,
          PathWanted wanted)
      : wpp_(wpp), lengths_(lengths), flags_(flags), wanted_(wanted) {}

  /// Takes one symbol of the start rule; the rules below it must have been prepared. False when
  /// nothing more is wanted.
  bool take(uint32_t symbol);
  /// Passes events that are known to be of no interest.
  void skip(uint64_t events) { position_ += events; }
  [[nodiscard]] PathStates& states() { return states_; }
  [[nodiscard]] PathAnswer& answer() { return answer_; }

 private:
  const Grammar& wpp_;
  const std::vector<uint64_t>& lengths_;
  RuleFlags& flags_;
  PathWanted wanted_;
  PathStates states_;
  PathPosition position_ = 0;
  PathAnswer answer_;
  std::vector<std::span<const uint32_t>> open_;
};

}  // namespace twinrun
