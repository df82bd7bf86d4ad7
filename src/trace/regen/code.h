// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/ir.h"
#include "trace/reader.h"
#include "trace/regen/op.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace twinrun {

/// A block compiled to steps for the machine. Which side exits it passes is known from the
/// recording, so the steps are straight-line code: a variant is a prefix of them.
struct CompiledBlock {
  std::vector<Op> ops;
  std::vector<uint32_t> variant_end;      // ops of each variant
  std::vector<uint32_t> instruction_end;  // ops of the first 1, 2, ... instructions
  std::vector<uint8_t> load_sizes;        // by load number
  uint32_t next = 0;                      // arena offset of the address of the next block
  struct Exit {
    uint32_t op = 0;     // stands before this op
    uint32_t guard = 0;  // arena offset
    uint64_t target = 0;
    bool makes_variant = false;
    bool raises_signal = false;
  };
  std::vector<Exit> exits;
};

/// Compiles the blocks of one process on demand. Constants of all blocks live in one pool that
/// every machine copies into its arena.
class CodeCache {
 public:
  CodeCache(const Dictionary& dictionary, uint32_t state_size)
      : dictionary_(dictionary), state_size_(state_size) {}

  /// The compiled form of the block with this id.
  Result<const CompiledBlock*> find(const BlockDef& def);
  [[nodiscard]] const std::vector<uint64_t>& constants() const { return constants_; }

 private:
  friend class BlockCompiler;
  uint32_t constant(uint64_t low, uint64_t high = 0, uint64_t third = 0, uint64_t fourth = 0,
                    unsigned words = 1);

  const Dictionary& dictionary_;
  uint32_t state_size_;  // definitions may not reach beyond it
  std::vector<std::unique_ptr<CompiledBlock>> by_id_;
  std::vector<uint64_t> constants_;
  std::unordered_map<uint64_t, uint32_t> words_;  // constants of one word
};

}  // namespace twinrun
