// SPDX-License-Identifier: MIT
// Split units (.dwo files and .dwp packages). libdw 0.188 follows a unit to its .dwo file only by
// opening the path that the unit names, and knows no packages. So the sections of the one unit that
// is wanted are copied into an ELF image of their own, under their plain names and together with
// the unit's part of .debug_addr: to libdw that is an ordinary file with one unit.
#include "program/dwarf_files.h"
#include "program/elf_image.h"

#include <dwarf.h>

#include <filesystem>
#include <utility>

namespace twinrun {
namespace {

constexpr const char* kSplitSections[] = {".debug_info",     ".debug_types", ".debug_abbrev",
                                          ".debug_line",     ".debug_loc",   ".debug_loclists",
                                          ".debug_rnglists", ".debug_str",   ".debug_str_offsets"};

NamedSections sections_of_dwo(const DwarfFile& file) {
  NamedSections out;
  for (const char* name : kSplitSections)
    if (const ByteSpan bytes = file.section(std::string(name) + ".dwo"); !bytes.empty())
      out.emplace_back(name, bytes);
  return out;
}

// The columns of .debug_cu_index by their numbers; those of version 2 and 5 differ.
std::string column_name(uint32_t version, uint32_t id) {
  switch (id) {
    case 1: return ".debug_info";
    case 3: return ".debug_abbrev";
    case 4: return ".debug_line";
    case 5: return version == 5 ? ".debug_loclists" : ".debug_loc";
    case 6: return ".debug_str_offsets";
    case 8: return version == 5 ? ".debug_rnglists" : "";
    default: return "";
  }
}

// The parts of a package that belong to the unit `id`; empty when it is not there.
NamedSections sections_in_package(const DwarfFile& package, uint64_t id) {
  ByteReader index(package.section(".debug_cu_index"));
  const uint32_t version = index.fixed<uint32_t>() & 0xffff;
  const uint32_t columns = index.fixed<uint32_t>();
  const uint32_t units = index.fixed<uint32_t>();
  const uint32_t slots = index.fixed<uint32_t>();
  if (index.failed() || (version != 2 && version != 5) || columns > 16) return {};
  ByteReader ids(index.take(uint64_t{slots} * 8));
  ByteReader rows(index.take(uint64_t{slots} * 4));
  ByteReader names(index.take(uint64_t{columns} * 4));
  const ByteSpan offsets = index.take(uint64_t{units} * columns * 4);
  const ByteSpan sizes = index.take(uint64_t{units} * columns * 4);
  if (index.failed()) return {};
  uint32_t row = 0;
  for (uint32_t i = 0; i < slots && row == 0; ++i) {
    const uint64_t found = ids.fixed<uint64_t>();
    const uint32_t at = rows.fixed<uint32_t>();
    if (found == id && at != 0) row = at;
  }
  if (row == 0 || row > units) return {};
  NamedSections out;
  for (uint32_t column = 0; column < columns; ++column) {
    const std::string name = column_name(version, names.fixed<uint32_t>());
    if (name.empty()) continue;
    const size_t at = (size_t{row - 1} * columns + column) * 4;
    ByteReader part(package.section(name + ".dwo"));
    (void)part.take(ByteReader(offsets.subspan(at, 4)).fixed<uint32_t>());
    const ByteSpan bytes = part.take(ByteReader(sizes.subspan(at, 4)).fixed<uint32_t>());
    if (part.failed()) return {};
    out.emplace_back(name, bytes);
  }
  out.emplace_back(".debug_str", package.section(".debug_str.dwo"));
  return out;
}

bool holds_unit(const DwarfFile& file, uint64_t id) {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  uint8_t type = 0;
  while (file.dwarf() != nullptr &&
         dwarf_get_units(file.dwarf(), unit, &unit, nullptr, &type, &die, nullptr) == 0) {
    uint64_t found = 0;
    if (dwarf_cu_info(unit, nullptr, nullptr, nullptr, nullptr, &found, nullptr, nullptr) == 0 &&
        found == id)
      return true;
    Dwarf_Attribute attribute;
    Dwarf_Word word = 0;
    if (dwarf_formudata(dwarf_attr(&die, DW_AT_GNU_dwo_id, &attribute), &word) == 0 && word == id)
      return true;
  }
  return false;
}

std::unique_ptr<DwarfFile> assemble(NamedSections sections, ByteSpan addresses) {
  if (sections.empty()) return nullptr;
  if (!addresses.empty()) sections.emplace_back(".debug_addr", addresses);
  auto file = DwarfFile::from_memory(build_elf_image(sections));
  return file ? std::move(*file) : nullptr;
}

}  // namespace

std::unique_ptr<DwarfFile> find_split_unit(DwarfFiles& files, const std::string& name,
                                           const std::string& directory, uint64_t id,
                                           ByteSpan addresses) {
  if (files.is_alone) {
    files.note(DebugNote::Kind::kSplitFileMissing, name, "other files are not read");
    return nullptr;
  }
  std::error_code ignored;
  namespace fs = std::filesystem;
  const fs::path beside = fs::absolute(files.debug().path(), ignored).parent_path();
  bool was_found = false;
  for (const fs::path& place :
       {fs::path(directory) / name, beside / name, beside / fs::path(name).filename()}) {
    if (!fs::is_regular_file(place, ignored)) continue;
    const auto dwo = DwarfFile::open(place.string());
    if (!dwo) continue;
    auto unit = assemble(sections_of_dwo(**dwo), addresses);
    if (unit != nullptr && holds_unit(*unit, id)) return unit;
    if (!was_found)
      files.note(DebugNote::Kind::kSplitFileMismatch, place.string(),
                 "the file of split debug information belongs to another build");
    was_found = true;
  }
  for (const std::string& base : {files.path, files.debug().path()}) {
    const std::string place = base + ".dwp";
    if (!fs::is_regular_file(place, ignored)) continue;
    const auto package = DwarfFile::open(place);
    if (!package) continue;
    if (auto unit = assemble(sections_in_package(**package, id), addresses)) return unit;
  }
  if (!was_found)
    files.note(DebugNote::Kind::kSplitFileMissing, (fs::path(directory) / name).string(),
               "the file of split debug information is missing: functions, variables and types of "
               "its unit are unknown");
  return nullptr;
}

}  // namespace twinrun
