// SPDX-License-Identifier: MIT
#include "program/elf_file.h"

#include <gelf.h>

namespace twinrun {

Result<ElfFile> ElfFile::open(ByteSpan bytes) {
  // It writes to a variable of the library, and files are opened on several threads.
  [[maybe_unused]] static const unsigned kVersion = elf_version(EV_CURRENT);
  ElfFile out;
  // elf_memory wants a writable image, but writes to it only when the byte order is foreign.
  out.copy_.assign(bytes.begin(), bytes.end());
  out.elf_.reset(elf_memory(reinterpret_cast<char*>(out.copy_.data()), out.copy_.size()));
  GElf_Ehdr header;
  if (out.elf_ == nullptr || elf_kind(out.elf()) != ELF_K_ELF ||
      gelf_getehdr(out.elf(), &header) == nullptr)
    return fail("P001", "it is not an ELF file");
  if (header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return fail("P001", "it is not an x86-64 ELF file");
  return out;
}

}  // namespace twinrun
