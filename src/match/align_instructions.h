// SPDX-License-Identifier: MIT
#pragma once

#include "match/binary_shape.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace twinrun {

/// Instructions of two matched blocks that correspond: the longest common sequence of those with
/// the same group of opcodes, padding left out. O(n * m), for long blocks in pieces.
std::vector<std::pair<uint32_t, uint32_t>> align_instructions(
    std::span<const ShapeInstruction> old_ones, std::span<const ShapeInstruction> new_ones);

}  // namespace twinrun
