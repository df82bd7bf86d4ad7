// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/reader.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// What an operation of the IR works on.
enum class OperationKind : uint8_t {
  kRegister,    // reads of the register file
  kLoad,        // loads from memory
  kInteger,     // arithmetic, logic, comparisons and conversions of scalar integers
  kFlags,       // condition codes
  kVector,      // integer operations on vectors
  kFloat,       // scalars and vectors of floating-point numbers
  kChoice,      // one of two values
  kPureCall,    // functions without effects other than condition codes
  kHelperCall,  // functions with effects, such as cpuid
};
inline constexpr size_t kOperationKinds = 9;

const char* operation_kind_name(OperationKind kind);

/// Of an operation by its name in format/ir_ops.def.
OperationKind operation_kind(std::string_view name);

/// How often results of one kind were needed, and where they came from.
struct OperationCount {
  uint64_t computed = 0;  // from operands; of loads: predicted
  uint64_t logged = 0;    // they are in the recording; of loads: misses
  uint64_t unneeded = 0;  // nothing that is computed uses them
  [[nodiscard]] uint64_t all() const { return computed + logged + unneeded; }
};

/// An operation or helper whose results are in the recording.
struct LoggedOperation {
  std::string name;
  OperationKind kind = OperationKind::kInteger;
  uint64_t count = 0;
};

struct OperationCounts {
  std::array<OperationCount, kOperationKinds> by_kind;
  std::vector<LoggedOperation> logged;  // most frequent first; without loads
};

/// Over all executions of the blocks of `processes`. Loads and helper calls under a condition count
/// as executed. Reads blocks and events of all segments. V001 for a recording without values.
Result<OperationCounts> count_operations(const Reader& reader,
                                         const std::vector<uint32_t>& processes);

}  // namespace twinrun
