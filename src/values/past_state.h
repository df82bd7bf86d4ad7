// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "program/evaluate.h"
#include "program/instruction.h"
#include "program/registers.h"
#include "program/values.h"
#include "values/past_memory.h"

#include <cstdint>
#include <optional>
#include <string>

namespace twinrun {

/// The registers of a thread between two instructions.
///
/// Valgrind keeps the register file exact at memory accesses and where a block ends. In between it
/// leaves out what the block overwrites before it is looked at; so that behind an instruction that
/// writes a register by its encoding, but not in the block's IR, the value is computed from the
/// encoding (evaluate.h), and unknown where that is not possible.
struct Registers {
  Bytes bytes;
  RegisterSet unknown = 0;

  [[nodiscard]] bool knows(uint32_t offset, uint32_t size) const;
};

/// What the instructions of one executed block do to the registers, one after the other.
class BlockRegisters {
 public:
  /// `block` has run on the machine, which keeps its temporaries; `before` are the registers in
  /// front of it.
  BlockRegisters(const BlockDef& def, const CompiledBlock& code, uint32_t ops, Machine& machine,
                 ByteSpan before);

  [[nodiscard]] const Registers& now() const { return now_; }
  /// The next instruction.
  [[nodiscard]] uint32_t instruction() const { return instruction_; }
  [[nodiscard]] uint64_t pc() const { return pc_; }
  [[nodiscard]] ByteSpan bytes() const;
  /// Executes it.
  void step();

 private:
  /// What the instruction leaves in its register, by its encoding.
  std::optional<InstructionResult> evaluate();

  const BlockDef& def_;
  const CompiledBlock& code_;
  uint32_t ops_;
  Machine& machine_;
  Decoder decoder_;
  Evaluator evaluator_;
  Registers now_;
  uint32_t instruction_ = 0;
  uint64_t pc_ = 0;
  size_t write_ = 0;
};

/// The last instruction of the block, in front of `instruction`, whose write to the register is not
/// in the IR; nothing when the register file is right.
std::optional<uint32_t> unseen_writer(const BlockDef& def, const CompiledBlock& code,
                                      uint32_t instruction, uint32_t offset);

/// A thread in front of an instruction, for debug information.
class PastState : public ValueSource {
 public:
  PastState(Registers registers, PastMemory& memory, uint64_t load_bias)
      : registers_(std::move(registers)), memory_(memory), load_bias_(load_bias) {}

  [[nodiscard]] std::optional<uint64_t> reg(unsigned dwarf_number) const override;
  [[nodiscard]] bool memory(uint64_t address, std::span<uint8_t> out) const override {
    return memory_.read(address, out);
  }
  [[nodiscard]] uint64_t load_bias() const override { return load_bias_; }
  [[nodiscard]] const Registers& registers() const { return registers_; }

 private:
  Registers registers_;
  PastMemory& memory_;
  uint64_t load_bias_;
};

/// The registers in front of an instruction.
Result<Registers> registers_before(ProcessView& view, const InstructionAt& at);

/// The address of an instruction of a block.
uint64_t address_of(const BlockDef& def, uint32_t instruction);

/// Debug information at an address of a running process.
struct DebugAt {
  DebugInfo* info = nullptr;  // null: there is none
  ModuleAddr pc;
  uint64_t load_bias = 0;
};
DebugAt debug_at(ProcessView& view, Addr pc, uint64_t blocks);

}  // namespace twinrun
