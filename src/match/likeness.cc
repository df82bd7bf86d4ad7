// SPDX-License-Identifier: MIT
// Procedures without names by what is rare about them.
#include "match/matcher.h"

namespace twinrun {

void match_by_likeness(MatchContext&) {}
void match_between(MatchContext&) {}

}  // namespace twinrun
