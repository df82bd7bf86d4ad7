// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace twinrun {

/// How many instructions the blocks of functions have. A block that nothing is said of has one.
class PathLengths {
 public:
  void set(uint32_t function, uint32_t block, uint32_t instructions) {
    if (function >= functions_.size()) functions_.resize(function + 1);
    std::vector<uint32_t>& blocks = functions_[function];
    if (block >= blocks.size()) blocks.resize(block + 1, 1);
    blocks[block] = instructions;
  }
  [[nodiscard]] uint32_t of(uint32_t function, uint32_t block) const {
    if (function >= functions_.size()) return 1;
    const std::vector<uint32_t>& blocks = functions_[function];
    return block < blocks.size() ? blocks[block] : 1;
  }

 private:
  std::vector<std::vector<uint32_t>> functions_;  // by number, then by block
};

}  // namespace twinrun
