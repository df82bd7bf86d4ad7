// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_answer.h"
#include "paths/schemes/grammar.h"
#include "paths/schemes/path_flags.h"

#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// The flags of a grammar's rules for one path, computed when they are needed (Figure 4). Relative
/// nesting levels: the level that a rule stays in is level 1; `fentry` is that of its first event,
/// `fexit` of its last.
class RuleFlags {
 public:
  RuleFlags(const Grammar& grammar, const PathQuery& query);

  [[nodiscard]] const PathFlags& path() const { return path_; }
  /// Computes the flags of the rule and of all that it uses.
  void prepare(uint32_t rule);
  /// Of all rules but the start rule.
  void prepare_all();
  [[nodiscard]] uint64_t rules_visited() const { return visited_; }

  // Of a rule that was prepared:

  [[nodiscard]] uint32_t fentry(uint32_t rule) const { return rules_[rule].closed + 1; }
  [[nodiscard]] uint32_t fexit(uint32_t rule) const { return rules_[rule].opened + 1; }
  /// The smallest level of an exit in it; 0: none. Level 1 is never left, so this is 2.
  [[nodiscard]] uint32_t freturn(uint32_t rule) const { return rules_[rule].closed > 0 ? 2 : 0; }
  /// Occurrences that end in the rule's events when they follow on these states.
  [[nodiscard]] uint64_t gain(const PathStates& states, uint32_t rule) const;
  /// The states after the rule's events.
  void apply(PathStates& states, uint32_t rule) const;

 private:
  /// An invocation that was there before the rule and ends in it.
  struct ClosedLevel {
    int32_t suffix = 0;
    uint64_t occurrences = 0;
  };
  struct Flags {
    bool is_known = false;
    uint32_t closed = 0;       // levels of the kind above, innermost first
    uint32_t opened = 0;       // invocations that begin in the rule and do not end there
    uint64_t closed_at = 0;    // in closed_
    uint64_t opened_at = 0;    // in states_: their states, innermost last
    LevelFlags level1;         // of the invocation that was there before and is still there
    uint64_t occurrences = 0;  // in invocations that begin in the rule
  };
  void compute(uint32_t rule);
  void add_rule(const Flags& right);
  void add_event(PathEvent event);
  [[nodiscard]] std::span<const ClosedLevel> closed(const Flags& flags) const {
    return std::span(closed_).subspan(flags.closed_at, flags.closed);
  }
  [[nodiscard]] std::span<const int32_t> opened(const Flags& flags) const {
    return std::span(states_).subspan(flags.opened_at, flags.opened);
  }

  const Grammar& grammar_;
  PathFlags path_;
  std::vector<Flags> rules_;
  std::vector<ClosedLevel> closed_;
  std::vector<int32_t> states_;
  uint64_t visited_ = 0;
  // The rule that is being computed.
  std::vector<ClosedLevel> now_closed_;
  PathStates now_opened_;
  LevelFlags now_level1_;
  uint64_t now_occurrences_ = 0;
};

}  // namespace twinrun
