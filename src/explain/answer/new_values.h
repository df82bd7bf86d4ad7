// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "explain/answer/why.h"
#include "explain/graph/causal_graph.h"

namespace twinrun {

/// Marks the edges to state that the runs wrote by different code (WhyReport::Edge::is_new) when
/// the second run's value is one that the first run never has there, at any execution of the
/// instruction that uses it. Without that, another value alone is no evidence of a wrong one:
/// different inputs give different values. One pass over the first run; of very long ones nothing
/// is marked, nor are addresses.
Result<void> mark_new_values(const CausalGraph& graph, WhyReport& report);

}  // namespace twinrun
