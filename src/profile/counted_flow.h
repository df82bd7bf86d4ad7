// SPDX-License-Identifier: MIT
#pragma once

#include "profile/code_counts.h"
#include "program/module_code.h"

#include <cstdint>
#include <vector>

namespace twinrun {

/// The counts of a profile as transfers of control between addresses, for those that write them.
struct CountedFlow {
  struct Transfer {
    uint64_t from = 0;        // the instruction; of none: ~0, from outside of the binary
    uint64_t from_block = 0;  // where its block begins
    uint64_t to = 0;
    uint64_t count = 0;
    bool is_jump = false;  // else the next instruction in memory
    /// BOLT's blocks do not end at calls: it knows no edge there, unless something jumps behind the
    /// call.
    bool is_bolt_edge = true;
  };
  std::vector<Transfer> edges;    // inside of functions, by function and edge
  std::vector<Transfer> calls;    // with tail calls
  std::vector<Transfer> entries;  // from outside, as far as the calls do not explain them
  std::vector<Transfer> blocks;   // executed ones: `from_block` and `count`
};

CountedFlow counted_flow(const ModuleCode& binary, const CodeCounts& counts);

/// For each block whether something else than what stands before it leads there.
std::vector<bool> jump_targets(const Cfg& cfg);

}  // namespace twinrun
