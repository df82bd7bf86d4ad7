// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>

namespace twinrun {

class Machine;
struct Op;
using StepFunction = void (*)(Machine& machine, const Op& op);

/// One step of a compiled block. Operands are byte offsets into the machine's arena, which holds
/// the register file, the temporaries of the current block and all constants, so that an operation
/// does not care where its operands come from.
struct Op {
  StepFunction run = nullptr;
  uint32_t dst = 0;
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
};

/// How to compute operation `op` (a number of format/ir_ops.def); null when it is not computed.
StepFunction evaluator_of(uint16_t op);

// Tables of evaluators by name, one per file.
struct NamedEvaluator {
  const char* name;
  StepFunction run;
};
struct EvaluatorTable {
  const NamedEvaluator* first;
  unsigned count;
};
EvaluatorTable integer_evaluators();
EvaluatorTable vector_evaluators();
EvaluatorTable float_evaluators();

}  // namespace twinrun
