// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "base/result.h"
#include "explain/graph/causal_graph.h"
#include "values/named_instruction.h"

#include <optional>
#include <vector>

namespace twinrun {

/// What the second run did because it had failed: its error reports, its unwinding, its exit.
struct Aftermath {
  std::vector<bool> nodes;  // of the graph
  /// The call with which it gave up, from which nothing returns.
  std::optional<NamedInstruction> gave_up;
};

/// Costs the control flow of the chunks that have nodes which only the second run executed.
Result<Aftermath> find_aftermath(RunPair& runs, const CausalGraph& graph);

}  // namespace twinrun
