// SPDX-License-Identifier: MIT
#pragma once

#include "explain/graph/causal_graph.h"
#include "explain/graph/same_pointer.h"
#include "explain/misuse/misuse.h"
#include "explain/target/targets.h"

#include <cstdint>
#include <vector>

namespace twinrun {

struct MisuseOptions {
  std::vector<AllocatorRule> allocators;  // that the user named
  size_t most = 8;                        // so many are told
};

struct FoundMisuses {
  std::vector<Misuse> told;
  uint64_t unfollowed = 0;  // pointers whose origin was not looked for: there are limits
};

/// What the second run did to memory that no program may do: the instructions of the graph, and how
/// it ended. The most telling one first; what the first run does in the same way behind the others.
Result<FoundMisuses> find_misuse(RunPair& runs, PointerMatcher& pointers, const CausalGraph& graph,
                                 const Target& target, const MisuseOptions& options);

}  // namespace twinrun
