// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <libelf.h>

#include <memory>
#include <string>

namespace twinrun {

/// An x86-64 ELF file in memory, opened with libelf. For the sources of this module: the header
/// belongs to libelf's users.
class ElfFile {
 public:
  /// P001 for anything else.
  static Result<ElfFile> open(ByteSpan bytes);
  [[nodiscard]] Elf* elf() const { return elf_.get(); }

 private:
  struct Close {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  ElfFile() = default;

  Bytes copy_;
  std::unique_ptr<Elf, Close> elf_;
};

}  // namespace twinrun
