// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_answer.h"
#include "paths/path_automaton.h"
#include "paths/schemes/grammar.h"

namespace twinrun {

/// Scheme 1 (section 4.1): runs the automaton over a trace that is not compressed, from `states`
/// on, with `begin` as the position of the first event. False when nothing more is wanted. O(n).
bool scan_path(const PathAutomaton& automaton, PathStates& states, PathTraceView trace,
               PathPosition begin, PathWanted wanted, PathAnswer& answer);

/// Of a whole trace.
PathAnswer match_scheme1(PathTraceView trace, const PathQuery& query, PathWanted wanted);
/// Of a WPP, which is decompressed first.
PathAnswer match_scheme1(const Grammar& wpp, const PathQuery& query, PathWanted wanted);

}  // namespace twinrun
