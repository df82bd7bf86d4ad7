// SPDX-License-Identifier: MIT
#include "program/code_image.h"

#include "base/files.h"
#include "program/elf_file.h"

#include <gelf.h>

#include <algorithm>
#include <cstring>

namespace twinrun {

struct CodeImage::Loader {
  CodeImage out;
  Elf* elf;
  ByteSpan file;

  void segments() {
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) return;
    for (size_t i = 0; i < count; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) break;
      if (header.p_type == PT_GNU_EH_FRAME) out.eh_frame_header_ = header.p_vaddr;
      if (header.p_type != PT_LOAD || header.p_offset >= file.size()) continue;
      const uint64_t size = std::min<uint64_t>(header.p_filesz, file.size() - header.p_offset);
      if (size > UINT64_MAX - header.p_vaddr) continue;
      const ByteSpan bytes = file.subspan(header.p_offset, size);
      out.add({header.p_vaddr, Bytes(bytes.begin(), bytes.end()), (header.p_flags & PF_X) != 0,
               (header.p_flags & PF_W) != 0});
    }
  }

  void sections() {
    size_t strings = 0;
    if (elf_getshdrstrndx(elf, &strings) != 0) return;
    for (Elf_Scn* s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
      GElf_Shdr header;
      if (gelf_getshdr(s, &header) == nullptr) continue;
      if ((header.sh_flags & SHF_ALLOC) != 0 && header.sh_type != SHT_NOBITS &&
          header.sh_size <= UINT64_MAX - header.sh_addr) {
        const char* name = elf_strptr(elf, strings, header.sh_name);
        out.sections_.push_back({name == nullptr ? "" : name, header.sh_addr, header.sh_size,
                                 (header.sh_flags & SHF_EXECINSTR) != 0});
      }
      if (header.sh_type == SHT_RELA && (header.sh_flags & SHF_ALLOC) != 0) relocate(s, header);
    }
    std::stable_sort(out.sections_.begin(), out.sections_.end(),
                     [](const Section& a, const Section& b) { return a.address < b.address; });
  }

  void relocate(Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) return;
    Elf_Scn* symbols = elf_getscn(elf, header.sh_link);
    GElf_Shdr symbols_header;
    if (symbols == nullptr || gelf_getshdr(symbols, &symbols_header) == nullptr) symbols = nullptr;
    Elf_Data* symbol_data = symbols == nullptr ? nullptr : elf_getdata(symbols, nullptr);
    for (size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Rela relocation;
      if (gelf_getrela(data, static_cast<int>(i), &relocation) == nullptr) break;
      const auto type = GELF_R_TYPE(relocation.r_info);
      if (type == R_X86_64_RELATIVE) {
        store(relocation.r_offset, static_cast<uint64_t>(relocation.r_addend));
        out.pointers_.push_back(relocation.r_offset);
      } else if (type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT) {
        GElf_Sym symbol;
        if (symbol_data == nullptr ||
            gelf_getsym(symbol_data, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol) ==
                nullptr)
          continue;
        const char* name = elf_strptr(elf, symbols_header.sh_link, symbol.st_name);
        if (name != nullptr && *name != 0) out.imports_.push_back({relocation.r_offset, name});
      }
    }
  }

  void store(uint64_t address, uint64_t value) {
    const Region* region = out.region(address);
    if (region == nullptr || region->end() - address < sizeof value) return;
    Region& writable = out.regions_[static_cast<size_t>(region - out.regions_.data())];
    std::memcpy(writable.bytes.data() + (address - writable.address), &value, sizeof value);
  }
};

Result<CodeImage> CodeImage::from_memory(ByteSpan bytes) {
  TRY(const ElfFile file, ElfFile::open(bytes));
  Loader loader{{}, file.elf(), bytes};
  GElf_Ehdr header;
  if (gelf_getehdr(file.elf(), &header) != nullptr) loader.out.entry_ = header.e_entry;
  loader.segments();
  loader.sections();
  std::stable_sort(loader.out.imports_.begin(), loader.out.imports_.end(),
                   [](const Import& a, const Import& b) { return a.slot < b.slot; });
  std::ranges::sort(loader.out.pointers_);
  return std::move(loader.out);
}

