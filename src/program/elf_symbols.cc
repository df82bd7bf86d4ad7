// SPDX-License-Identifier: MIT
#include "program/elf_symbols.h"

#include "base/files.h"
#include "program/elf_file.h"

#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

namespace twinrun {
namespace {

std::string_view string_at(Elf* elf, size_t section, size_t offset) {
  const char* text = elf_strptr(elf, section, offset);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

// Symbols that name no code a user would know: mapping symbols and local labels.
bool is_noise(std::string_view name) {
  return name.empty() || name[0] == '$' || name.starts_with(".L");
}

// Of several names for one address the one that sorts as the plainest: global before local, few
// leading underscores.
struct Candidate {
  Function function;
  int rank = 0;
};
int rank_of(std::string_view name, unsigned char binding) {
  int rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
  for (const char c : name) {
    if (c != '_') break;
    rank += 3;
  }
  return rank;
}

std::string link_of(Elf* elf) {
  size_t strings = 0;
  if (elf_getshdrstrndx(elf, &strings) != 0) return {};
  for (Elf_Scn* s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == nullptr ||
        string_at(elf, strings, header.sh_name) != ".gnu_debuglink")
      continue;
    const Elf_Data* data = elf_getdata(s, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    const auto* text = static_cast<const char*>(data->d_buf);
    return {text, strnlen(text, data->d_size)};
  }
  return {};
}

}  // namespace

struct ElfSymbols::Loader {
  ElfSymbols out;
  Elf* elf;
  std::map<uint64_t, Candidate> functions;

  void symbols(Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) return;
    if (header.sh_type == SHT_SYMTAB) out.has_symtab_ = true;
    const size_t count = header.sh_size / header.sh_entsize;
    for (size_t i = 0; i < count; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
      const unsigned char type = GELF_ST_TYPE(symbol.st_info);
      if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
      const std::string_view name = string_at(elf, header.sh_link, symbol.st_name);
      if (is_noise(name)) continue;
      // A cold part without any code stands where that of another function begins.
      constexpr int kEmpty = 30;
      add(symbol.st_value, symbol.st_size, name,
          rank_of(name, GELF_ST_BIND(symbol.st_info)) + (symbol.st_size == 0 ? kEmpty : 0));
    }
  }

  void add(uint64_t address, uint64_t size, std::string_view name, int rank) {
    const auto [it, is_new] =
        functions.try_emplace(address, Candidate{{address, size, std::string(name), {}}, rank});
    if (is_new) return;
    Candidate& there = it->second;
    there.function.size = std::max(size, there.function.size);
    if (name == there.function.name) return;
    std::string alias(name);
    if (rank < there.rank || (rank == there.rank && name < there.function.name)) {
      std::swap(alias, there.function.name);
      there.rank = rank;
    }
    there.function.aliases.push_back(std::move(alias));
  }

  // The stubs of .plt and .plt.sec, in the order of the relocations that fill their slots.
  void stubs() {
    std::vector<std::string> names;
    struct Stubs {
      uint64_t address = 0, size = 0;
      bool is_sec = false;
    };
    std::vector<Stubs> sections;
    size_t strings = 0;
    if (elf_getshdrstrndx(elf, &strings) != 0) return;
    for (Elf_Scn* s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
      GElf_Shdr header;
      if (gelf_getshdr(s, &header) == nullptr) continue;
      const std::string_view name = string_at(elf, strings, header.sh_name);
      if (name == ".plt" || name == ".plt.sec")
        sections.push_back({header.sh_addr, header.sh_size, name == ".plt.sec"});
      if (name == ".rela.plt") read_relocations(s, header, names);
    }
    const bool has_sec =
        std::any_of(sections.begin(), sections.end(), [](const Stubs& s) { return s.is_sec; });
    for (const Stubs& s : sections) {
      constexpr uint64_t kStubSize = 16;
      // The first entry of .plt is the resolver; with .plt.sec its other entries are not called.
      if (!s.is_sec) {
        add(s.address, has_sec ? s.size : kStubSize, "resolve@plt", 99);
        if (has_sec) continue;
      }
      const uint64_t first = s.is_sec ? 0 : kStubSize;
      for (size_t i = 0; i < names.size(); ++i) {
        const uint64_t at = first + i * kStubSize;
        if (at >= s.size) break;
        if (!names[i].empty()) add(s.address + at, kStubSize, names[i] + "@plt", 50);
      }
    }
  }

  void read_relocations(Elf_Scn* section, const GElf_Shdr& header,
                        std::vector<std::string>& names) {
    Elf_Data* data = elf_getdata(section, nullptr);
    Elf_Scn* symbols = elf_getscn(elf, header.sh_link);
    GElf_Shdr symbols_header;
    if (data == nullptr || symbols == nullptr || header.sh_entsize == 0 ||
        gelf_getshdr(symbols, &symbols_header) == nullptr)
      return;
    Elf_Data* symbol_data = elf_getdata(symbols, nullptr);
    for (size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Rela relocation;
      GElf_Sym symbol;
      if (gelf_getrela(data, static_cast<int>(i), &relocation) == nullptr) break;
      std::string name;
      const auto index = static_cast<int>(GELF_R_SYM(relocation.r_info));
      if (index != 0 && symbol_data != nullptr &&
          gelf_getsym(symbol_data, index, &symbol) != nullptr)
        name = string_at(elf, symbols_header.sh_link, symbol.st_name);
      names.push_back(std::move(name));
    }
  }

