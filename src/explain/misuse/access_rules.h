// SPDX-License-Identifier: MIT
#pragma once

#include "memory/allocations.h"
#include "values/call_chains.h"
#include "values/named_instruction.h"
#include "values/process_view.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// What of a process's code may be held to the rules of memory.
class AccessRules {
 public:
  /// `allocators`: that the user named.
  AccessRules(ProcessView& view, const std::vector<AllocatorRule>& allocators);

  enum class Code : uint8_t {
    kOwn,      // the program's, or a library's that is no part of the C runtime
    kRuntime,  // of the C runtime: its string functions read more than they were given
    kExempt,   // an allocator, or what works for one
  };
  /// `calls`: when the instruction at `pc` was executed.
  Code code_of(uint64_t pc, uint64_t block, const ActiveCalls& calls);

  /// The program's own line that an instruction belongs to.
  struct Site {
    NamedInstruction at;  // the instruction, or the call of the library
    std::string called;   // the function of the library; empty: the instruction is the program's
    std::vector<NamedInstruction> callers =
        {};  // the program's lines that led there, the nearest first
  };
  Site own_site(uint64_t pc, uint64_t block, const ActiveCalls& calls);
  /// The line of an instruction of the program itself; nothing for others.
  std::optional<NamedInstruction> own_line(uint64_t pc, uint64_t block);
  /// Whether it is code of an allocator, or that works for one, whoever has called it.
  bool serves_allocators(uint64_t pc, uint64_t block);
  /// Whether the instruction is in the program's file.
  bool is_program(uint64_t pc, uint64_t block);

 private:
  NamedInstruction line_of(uint64_t pc, uint64_t block, bool& is_own);
  enum class Name : uint8_t { kOther, kRuntime, kAllocator, kServes, kUnwinds };
  Name name_of(uint32_t function);

  ProcessView& view_;
  std::vector<AllocatorRule> rules_;
  std::string program_;
  bool has_runtime_ = false;  // as a library of its own
  std::map<uint32_t, Name> names_;
};

}  // namespace twinrun