Result<CodeImage> CodeImage::from_file(const std::string& path) {
  TRY(const Bytes bytes, read_file(path));
  auto out = from_memory(bytes);
  if (!out) return std::unexpected(std::move(out).error().in(fmt::format("in {}", path)));
  return out;
}

void CodeImage::add(Region region) {
  // Cut what is there already out of the new bytes, from the left to the right.
  while (!region.bytes.empty()) {
    auto next = std::upper_bound(regions_.begin(), regions_.end(), region.address,
                                 [](uint64_t a, const Region& r) { return a < r.address; });
    if (next != regions_.begin() && std::prev(next)->end() > region.address) {
      const uint64_t covered =
          std::min<uint64_t>(std::prev(next)->end() - region.address, region.bytes.size());
      region.bytes.erase(region.bytes.begin(),
                         region.bytes.begin() + static_cast<ptrdiff_t>(covered));
      region.address += covered;
      continue;
    }
    Region rest;
    if (next != regions_.end() && next->address < region.end()) {
      const auto kept =
          region.bytes.begin() + static_cast<ptrdiff_t>(next->address - region.address);
      rest = {next->address, Bytes(kept, region.bytes.end()), region.executable, region.writable};
      region.bytes.erase(kept, region.bytes.end());
    }
    regions_.insert(next, std::move(region));
    region = std::move(rest);
  }
}

const CodeImage::Region* CodeImage::region(uint64_t address) const {
  auto it = std::upper_bound(regions_.begin(), regions_.end(), address,
                             [](uint64_t a, const Region& r) { return a < r.address; });
  if (it == regions_.begin()) return nullptr;
  --it;
  return address < it->end() ? &*it : nullptr;
}

ByteSpan CodeImage::at(uint64_t address) const {
  const Region* r = region(address);
  return r == nullptr ? ByteSpan() : ByteSpan(r->bytes).subspan(address - r->address);
}

bool CodeImage::is_executable(uint64_t address) const {
  const Region* r = region(address);
  return r != nullptr && r->executable;
}

std::vector<CodeImage::Section> CodeImage::code_sections() const {
  std::vector<Section> out;
  uint64_t end = 0;
  for (const Section& s : sections_) {
    if (!s.executable || s.size == 0 || s.address < end || !is_executable(s.address)) continue;
    out.push_back(s);
    out.back().size = std::min<uint64_t>(s.size, at(s.address).size());
    end = out.back().address + out.back().size;
  }
  // What a recording added, and files without section headers.
  const size_t from_headers = out.size();
  for (const Region& r : regions_) {
    if (!r.executable) continue;
    const bool known = std::any_of(out.begin(), out.begin() + static_cast<ptrdiff_t>(from_headers),
                                   [&](const Section& s) { return region(s.address) == &r; });
    if (known) continue;
    // A recording holds what was executed: a function with holes.
    constexpr uint64_t kMostHole = 1 << 16;
    if (out.size() > from_headers &&
        r.address - (out.back().address + out.back().size) <= kMostHole)
      out.back().size = r.end() - out.back().address;
    else
      out.push_back({"", r.address, r.bytes.size(), true});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Section& a, const Section& b) { return a.address < b.address; });
  return out;
}

const CodeImage::Section* CodeImage::section(std::string_view name) const {
  const auto it = std::ranges::find(sections_, name, &Section::name);
  return it == sections_.end() ? nullptr : &*it;
}

const CodeImage::Import* CodeImage::import(uint64_t slot) const {
  const auto it = std::ranges::lower_bound(imports_, slot, {}, &Import::slot);
  return it != imports_.end() && it->slot == slot ? &*it : nullptr;
}

}  // namespace twinrun
