// SPDX-License-Identifier: MIT
#include "program/dwarf_files.h"

#include "program/debug_files.h"
#include "program/debuginfod.h"
#include "program/elf_image.h"
#include "program/elf_symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace twinrun {
namespace {

std::string_view section_name(Elf* elf, size_t strings, Elf_Scn* section) {
  GElf_Shdr header;
  if (gelf_getshdr(section, &header) == nullptr) return {};
  const char* name = elf_strptr(elf, strings, header.sh_name);
  return name == nullptr ? std::string_view() : std::string_view(name);
}

bool is_same_section(std::string_view found, std::string_view wanted) {
  if (found == wanted) return true;
  return found.starts_with(".zdebug_") && wanted.starts_with(".debug_") &&
         found.substr(8) == wanted.substr(7);
}

Result<void> fail_open(const std::string& path, int error) {
  return fail("P002", "cannot open {}: {}", path, std::strerror(error));  // NOLINT
}

}  // namespace

Result<std::unique_ptr<DwarfFile>> DwarfFile::open(const std::string& path) {
  std::unique_ptr<DwarfFile> out(new DwarfFile);
  out->path_ = path;
  out->fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (out->fd_ < 0) return std::unexpected(fail_open(path, errno).error());
  struct stat status;
  if (fstat(out->fd_, &status) != 0 || !S_ISREG(status.st_mode))
    return fail("P002", "cannot read {}: it is no regular file", path);
  elf_version(EV_CURRENT);
  // Not mapped: a file that somebody shortens while it is in use must not end us.
  out->elf_ = elf_begin(out->fd_, ELF_C_READ, nullptr);
  if (auto started = out->start(); !started)
    return std::unexpected(std::move(started).error().in(fmt::format("in {}", path)));
  return out;
}

Result<std::unique_ptr<DwarfFile>> DwarfFile::from_memory(Bytes bytes) {
  std::unique_ptr<DwarfFile> out(new DwarfFile);
  out->image_ = std::move(bytes);
  elf_version(EV_CURRENT);
  out->elf_ = elf_memory(reinterpret_cast<char*>(out->image_.data()), out->image_.size());
  TRY_VOID(out->start());
  return out;
}

Result<void> DwarfFile::start() {
  GElf_Ehdr header;
  if (elf_ == nullptr || elf_kind(elf_) != ELF_K_ELF || gelf_getehdr(elf_, &header) == nullptr)
    return fail("P001", "it is not an ELF file");
  if (header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return fail("P001", "it is not an x86-64 ELF file");
  dwarf_ = dwarf_begin_elf(elf_, DWARF_C_READ, nullptr);
  return {};
}

DwarfFile::~DwarfFile() {
  if (dwarf_ != nullptr) dwarf_end(dwarf_);
  if (elf_ != nullptr) elf_end(elf_);
  if (fd_ >= 0) close(fd_);
}

ByteSpan DwarfFile::section(std::string_view name) const {
  if (const auto known = sections_.find(name); known != sections_.end()) return known->second;
  return sections_.emplace(name, read_section(name)).first->second;
}

ByteSpan DwarfFile::read_section(std::string_view name) const {
  size_t strings = 0;
  if (elf_getshdrstrndx(elf_, &strings) != 0) return {};
  for (Elf_Scn* s = elf_nextscn(elf_, nullptr); s != nullptr; s = elf_nextscn(elf_, s)) {
    if (!is_same_section(section_name(elf_, strings, s), name)) continue;
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == nullptr || header.sh_type == SHT_NOBITS) return {};
    // libdw has done this to the sections that it uses; not to those of split units.
    if ((header.sh_flags & SHF_COMPRESSED) != 0 && elf_compress(s, 0, 0) < 0) return {};
    const Elf_Data* data = elf_getdata(s, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return {};
    return {static_cast<const uint8_t*>(data->d_buf), data->d_size};
  }
  return {};
}

bool DwarfFile::has_debug_info() const {
  return dwarf_ != nullptr && !section(".debug_info").empty();
}

Bytes DwarfFile::build_id() const {
  for (Elf_Scn* s = elf_nextscn(elf_, nullptr); s != nullptr; s = elf_nextscn(elf_, s)) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == nullptr || header.sh_type != SHT_NOTE) continue;
    Elf_Data* data = elf_getdata(s, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    const auto* bytes = static_cast<const uint8_t*>(data->d_buf);
    GElf_Nhdr note;
    size_t name = 0;
    size_t description = 0;
    for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &description)) > 0;)
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
          std::memcmp(bytes + name, "GNU", 4) == 0)
        return {bytes + description, bytes + description + note.n_descsz};
  }
  return {};
}

