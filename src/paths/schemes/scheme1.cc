// SPDX-License-Identifier: MIT
#include "paths/schemes/scheme1.h"

namespace twinrun {

bool scan_path(const PathAutomaton& automaton, PathStates& states, PathTraceView trace,
               PathPosition begin, PathWanted wanted, PathAnswer& answer) {
  // The innermost state is kept out of the vector: most events are blocks. -2 stands below the
  // outermost function, where nothing is.
  constexpr int32_t kOutside = -2;
  PathStates& outer = states;
  int32_t state = kOutside;
  if (!outer.empty()) {
    state = outer.back();
    outer.pop_back();
  }
  bool goes_on = true;
  for (size_t i = 0; i < trace.size(); ++i) {
    const PathEvent event = trace[i];
    if (event.is_block()) {
      state = automaton.next(state, event.block());
      if (automaton.accepts(state) && !answer.take(wanted, begin + i)) {
        goes_on = false;
        break;
      }
    } else if (event.is_exit()) {
      state = kOutside;
      if (!outer.empty()) {
        state = outer.back();
        outer.pop_back();
      }
    } else {
      if (state != kOutside) outer.push_back(state);
      state = event.function() == automaton.function() ? 0 : PathAutomaton::kNotInterested;
    }
  }
  if (state != kOutside) outer.push_back(state);
  if (wanted == PathWanted::kCount) answer.first = kNoPosition;
  return goes_on;
}

PathAnswer match_scheme1(PathTraceView trace, const PathQuery& query, PathWanted wanted) {
  const PathAutomaton automaton(query);
  PathAnswer answer;
  PathStates states;
  scan_path(automaton, states, trace, 0, wanted, answer);
  return answer;
}

PathAnswer match_scheme1(const Grammar& wpp, const PathQuery& query, PathWanted wanted) {
  const PathTrace trace = wpp.expand();
  PathAnswer answer = match_scheme1(trace, query, wanted);
  answer.stats.terminals_expanded = trace.size();
  return answer;
}

}  // namespace twinrun
