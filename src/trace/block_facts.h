// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "trace/block.h"

#include <array>
#include <cstdint>
#include <vector>

namespace twinrun {

/// What can follow a block that was left in a certain way, as far as its code says.
struct Successors {
  bool any = true;
  std::array<uint64_t, 3> addresses{};  // unless any
  uint32_t count = 0;

  void add(uint64_t address) {
    if (count == addresses.size())
      any = true;
    else
      addresses[count++] = address;
  }
  [[nodiscard]] bool contains(uint64_t address) const {
    for (uint32_t i = 0; i < count; ++i)
      if (addresses[i] == address) return true;
    return any;
  }
};

/// What one way through a block (one stream value) does.
struct VariantFacts {
  Successors next;
  uint32_t loads = 0;       // misses can name loads below it
  uint64_t opaque_min = 0;  // bytes of the opaque stream
  uint64_t opaque_max = 0;
};

/// Static facts of a block, from its IR where there is some, else from its bytes.
struct BlockFacts {
  std::vector<uint32_t> load_sizes;  // all loads of the block
  std::vector<VariantFacts> variants;
};

/// T009 when the IR is malformed or contradicts the rest of the definition.
Result<BlockFacts> block_facts(const BlockDef& block, const Dictionary& dictionary);

/// The successors that the last instruction's bytes allow.
Successors successors_of_code(const BlockDef& block);

}  // namespace twinrun
