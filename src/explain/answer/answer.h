// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"

namespace twinrun {

/// Chooses the way from the target to an input that is told, and puts it into lines: `answer` and
/// `verdict` of the report. Needs the report's nodes and edges.
void compose_answer(WhyReport& report);

}  // namespace twinrun
