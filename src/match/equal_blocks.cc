// SPDX-License-Identifier: MIT
#include "match/equal_blocks.h"

#include <algorithm>

namespace twinrun {

HashedBlocks hash_blocks(const BinaryShape& shape, const BlockHasher& hasher, uint32_t procedure,
                         uint32_t least) {
  HashedBlocks out;
  const ShapeProcedure& p = shape.procedures()[procedure];
  for (uint32_t block = p.first_block; block < p.first_block + p.block_count; ++block)
    if (const uint32_t size = shape.blocks()[block].substance; size >= least)
      out.emplace_back(hasher.hash(block, Level::k3), size);
  std::ranges::sort(out);
  return out;
}

double equal_part(const HashedBlocks& a, const HashedBlocks& b, uint64_t instructions) {
  uint64_t common = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (i->first == j->first) {
      common += 2 * uint64_t{i->second};
      ++i;
      ++j;
    } else if (i->first < j->first) {
      ++i;
    } else {
      ++j;
    }
  }
  return instructions == 0 ? 0 : static_cast<double>(common) / static_cast<double>(instructions);
}

}  // namespace twinrun
