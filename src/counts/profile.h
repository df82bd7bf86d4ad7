// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "run/run.h"
#include "trace/reader.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace twinrun {

/// How often each way through each block was executed: a facet of a process, which counts it once.
struct BlockProfile {
  static Result<std::unique_ptr<BlockProfile>> make(RunProcess& process);

  struct Entry {
    uint64_t whole = 0;        // executions that count the instructions begun
    uint64_t arrivals = 0;     // last arrivals at a rep instruction, which count nothing
    uint64_t first_block = 0;  // number of the block at its first execution
  };
  std::vector<Entry> by_value;
  /// Executions cut short by a signal, by (value, instructions completed).
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> partial;
};
/// Reads the blocks and events of all segments. O(blocks).
Result<BlockProfile> block_profile(const Reader& reader, const Process& process,
                                   const Dictionary& dictionary);

/// Own instructions of a function (not of those it calls).
struct FunctionCount {
  std::string module;
  std::string function;  // empty: code without a symbol
  ModuleAddr address;
  uint64_t instructions = 0;
  uint64_t calls = 0;  // executions of its first instruction
};

/// Executions of one instruction.
struct InstructionCount {
  std::string module;
  std::string function;
  ModuleAddr address;  // of anonymous code, in memory
  uint64_t count = 0;
};

struct Profile {
  std::vector<FunctionCount> functions;        // by instructions, most first
  std::vector<InstructionCount> instructions;  // by module and address
};
/// `processes`: those to add up.
Result<Profile> profile(Run& run, const std::vector<uint32_t>& processes);

}  // namespace twinrun
