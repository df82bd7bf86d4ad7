// SPDX-License-Identifier: MIT
#include "paths/schemes/scheme2.h"

namespace twinrun {

bool WppWalk::take(uint32_t symbol) {
  open_.assign(1, std::span(&symbol, 1));
  while (!open_.empty()) {
    std::span<const uint32_t>& left = open_.back();
    if (left.empty()) {
      open_.pop_back();
      continue;
    }
    const uint32_t next = left.front();
    left = left.subspan(1);
    if (!Grammar::is_rule(next)) {
      const PathPosition at = position_++;
      if (step_states(flags_.path().automaton(), states_, PathEvent::of_word(next)) &&
          !answer_.take(wanted_, at))
        return false;
      continue;
    }
    const uint32_t rule = Grammar::rule_of(next);
    ++answer_.stats.rules_visited;
    const uint64_t gained = flags_.gain(states_, rule);
    if (gained > 0 && wanted_ != PathWanted::kCount) {
      open_.push_back(wpp_.rule(rule));  // some occurrence ends in there
      continue;
    }
    answer_.count += gained;
    flags_.apply(states_, rule);
    position_ += lengths_[rule];
  }
  return true;
}

PathAnswer match_scheme2(const Grammar& wpp, const PathQuery& query, PathWanted wanted) {
  const std::vector<uint64_t> lengths = wpp.lengths();
  RuleFlags flags(wpp, query);
  flags.prepare_all();
  WppWalk walk(wpp, lengths, flags, wanted);
  for (const uint32_t symbol : wpp.start())
    if (!walk.take(symbol)) break;
  PathAnswer answer = std::move(walk.answer());
  answer.stats.rules_visited += flags.rules_visited();
  if (wanted == PathWanted::kCount) answer.first = kNoPosition;
  return answer;
}

}  // namespace twinrun
