// SPDX-License-Identifier: MIT
#pragma once

#include "trace/ir.h"

#include <cstdint>

namespace twinrun {

/// Bytes of a value of at most 32 bytes: bit n is byte n.
using ByteMask = uint64_t;
inline constexpr ByteMask kAllBytes = ~ByteMask{0};
constexpr ByteMask byte_mask(uint32_t first, uint32_t size) {
  return (size >= 64 ? kAllBytes : (ByteMask{1} << size) - 1) << first;
}

/// The bytes of an operand on which these bytes of the statement's result can depend. The result of
/// a store or of a write to a register is what it writes. Copies, parts and joins of values,
/// bitwise operations, shifts by constants and operations on lanes keep bytes apart; for anything
/// else all bytes depend on all.
ByteMask operand_bytes(const IrBlock& block, const IrStatement& statement, uint32_t operand,
                       ByteMask wanted);

/// The same for an operation by itself. `shift` is the second operand of a shift when it is a
/// constant, else kNoShift.
inline constexpr uint64_t kNoShift = ~uint64_t{0};
ByteMask operation_bytes(uint16_t op, uint32_t operand, ByteMask wanted, uint64_t shift);

/// The same for what a statement loads.
ByteMask loaded_bytes(const IrStatement& statement, ByteMask wanted);

}  // namespace twinrun
