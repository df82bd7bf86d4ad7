// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/named_instruction.h"
#include "run/slice.h"
#include "run/symbols.h"
#include "trace/position.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// Bytes of a register or of memory.
struct Subject {
  bool in_memory = false;
  uint64_t where = 0;  // address, or offset in the register file
  uint32_t size = 0;
  std::string text;  // as people write it: "rax", "0x1ffefff010:8"
};

/// "rax", "al", "xmm3", "0x1ffefff010", "0x1ffefff010:16". V002 when it is none of these.
Result<Subject> parse_subject(std::string_view text, const Process& process);
/// The name of some bytes of the register file: "eax", "xmm0".
std::string register_text(const Process& process, uint64_t offset, uint32_t size);

/// One writer in a chain.
struct WhoRow {
  enum class Kind : uint8_t {
    kInstruction,
    kSyscall,
    kSignal,
    kStartup,
    kUnseen,  // changed by the kernel or another process, or not told
    kFile,    // mapped
    kZero,    // fresh memory
    kParent,  // from before the fork
    kStart,   // from before the thread or the recording began
  };
  Kind kind = Kind::kInstruction;
  uint32_t hop = 1;               // distance from what was asked for
  std::string subject;            // the bytes in question
  NamedInstruction at;            // of an outside writer only the position
  std::string call;               // "read", of a system call
  std::optional<uint64_t> value;  // what it wrote, at most a word
  std::string input;              // "data.csv", "standard input", "argv"
  std::optional<uint64_t> input_offset;
  std::vector<uint32_t> from;  // rows of the next hop
};

struct WhoReport {
  std::string subject;
  NamedInstruction at;  // the instruction at which was asked
  std::vector<WhoRow> rows;
  bool cut = false;  // --depth or the limit on rows was reached
};

struct WhoOptions {
  uint32_t depth = 8;
  uint32_t most_rows = 60;
};

/// Who wrote the bytes as the instruction at the position sees them, and where that came from.
Result<WhoReport> who(const Reader& reader, Binaries& binaries, const Position& at,
                      std::string_view subject, const WhoOptions& options);

}  // namespace twinrun
