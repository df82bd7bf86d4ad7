// SPDX-License-Identifier: MIT
#include "program/symbol_entries.h"

#include "base/files.h"
#include "program/elf_file.h"

#include <gelf.h>

namespace twinrun {
namespace {

std::string entry_name(Elf* elf, size_t strings, size_t offset) {
  const char* text = elf_strptr(elf, strings, offset);
  return text == nullptr ? std::string() : std::string(text);
}

std::vector<SymbolEntry> read_table(Elf* elf, Elf_Scn* section, const GElf_Shdr& header) {
  std::vector<SymbolEntry> out;
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return out;
  const size_t count = header.sh_size / header.sh_entsize;
  std::string file;
  for (size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    const unsigned char type = GELF_ST_TYPE(symbol.st_info);
    if (type == STT_FILE) {
      file = entry_name(elf, header.sh_link, symbol.st_name);
      continue;
    }
    if (symbol.st_shndx == SHN_UNDEF || type == STT_SECTION || type == STT_TLS) continue;
    SymbolEntry entry{.name = entry_name(elf, header.sh_link, symbol.st_name),
                      .address = symbol.st_value,
                      .size = symbol.st_size,
                      .is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL,
                      .is_function = type == STT_FUNC || type == STT_GNU_IFUNC};
    if (entry.name.empty() || entry.address == 0) continue;
    if (entry.is_local) entry.file = file;
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

Result<std::vector<SymbolEntry>> read_symbol_entries(ByteSpan elf) {
  TRY(const ElfFile file, ElfFile::open(elf));
  std::vector<SymbolEntry> dynamic;
  for (Elf_Scn* s = elf_nextscn(file.elf(), nullptr); s != nullptr;
       s = elf_nextscn(file.elf(), s)) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == nullptr) continue;
    if (header.sh_type == SHT_SYMTAB) return read_table(file.elf(), s, header);
    if (header.sh_type == SHT_DYNSYM) dynamic = read_table(file.elf(), s, header);
  }
  return dynamic;
}

Result<std::vector<SymbolEntry>> read_symbol_entries(const std::string& path) {
  TRY(const Bytes bytes, read_file(path));
  auto out = read_symbol_entries(bytes);
  if (!out) return std::unexpected(std::move(out).error().in(fmt::format("in {}", path)));
  return out;
}

}  // namespace twinrun
