// SPDX-License-Identifier: MIT
#pragma once

#include "program/disassembler.h"
#include "run/run.h"
#include "trace/position.h"
#include "values/slice.h"

#include <string>

namespace twinrun {

/// An executed instruction, in words.
struct NamedInstruction {
  Position position;
  uint64_t pc = 0;
  std::string module;  // base name
  std::string function;
  uint64_t offset = 0;  // in the function, or in the module
  std::string file;     // of the source
  uint32_t line = 0;
  std::string text;  // disassembly
};

/// Makes rows for the instructions of one process.
class InstructionNamer {
 public:
  InstructionNamer(RunProcess& process, ProcessValues& values)
      : values_(values), symbolizer_(process.symbolizer()) {}
  Result<NamedInstruction> row(const InstructionAt& at);

 private:
  ProcessValues& values_;
  Symbolizer& symbolizer_;
  Disassembler disassembler_;
};

}  // namespace twinrun
