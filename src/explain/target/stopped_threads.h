// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "base/result.h"
#include "explain/graph/slice_align.h"

#include <cstdint>
#include <vector>

namespace twinrun {

/// Where the threads of a process stood when it was stopped, as far as those of the other run went
/// on; the one that tells most first. Empty when there are none.
///
/// Mostly a thread went round in a loop that the other run has left: what only it has executed
/// begins at that branch. Or it waits in a system call: for what it was given, if both runs made
/// the call. Of threads that wait, the one that did so first keeps the others waiting, unless it
/// stands where the other run has come, too. The first thread of a process comes last: it mostly
/// waits for the others to end.
Result<std::vector<TargetDifference>> stopped_threads(RunPair& runs, RunSide side,
                                                      uint32_t process);

}  // namespace twinrun