void DwarfFiles::note(DebugNote::Kind kind, std::string about, std::string message) {
  constexpr size_t kMostNotes = 100;
  if (notes.size() < kMostNotes) notes.push_back({kind, std::move(about), std::move(message)});
}

namespace {

std::string link_of(const DwarfFile& binary) {
  const ByteSpan link = binary.section(".gnu_debuglink");
  const auto* text = reinterpret_cast<const char*>(link.data());
  return link.empty() ? std::string() : std::string(text, strnlen(text, link.size()));
}

/// False when the next place is to be tried.
bool take_separate(DwarfFiles& files, const std::string& place, const Bytes& build_id) {
  auto file = DwarfFile::open(place);
  if (!file) {
    files.note(DebugNote::Kind::kDamaged, place, file.error().message);
    return false;
  }
  if ((*file)->build_id() != build_id) {
    files.note(DebugNote::Kind::kDebugFileMismatch, place,
               "the debug file belongs to another build (its build id differs)");
    return false;
  }
  if (!(*file)->has_debug_info()) return false;
  files.separate = std::move(*file);
  return true;
}

void find_separate(DwarfFiles& files) {
  std::error_code ignored;
  const DebugKey key{std::filesystem::absolute(files.path, ignored).string(),
                     files.binary->build_id(), link_of(*files.binary)};
  for (const std::string& place : debug_candidates(key, files.debug_directories)) {
    if (std::filesystem::equivalent(place, files.path, ignored)) continue;
    if (!std::filesystem::is_regular_file(place, ignored)) continue;
    if (take_separate(files, place, key.build_id)) return;
  }
  if (const std::string asked = ask_debuginfod(key.build_id); !asked.empty())
    take_separate(files, asked, key.build_id);
}

// The section holds a path and, behind its 0, the build id of the file there.
void find_alt(DwarfFiles& files) {
  const ByteSpan link = files.debug().section(".gnu_debugaltlink");
  if (link.empty()) return;
  const auto* text = reinterpret_cast<const char*>(link.data());
  const size_t length = strnlen(text, link.size());
  const std::string name(text, length);
  const Bytes id(link.begin() + static_cast<ptrdiff_t>(std::min(length + 1, link.size())),
                 link.end());
  if (files.is_alone)
    return files.note(DebugNote::Kind::kAltFileMissing, name, "other files are not read");
  std::error_code ignored;
  const auto directory = std::filesystem::absolute(files.debug().path(), ignored).parent_path();
  std::vector<std::string> places{(directory / name).string()};
  if (id.size() > 1)
    for (const std::string& in : files.debug_directories)
      places.push_back(fmt::format("{}/.build-id/{}/{}.debug", in, hex(ByteSpan(id).first(1)),
                                   hex(ByteSpan(id).subspan(1))));
  bool was_found = false;
  for (const std::string& place : places) {
    if (!std::filesystem::is_regular_file(place, ignored)) continue;
    was_found = true;
    auto file = DwarfFile::open(place);
    if (!file || (*file)->build_id() != id) {
      files.note(DebugNote::Kind::kAltFileMismatch, place,
                 "the file of shared debug information belongs to another build");
      continue;
    }
    // libdw opens no file that has only strings, but it may have only those to share.
    if ((*file)->dwarf() == nullptr) {
      const uint8_t nothing = 0;
      file = DwarfFile::from_memory(build_elf_image(
          {{".debug_str", (*file)->section(".debug_str")}, {".debug_line", {&nothing, 1}}}));
      if (!file || (*file)->dwarf() == nullptr) continue;
    }
    files.alt = std::move(*file);
    dwarf_setalt(files.debug().dwarf(), files.alt->dwarf());
    return;
  }
  if (!was_found)
    files.note(DebugNote::Kind::kAltFileMissing, places.front(),
               "the file of shared debug information is missing: some names and types are unknown");
}

}  // namespace

void DwarfFiles::find_companions() {
  if (!binary->has_debug_info() && !is_alone) find_separate(*this);
  if (debug().has_debug_info()) {
    find_alt(*this);
    return;
  }
  const Bytes id = binary->build_id();
  note(DebugNote::Kind::kNoDebugInfo, path,
       id.empty() ? "there is no debug information"
                  : fmt::format("there is no debug information, nor a debug file for build id {}",
                                hex(id)));
}

}  // namespace twinrun
