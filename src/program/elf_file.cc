// SPDX-License-Identifier: MIT
#include "program/elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace twinrun {

Result<ElfFile> ElfFile::open(ByteSpan bytes) {
  elf_version(EV_CURRENT);
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

Result<Bytes> read_binary(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return fail("P002", "cannot open {}: {}", path, std::strerror(errno));  // NOLINT
  struct stat status;
  Bytes bytes;
  bool read_all = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  if (read_all) {
    bytes.resize(static_cast<size_t>(status.st_size));
    for (size_t done = 0; read_all && done < bytes.size();) {
      const ssize_t n = read(fd, bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      read_all = n > 0;
      done += n > 0 ? static_cast<size_t>(n) : 0;
    }
  }
  close(fd);
  if (!read_all) return fail("P002", "cannot read {}", path);
  return bytes;
}

}  // namespace twinrun
