// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"

namespace twinrun {

/// Chooses the way from the target to an input that is told, and what is told beside it: `answer`,
/// `headline` and `hidden` of the report. Needs the report's nodes, edges and statements.
void compose_answer(WhyReport& report);

}  // namespace twinrun
