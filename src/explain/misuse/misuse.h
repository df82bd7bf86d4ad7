// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "values/named_instruction.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// Something that a run did to memory and that no program may do.
struct Misuse {
  enum class Kind : uint8_t {
    kFreed,          // a block that was freed
    kReused,         // one that was freed and whose memory has been allocated again
    kOutside,        // outside of the block, or variable, that the pointer was made from
    kReturnAddress,  // a return address is overwritten
    kUninitialised,  // what is used was never written
    kDoubleFree,
    kBadFree,  // of what is not the start of a block
    kNull,     // through a NULL pointer
    kWild,     // where there is no memory
  };
  enum class Access : uint8_t { kRead, kWrite, kJump, kFree };
  Kind kind = Kind::kFreed;
  Access access = Access::kRead;
  RunSide side = RunSide::kB;
  /// The other run does the same at the corresponding instruction: it is not what differs.
  bool is_in_both = false;
  std::optional<uint32_t> node;           // of the graph
  NamedInstruction at;                    // the program's own line: of a library's access, the call
  std::vector<NamedInstruction> callers;  // of that, the nearest first; a few
  std::string by;        // the library's function that made the access; empty: the program
  uint64_t address = 0;  // that was accessed
  uint64_t time = 0;     // blocks of the process that had begun
  /// The block or variable that the pointer was made from; size 0: none is known.
  uint64_t size = 0;
  int64_t offset = 0;  // of the access in it
  std::optional<NamedInstruction> allocated;
  std::vector<NamedInstruction> allocated_for;  // callers: most programs have a malloc of their own
  std::optional<NamedInstruction> freed;
  std::vector<NamedInstruction> freed_for;
  std::optional<NamedInstruction> reused;
  /// kOutside: the variable; kUninitialised: what the source calls the bytes; kReturnAddress: the
  /// function that will not return.
  std::string name;
  /// Lines that the pointer came by on its way from where it was made, the latest first: of what
  /// was freed those before the free, where it was kept too long. Of NULL where that was passed on.
  std::vector<NamedInstruction> passed;
  /// Of what went beyond an object: the branch that decided that it was executed, and where what
  /// that compared came from, the latest first.
  std::optional<NamedInstruction> let_in;
  std::vector<NamedInstruction> bounds;

  /// It shows that something went wrong before, and is rarely the mistake itself.
  [[nodiscard]] bool is_symptom() const { return kind == Kind::kNull || kind == Kind::kWild; }
};

}  // namespace twinrun
