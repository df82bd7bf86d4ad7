// SPDX-License-Identifier: MIT
#pragma once

#include "values/named_instruction.h"
#include "values/process_view.h"

#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// A backward slice, in words.
struct SliceReport {
  struct Edge {
    uint32_t from = 0;  // rows: `from` needed what `to` wrote
    uint32_t to = 0;
    std::string_view kind;  // "value", "register", "memory", "control"
    bool for_address = false;
    std::string what;  // "rax", "0x1ffefff010:8"; empty for a value inside a block
  };
  struct Input {
    uint32_t row = 0;
    std::string what;
    std::string_view
        from;  // "syscall", "signal", "startup", "unseen", "mapping", "parent", "start"
  };
  std::string subject;
  std::vector<NamedInstruction> rows;  // the latest first
  std::vector<Edge> edges;
  std::vector<Input> inputs;
  bool cut = false;
};

/// From what the instruction at the position computes; with a subject (subject.h), from the writers
/// of those bytes as the instruction sees them.
Result<SliceReport> backward_slice(Run& run, const Position& at, std::string_view subject,
                                   const SliceOptions& options);

}  // namespace twinrun
