// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "values/process_view.h"

#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// The calls that are under way in a thread while it executes a block.
struct ActiveCalls {
  struct Frame {
    uint32_t function = 0;      // for CodePlaces::function
    uint64_t sp = 0;            // where the return address is; 0: not known
    uint64_t block = 0;         // number of the block that ended in the call
    uint64_t call = 0;          // address of the call instruction; 0: none
    bool is_inherited = false;  // from before the chunk: `block` is not known
    bool is_call = true;        // else a handler, a thread's start, another stack
  };
  ThreadNo thread;
  bool is_lost = false;       // behind a longjmp: the innermost ones may have ended
  std::vector<Frame> frames;  // innermost first
  /// Behind a signal handler, the frames that it interrupted, and those that their handler did.
  std::vector<Frame> interrupted;
};
/// Of each executed block. Goes over each chunk that holds one of them once, control flow only.
Result<std::vector<ActiveCalls>> active_calls(ProcessView& view, std::span<const BlockAt> blocks);

/// For each executed block the addresses of the calls that were under way in its thread, the
/// innermost first. Goes over each chunk that holds one of them once.
Result<std::vector<std::vector<uint64_t>>> call_chains(ProcessView& view,
                                                       std::span<const BlockAt> blocks);

}  // namespace twinrun
