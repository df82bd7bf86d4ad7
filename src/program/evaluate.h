// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace twinrun {

/// What an instruction is given.
struct InstructionInput {
  uint64_t address = 0;  // of the instruction
  /// A whole general register by its number; nothing when it is not known.
  std::function<std::optional<uint64_t>(unsigned)> reg;
  std::optional<uint64_t> loaded;  // from its memory operand, zero-extended
};

/// A general register behind an instruction, whole.
struct InstructionResult {
  unsigned reg = 0;
  uint64_t value = 0;
};

/// Computes what moves, address computations and integer arithmetic leave in their first operand.
/// This is enough for what compilers do between two memory accesses; anything else is nothing.
class Evaluator {
 public:
  Evaluator();
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  [[nodiscard]] std::optional<InstructionResult> run(ByteSpan code,
                                                     const InstructionInput& input) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace twinrun