  void build_id(Elf_Scn* section) {
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return;
    GElf_Nhdr note;
    size_t name = 0;
    size_t description = 0;
    for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &description)) > 0;) {
      const auto* bytes = static_cast<const uint8_t*>(data->d_buf);
      if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
          std::memcmp(bytes + name, "GNU", 4) != 0)
        continue;
      out.build_id_.assign(bytes + description, bytes + description + note.n_descsz);
    }
  }

  void run() {
    for (Elf_Scn* s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
      GElf_Shdr header;
      if (gelf_getshdr(s, &header) == nullptr) continue;
      if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) symbols(s, header);
      if (header.sh_type == SHT_NOTE) build_id(s);
    }
    out.debug_link_ = link_of(elf);
    stubs();
    size_t count = 0;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) break;
      if (header.p_type == PT_LOAD)
        out.segments_.push_back({header.p_offset, header.p_vaddr, header.p_filesz, header.p_memsz});
    }
    for (auto& [address, candidate] : functions)
      out.functions_.push_back(std::move(candidate.function));
    out.finish();
  }
};

uint64_t ElfSymbols::segment_end(uint64_t address) const {
  for (const Segment& s : segments_)
    if (address >= s.address && address - s.address < s.memory_size)
      return s.address + s.memory_size;
  return address + 1;
}

void ElfSymbols::finish() {
  for (Function& f : functions_) {
    std::sort(f.aliases.begin(), f.aliases.end());
    f.aliases.erase(std::unique(f.aliases.begin(), f.aliases.end()), f.aliases.end());
    std::erase(f.aliases, f.name);
  }
  for (size_t i = 0; i < functions_.size(); ++i) {
    Function& f = functions_[i];
    const bool is_last = i + 1 == functions_.size();
    if (is_last && f.size != 0) continue;
    const uint64_t room =
        (is_last ? segment_end(f.address) : functions_[i + 1].address) - f.address;
    if (f.size == 0 || f.size > room) f.size = room;
  }
}

Result<ElfSymbols> ElfSymbols::from_memory(ByteSpan bytes) {
  TRY(const ElfFile file, ElfFile::open(bytes));
  Loader loader{{}, file.elf(), {}};
  loader.run();
  return std::move(loader.out);
}

Result<ElfSymbols> ElfSymbols::from_file(const std::string& path) {
  TRY(const Bytes bytes, read_file(path));
  auto out = from_memory(bytes);
  if (!out) return std::unexpected(std::move(out).error().in(fmt::format("in {}", path)));
  return out;
}

void ElfSymbols::add_debug(const ElfSymbols& debug) {
  std::map<uint64_t, Function> merged;
  for (const Function& f : functions_) merged[f.address] = f;
  for (const Function& f : debug.functions_) {
    const auto [it, is_new] = merged.try_emplace(f.address, f);
    if (is_new) continue;
    it->second.aliases.push_back(f.name);
    it->second.aliases.insert(it->second.aliases.end(), f.aliases.begin(), f.aliases.end());
  }
  functions_.clear();
  for (auto& [address, f] : merged) functions_.push_back(std::move(f));
  has_symtab_ |= debug.has_symtab_;
  finish();
}

const Function* ElfSymbols::find(uint64_t address) const {
  auto it = std::upper_bound(functions_.begin(), functions_.end(), address,
                             [](uint64_t a, const Function& f) { return a < f.address; });
  if (it == functions_.begin()) return nullptr;
  --it;
  return address - it->address < it->size ? &*it : nullptr;
}

std::optional<ElfSymbols::Extent> ElfSymbols::extent() const {
  std::optional<Extent> out;
  for (const Segment& s : segments_) {
    if (s.memory_size > UINT64_MAX - s.address) continue;
    if (!out) out = {s.address, s.address};
    out->begin = std::min(out->begin, s.address);
    out->end = std::max(out->end, s.address + s.memory_size);
  }
  return out;
}

std::optional<uint64_t> ElfSymbols::address_of_offset(uint64_t offset) const {
  for (const Segment& s : segments_)
    if (offset >= s.offset && offset - s.offset < s.file_size) return offset - s.offset + s.address;
  return std::nullopt;
}

std::optional<uint64_t> ElfSymbols::offset_of_address(uint64_t address) const {
  for (const Segment& s : segments_)
    if (address >= s.address && address - s.address < s.file_size)
      return address - s.address + s.offset;
  return std::nullopt;
}

std::string hex(ByteSpan bytes) {
  std::string out;
  for (const uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

std::string read_debug_link(const std::string& path) {
  const auto bytes = read_file(path);
  const auto file = bytes ? ElfFile::open(*bytes) : std::unexpected(bytes.error());
  return file ? link_of(file->elf()) : std::string();
}

}  // namespace twinrun
