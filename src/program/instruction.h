// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "program/registers.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace twinrun {

/// What an instruction does to the flow of control.
enum class Flow : uint8_t {
  kNone,             // the next instruction follows
  kJump,             // to `target`
  kConditionalJump,  // to `target` or to the next instruction
  kIndirectJump,     // to an address that only the run knows
  kCall,             // of `target`
  kIndirectCall,
  kReturn,
  kTrap,     // hlt, ud2, int3: a program does not run beyond it
  kSyscall,  // the kernel continues behind it, if at all
};

/// A decoded instruction, as far as control flow goes.
struct Instruction {
  uint64_t address = 0;
  /// Of a direct jump or call; of an indirect one through a slot at a fixed address ("jmp
  /// [rip+x]") that slot, when `has_slot`.
  uint64_t target = 0;
  uint8_t length = 0;
  Flow flow = Flow::kNone;
  bool has_slot = false;
  bool is_nop = false;
  bool repeats = false;  // a string instruction with a rep prefix: it can follow itself

  [[nodiscard]] uint64_t end() const { return address + length; }
  [[nodiscard]] bool is_call() const { return flow == Flow::kCall || flow == Flow::kIndirectCall; }
  /// It has a target in the code itself.
  [[nodiscard]] bool is_direct() const {
    return flow == Flow::kJump || flow == Flow::kConditionalJump || flow == Flow::kCall;
  }
  /// The next instruction follows, or can follow (a call counts as one that returns).
  [[nodiscard]] bool falls_through() const {
    return flow != Flow::kJump && flow != Flow::kIndirectJump && flow != Flow::kReturn &&
           flow != Flow::kTrap;
  }
  bool operator==(const Instruction&) const = default;
};

struct RegisterUse {
  RegisterSet reads = 0;
  RegisterSet writes = 0;
  /// What the written registers come from: read other than for the address of memory, or written in
  /// part only.
  RegisterSet operands = 0;
};

/// Decodes x86-64 instructions.
class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Nothing when the bytes are no instruction or end in one.
  [[nodiscard]] std::optional<Instruction> decode(ByteSpan code, uint64_t address) const;
  /// Explicit and implicit ones; registers of addresses are read.
  [[nodiscard]] std::optional<RegisterUse> registers(ByteSpan code) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace twinrun
