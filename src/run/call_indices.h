// SPDX-License-Identifier: MIT
#pragma once

#include "run/memory_index.h"

namespace twinrun {

/// Indices by calls alone: each frame by its call site, its function and how often its caller had
/// called from that site, and the last call that the innermost one made. Unique at every moment
/// behind a call, cheap, and needs no code model; but an allocation is paired by how many came
/// before it at the same place, and not by the branches that led to it. The nodes of the indices
/// are places of the tree.
IndexSource call_indices(RunView& run, RegionTree& tree);

}  // namespace twinrun
