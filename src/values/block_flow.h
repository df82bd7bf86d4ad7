// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/ir.h"
#include "trace/regen/code.h"
#include "values/byte_flow.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace twinrun {

/// A part of the register file that a statement reads.
struct RegisterRead {
  uint32_t offset = 0;
  uint32_t size = 0;
  bool is_copied = false;  // it is the statement's result, byte by byte

  /// Those of its bytes on which these bytes of the result can depend.
  [[nodiscard]] ByteMask bytes(ByteMask wanted) const { return is_copied ? wanted : kAllBytes; }
};

/// The data flow inside a block: which statement defines each temporary, to which instruction each
/// statement belongs, and what each reads and writes beyond temporaries.
struct BlockFlow {
  IrBlock ir;
  const CompiledBlock* code = nullptr;
  std::vector<uint32_t> instruction_of;  // each statement's
  std::vector<uint32_t> definition_of;   // each temporary's statement

  /// Memory accesses of the statement: [first, end) in code->accesses.
  struct Range {
    uint32_t first = 0;
    uint32_t end = 0;
  };
  std::vector<Range> accesses_of;
  std::vector<Range> register_writes_of;

  std::vector<RegisterRead> register_reads;
  std::vector<Range> register_reads_of;

  [[nodiscard]] std::span<const RegisterRead> register_reads_by(uint32_t statement) const {
    const auto [first, end] = register_reads_of[statement];
    return std::span(register_reads).subspan(first, end - first);
  }
};

/// The flows of a process's blocks, made when they are needed.
class BlockFlows {
 public:
  explicit BlockFlows(CodeCache& code) : code_(code) {}
  /// Of the block that a stream value means.
  Result<const BlockFlow*> of(const BlockDef& def);

 private:
  CodeCache& code_;
  std::vector<std::unique_ptr<BlockFlow>> by_id_;
};

}  // namespace twinrun
