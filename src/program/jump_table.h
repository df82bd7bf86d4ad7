// SPDX-License-Identifier: MIT
#pragma once

#include "program/code_image.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace twinrun {

/// The targets of a compiled switch or computed goto.
struct JumpTable {
  uint64_t address = 0;
  uint32_t entry_size = 0;  // 4: offsets from the table; 8: addresses
  /// The code limits the index; otherwise the table was read as far as its entries made sense.
  bool bounded = false;
  std::vector<uint64_t> targets;  // in the order of the table
  bool operator==(const JumpTable&) const = default;
};

/// An indirect jump that is not through a fixed slot, and all tables that it goes through.
struct KnownJump {
  uint64_t address = 0;
  std::vector<JumpTable> tables;  // in the order in which they were found
  bool operator==(const KnownJump&) const = default;
};

/// One instruction of a path; of a conditional jump, whether the path takes it.
struct PathStep {
  uint64_t address = 0;
  bool taken = false;
};

/// The table that the indirect jump at the end of `path` goes through; nothing when the jump does
/// not look like one through a table. `is_inside` says whether an address belongs to the function.
/// O(path * state + entries).
std::optional<JumpTable> find_jump_table(const CodeImage& image, std::span<const PathStep> path,
                                         const std::function<bool(uint64_t)>& is_inside,
                                         uint32_t most_entries);

/// Whether what stands in front of `path` could make its last instruction a jump through a table,
/// when find_jump_table() finds none: the jump goes by what a register or a slot of the stack held
/// at the start of the path.
bool may_be_jump_table(const CodeImage& image, std::span<const PathStep> path);

}  // namespace twinrun
