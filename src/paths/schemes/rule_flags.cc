// SPDX-License-Identifier: MIT
// Figure 4, with each flag where it means something. The events of a rule, without calls that begin
// and end in it, are
//     s_0 E s_1 E ... s_k F t_1 F t_2 ... F t_j
// where the s are blocks of invocations that were there before and the t are of invocations that
// are still there behind. Of s_k all flags are needed: more can come in front of it and behind it.
// s_0 to s_k-1 are complete at their ends: only what comes in front matters, so suffix flags are
// enough. Of the t both the function and the beginning are known, so their prefix flag is the
// automaton's state, or nil. So the levels' mapping of Figure 4 is: what follows ends t_j first.
//
// Deviation: Figure 4 sets foccur as soon as P is in a level's blocks, although the function that
// they belong to may not be known yet: in "1 2 E", with P = 1 2, they may be of any. So each s has
// its own number of occurrences, which count when the level's function turns out to be the path's.
// It is a number and no position, because interruptions make positions in a level expensive to
// join; where an occurrence ends is found by descending into rules that gain one (scheme2.cc).
#include "paths/schemes/rule_flags.h"

namespace twinrun {

RuleFlags::RuleFlags(const Grammar& grammar, const PathQuery& query)
    : grammar_(grammar), path_(query), rules_(grammar.rules()) {}

void RuleFlags::prepare_all() {
  for (uint32_t rule = grammar_.rules(); rule-- > 1;)
    if (!rules_[rule].is_known) compute(rule);
}

void RuleFlags::prepare(uint32_t rule) {
  std::vector<uint32_t> open{rule};
  while (!open.empty()) {
    const uint32_t at = open.back();
    if (rules_[at].is_known) {
      open.pop_back();
      continue;
    }
    const size_t before = open.size();
    for (const uint32_t symbol : grammar_.rule(at))
      if (Grammar::is_rule(symbol) && !rules_[Grammar::rule_of(symbol)].is_known)
        open.push_back(Grammar::rule_of(symbol));
    if (open.size() > before) continue;
    compute(at);
    open.pop_back();
  }
}

void RuleFlags::compute(uint32_t rule) {
  ++visited_;
  now_closed_.clear();
  now_opened_.clear();
  now_level1_ = {};
  now_occurrences_ = 0;
  for (const uint32_t symbol : grammar_.rule(rule)) {
    if (Grammar::is_rule(symbol)) {
      add_rule(rules_[Grammar::rule_of(symbol)]);
    } else {
      add_event(PathEvent::of_word(symbol));
    }
  }
  Flags& flags = rules_[rule];
  flags = {.is_known = true,
           .closed = static_cast<uint32_t>(now_closed_.size()),
           .opened = static_cast<uint32_t>(now_opened_.size()),
           .closed_at = closed_.size(),
           .opened_at = states_.size(),
           .level1 = now_level1_,
           .occurrences = now_occurrences_};
  closed_.insert(closed_.end(), now_closed_.begin(), now_closed_.end());
  states_.insert(states_.end(), now_opened_.begin(), now_opened_.end());
}

void RuleFlags::add_event(PathEvent event) {
  if (!now_opened_.empty() || event.is_entry()) {
    now_occurrences_ += step_states(path_.automaton(), now_opened_, event) ? 1 : 0;
  } else if (event.is_exit()) {
    now_closed_.push_back({now_level1_.suffix, now_level1_.occurrences});
    now_level1_ = {};
  } else {
    now_level1_ = path_.join(now_level1_, path_.of_block(event.block()));
  }
}

void RuleFlags::add_rule(const Flags& right) {
  now_occurrences_ += right.occurrences;
  for (const ClosedLevel& level : closed(right)) {
    if (now_opened_.empty()) {
      now_closed_.push_back({path_.join_suffix(now_level1_, level.suffix),
                             now_level1_.occurrences + level.occurrences +
                                 path_.crossing(now_level1_.prefix, level.suffix)});
      now_level1_ = {};
      continue;
    }
    const int32_t state = now_opened_.back();
    if (state >= 0) now_occurrences_ += level.occurrences + path_.crossing(state, level.suffix);
    now_opened_.pop_back();
  }
  if (now_opened_.empty()) {
    now_level1_ = path_.join(now_level1_, right.level1);
  } else if (int32_t& state = now_opened_.back(); state >= 0) {
    now_occurrences_ += right.level1.occurrences + path_.crossing(state, right.level1.suffix);
    state = path_.after(state, right.level1);
  }
  const std::span<const int32_t> more = opened(right);
  now_opened_.insert(now_opened_.end(), more.begin(), more.end());
}

uint64_t RuleFlags::gain(const PathStates& states, uint32_t rule) const {
  const Flags& flags = rules_[rule];
  uint64_t gained = flags.occurrences;
  size_t level = states.size();
  for (const ClosedLevel& closing : closed(flags)) {
    if (level-- == 0) return gained;
    if (states[level] >= 0)
      gained += closing.occurrences + path_.crossing(states[level], closing.suffix);
  }
  if (level == 0 || states[level - 1] < 0) return gained;
  return gained + flags.level1.occurrences + path_.crossing(states[level - 1], flags.level1.suffix);
}

void RuleFlags::apply(PathStates& states, uint32_t rule) const {
  const Flags& flags = rules_[rule];
  states.resize(states.size() - std::min<size_t>(states.size(), flags.closed));
  if (!states.empty()) states.back() = path_.after(states.back(), flags.level1);
  const std::span<const int32_t> more = opened(flags);
  states.insert(states.end(), more.begin(), more.end());
}

}  // namespace twinrun
