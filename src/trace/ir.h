// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "format/trace_format.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

class Dictionary;

/// A temporary or a constant; `kState` and `kVectorResult` stand only among a helper's arguments.
struct IrOperand {
  enum class Kind : uint8_t { kTemp, kConstant, kState, kVectorResult };
  Kind kind = Kind::kConstant;
  uint8_t type = 0;    // TwType of a constant
  uint64_t value = 0;  // number of the temporary, bits of the constant, byte mask of a vector
};

/// What a helper does to a part of the register file.
struct IrEffect {
  uint8_t effect = 0;  // TwEffect
  uint32_t offset = 0;
  uint32_t size = 0;
  uint32_t repeats = 0;
  uint32_t stride = 0;
};

inline constexpr uint32_t kNoTemp = ~0u;

/// One statement; which fields count depends on `tag`, as trace_format.h lists them. Operands stand
/// in the order in which they are written. What treats statements by their tag is a `switch`
/// without a default (docs/adding.md).
struct IrStatement {
  TwStmt tag = TW_STMT_IMARK;
  uint8_t cls = 0;  // TwClass: OP, CCALL
  uint16_t op = 0;
  uint32_t dst = kNoTemp;
  uint32_t dst_high = kNoTemp;  // CAS
  uint32_t offset = 0;          // PUT, GET; base of PUTI, GETI
  uint8_t element_type = 0;     // PUTI, GETI
  uint32_t element_count = 0;   // PUTI, GETI
  int64_t bias = 0;             // PUTI, GETI
  uint32_t helper = 0;          // CCALL, DIRTY
  uint8_t load_kind = 0;        // LOADG: TwLoadG
  uint8_t memory_effect = 0;    // DIRTY: TwEffect; then its address follows the guard
  uint32_t memory_size = 0;     // DIRTY
  uint64_t target = 0;          // EXIT
  uint8_t jump = 0;             // EXIT: TwJump
  bool makes_variant = false;   // EXIT
  uint32_t operands = 0;        // first in IrBlock::operands
  uint32_t operand_count = 0;
  uint32_t effects = 0;  // first in IrBlock::effects
  uint32_t effect_count = 0;
};

struct IrBlock {
  std::vector<uint8_t> types;  // TwType of each temporary
  std::vector<IrStatement> statements;
  std::vector<IrOperand> operands;
  std::vector<IrEffect> effects;
  IrOperand next;
};

/// Decodes and checks: sizes, known tags, every temporary exists, is assigned once and before its
/// use. T009 otherwise.
Result<IrBlock> decode_ir(ByteSpan ir);

/// Bytes of a value; 0 for an unknown type.
uint32_t type_size(uint8_t type);

/// Bytes that a guarded load reads.
uint32_t loadg_size(uint8_t kind);

/// A load in the order in which misses number them: loads, guarded loads, and the one or two old
/// values of a compare-and-swap.
struct IrLoad {
  uint32_t statement = 0;
  uint32_t size = 0;
};
std::vector<IrLoad> loads_of(const IrBlock& block);

/// Bytes that statements [0, end) append to the opaque stream: exactly `min` unless helpers are
/// called under a condition.
struct OpaqueSize {
  uint64_t min = 0;
  uint64_t max = 0;
};
OpaqueSize opaque_size(const IrBlock& block, size_t end);

/// "Add64"; empty for an unknown number.
std::string_view op_name(uint16_t op);
const char* type_name(uint8_t type);
const char* jump_name(uint32_t jump);

/// One line per statement, for people. Helper names come from `names`.
std::string print_ir(const IrBlock& block, const Dictionary& names, std::string_view indent);

}  // namespace twinrun
