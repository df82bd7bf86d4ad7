// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/ids.h"

#include <memory>
#include <string>

namespace twinrun {

/// Prints x86-64 instructions in Intel syntax.
class Disassembler {
 public:
  Disassembler();
  ~Disassembler();
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  /// "mov rax, [rsp+0x8]"; "(bad)" when the bytes are no instruction.
  [[nodiscard]] std::string text(ByteSpan code, Addr address) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace twinrun
