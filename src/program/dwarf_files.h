// SPDX-License-Identifier: MIT
// The ELF files behind one binary's debug information. Internal to program/.
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "program/debug_info.h"

#include <elfutils/libdw.h>
#include <libelf.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// An ELF file with the libdw handle on its debug sections, if it has any.
class DwarfFile {
 public:
  static Result<std::unique_ptr<DwarfFile>> open(const std::string& path);
  static Result<std::unique_ptr<DwarfFile>> from_memory(Bytes bytes);
  DwarfFile(const DwarfFile&) = delete;
  DwarfFile& operator=(const DwarfFile&) = delete;
  ~DwarfFile();

  [[nodiscard]] Elf* elf() const { return elf_; }
  /// Null without debug sections.
  [[nodiscard]] Dwarf* dwarf() const { return dwarf_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Empty when there is none; uncompressed. `name` may also be there as .zdebug_...
  [[nodiscard]] ByteSpan section(std::string_view name) const;
  [[nodiscard]] Bytes build_id() const;
  [[nodiscard]] bool has_debug_info() const;

 private:
  DwarfFile() = default;
  Result<void> start();
  [[nodiscard]] ByteSpan read_section(std::string_view name) const;

  std::string path_;
  Bytes image_;
  int fd_ = -1;
  Elf* elf_ = nullptr;
  Dwarf* dwarf_ = nullptr;
  mutable std::map<std::string, ByteSpan, std::less<>> sections_;  // those asked for so far
};

/// The binary, its separate debug file and the file they share with others.
struct DwarfFiles {
  std::unique_ptr<DwarfFile> alt;  // before those that use it: destroyed after them
  std::unique_ptr<DwarfFile> binary;
  std::unique_ptr<DwarfFile> separate;
  std::vector<DebugNote> notes;
  bool is_alone = false;               // no further files may be opened
  std::string path;                    // of the binary, which may be here as bytes alone
  DebugDirectories debug_directories;  // where else its companions are looked for

  /// Finds what belongs to the binary.
  void find_companions();
  [[nodiscard]] const DwarfFile& debug() const { return separate ? *separate : *binary; }
  void note(DebugNote::Kind kind, std::string about, std::string message);
};

/// The single split unit with this id, from `name` beside the debug file or in `directory`, or from
/// a package NAME.dwp, as a file of its own whose sections have their plain names. `addresses` is
/// the unit's part of .debug_addr, which split units refer to. Null when there is none; then notes
/// say why.
std::unique_ptr<DwarfFile> find_split_unit(DwarfFiles& files, const std::string& name,
                                           const std::string& directory, uint64_t id,
                                           ByteSpan addresses);

}  // namespace twinrun
