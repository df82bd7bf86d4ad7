// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "values/process_view.h"
#include "values/slice.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace twinrun {

/// Bytes of a register or of memory.
struct Subject {
  bool in_memory = false;
  uint64_t where = 0;  // address, or offset in the register file
  uint32_t size = 0;
  std::string text;        // as people write it: "rax", "0x1ffefff010:8", "h->ncols"
  std::string value = {};  // of a variable: by its type
};

/// "rax", "al", "xmm3", "0x1ffefff010", "0x1ffefff010:16"; V002 when it is none of these. Anything
/// else is a C expression over the variables at the instruction (naming.h): V003 when it has no
/// place there.
Result<Subject> parse_subject(std::string_view text, ProcessView& view, const InstructionAt& at);

/// The name of some bytes of the register file: "eax", "xmm0".
std::string register_text(const Process& process, uint64_t offset, uint32_t size);
/// "0x1ffefff010:8".
std::string memory_text(uint64_t address, uint64_t size);

/// Who wrote the subject, as the instruction sees it.
struct SubjectWriters {
  std::vector<BytesWritten> bytes;
  /// The instruction of the same block that wrote it, when the recording does not say what (see
  /// past_state.h); then there are no bytes.
  std::optional<uint32_t> unseen;
};
Result<SubjectWriters> writers_of(ProcessView& view, const Subject& subject,
                                  const InstructionAt& at);

/// What it holds, as the instruction sees it; empty when that is not known.
Result<Bytes> bytes_of(ProcessView& view, const Subject& subject, const InstructionAt& at);

/// The moment in front of an instruction.
Result<Moment> moment_before(ProcessView& view, const InstructionAt& at);

}  // namespace twinrun
