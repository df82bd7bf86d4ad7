// SPDX-License-Identifier: MIT
#pragma once

#include "match/levels.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace twinrun {

/// Hash values of blocks on level 3, with the instructions that are no padding; sorted.
using HashedBlocks = std::vector<std::pair<uint64_t, uint32_t>>;

/// Of a procedure's blocks with at least so many instructions.
HashedBlocks hash_blocks(const BinaryShape& shape, const BlockHasher& hasher, uint32_t procedure,
                         uint32_t least);

/// The part of `instructions`, all of two procedures, that is in equal blocks of them, 0..1.
double equal_part(const HashedBlocks& a, const HashedBlocks& b, uint64_t instructions);

}  // namespace twinrun
