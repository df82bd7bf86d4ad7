// SPDX-License-Identifier: MIT
#include "program/elf_image.h"

#include <elf.h>

#include <cstring>

namespace twinrun {
namespace {

template <typename T>
void put(Bytes& image, size_t at, const T& value) {
  std::memcpy(image.data() + at, &value, sizeof value);
}

}  // namespace

Bytes build_elf_image(const NamedSections& sections) {
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers(1);
  Bytes image(sizeof(Elf64_Ehdr));
  const auto add = [&](const std::string& name, ByteSpan bytes, uint32_t type) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<uint32_t>(names.size());
    header.sh_type = type;
    header.sh_offset = image.size();
    header.sh_size = bytes.size();
    header.sh_addralign = 1;
    names += name + '\0';
    image.insert(image.end(), bytes.begin(), bytes.end());
    headers.push_back(header);
  };
  for (const auto& [name, bytes] : sections) add(name, bytes, SHT_PROGBITS);
  // The names include that of their own section, so it is added to them first.
  const std::string all = names + ".shstrtab" + '\0';
  add(".shstrtab", {reinterpret_cast<const uint8_t*>(all.data()), all.size()}, SHT_STRTAB);
  while (image.size() % 8 != 0) image.push_back(0);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shoff = image.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(headers.size());
  header.e_shstrndx = static_cast<uint16_t>(headers.size() - 1);
  put(image, 0, header);
  for (const Elf64_Shdr& section : headers) {
    image.resize(image.size() + sizeof section);
    put(image, image.size() - sizeof section, section);
  }
  return image;
}

}  // namespace twinrun
