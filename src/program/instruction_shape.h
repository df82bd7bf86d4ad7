// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "program/instruction.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace twinrun {

/// A general-purpose or other register as a small number: 0..15 rax, rcx, rdx, rbx, rsp, rbp, rsi,
/// rdi, r8..r15, 32..63 vector registers, kShapeRegisterOther + n the rest.
using ShapeRegister = uint8_t;
inline constexpr ShapeRegister kShapeRegisterVector = 32;
inline constexpr ShapeRegister kShapeRegisterOther = 64;

/// An instruction taken apart into what two builds of a program can have in common, from most to
/// least: its registers, numbers and addresses, the types of its operands, its opcode.
struct InstructionShape {
  static constexpr size_t kMostRegisters = 6;

  /// What it refers to, as an address of the ELF file: the target of a direct jump or call, memory
  /// at [rip+x] or at a fixed address, or the address itself as a value (lea, mov of a constant
  /// that is an address of the image). 0: nothing.
  uint64_t reference = 0;
  int64_t immediate = 0;     // of the first immediate operand that is no address; others are added
  int32_t displacement = 0;  // of memory operands that refer to no fixed address
  uint32_t types = 0;        // a hash of the operands' types and sizes, and of scales
  uint16_t opcode = 0;       // with prefixes that matter
  uint16_t group = 0;        // the same for opcodes that do about the same
  std::array<ShapeRegister, kMostRegisters> registers{};  // in the order of the operands
  uint8_t register_count = 0;
  uint8_t length = 0;
  Flow flow = Flow::kNone;
  bool has_immediate : 1 = false;
  bool has_displacement : 1 = false;
  bool is_address : 1 = false;  // the reference is computed, not followed
  bool is_padding : 1 = false;  // nop, endbr64
};

/// Takes instructions apart.
class ShapeDecoder {
 public:
  ShapeDecoder();
  ~ShapeDecoder();
  ShapeDecoder(const ShapeDecoder&) = delete;
  ShapeDecoder& operator=(const ShapeDecoder&) = delete;

  /// The addresses that constants in the code can be: of images that are not relocated.
  struct Range {
    uint64_t start = 0;
    uint64_t end = 0;
  };
  void set_image(std::span<const Range> ranges);

  /// Nothing when the bytes are no instruction.
  [[nodiscard]] std::optional<InstructionShape> decode(ByteSpan code, uint64_t address) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace twinrun
