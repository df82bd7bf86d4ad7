// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// The bytes of a binary at their addresses: from the loadable segments of an ELF file, from what a
/// recording holds (code made at run time, a file that is gone), or both. Addresses are those of
/// the ELF file before relocation; pointers that the loader would relocate by the load address are
/// filled in as for load address 0.
class CodeImage {
 public:
  struct Region {
    uint64_t address = 0;
    Bytes bytes;
    bool executable = false;
    bool writable = false;

    [[nodiscard]] uint64_t end() const { return address + bytes.size(); }
  };
  struct Section {
    std::string name;
    uint64_t address = 0;
    uint64_t size = 0;
    bool executable = false;
  };
  /// A slot that the loader fills with the address of a symbol of another module, or of this one.
  struct Import {
    uint64_t slot = 0;
    std::string name;
  };

  /// P001 for what is no x86-64 ELF file.
  static Result<CodeImage> from_memory(ByteSpan elf);
  static Result<CodeImage> from_file(const std::string& path);

  /// Adds bytes. Where there are some already, those stay.
  void add(Region region);

  /// From the address up to the end of its region; empty when nothing is known there. O(log n).
  [[nodiscard]] ByteSpan at(uint64_t address) const;
  [[nodiscard]] bool is_executable(uint64_t address) const;
  /// The region that holds the address; nullptr when none does.
  [[nodiscard]] const Region* region(uint64_t address) const;
  [[nodiscard]] const std::vector<Region>& regions() const { return regions_; }

  /// The executable parts: sections where there are section headers, else segments, and what was
  /// added. By address, without overlaps; with holes where only executed code is known.
  [[nodiscard]] std::vector<Section> code_sections() const;
  [[nodiscard]] const Section* section(std::string_view name) const;
  /// Null when the loader fills no such slot.
  [[nodiscard]] const Import* import(uint64_t slot) const;
  /// The slots that the loader fills with an address of this file itself, ascending.
  [[nodiscard]] const std::vector<uint64_t>& pointers() const { return pointers_; }
  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }
  /// Where execution of the file begins; 0 without such a place.
  [[nodiscard]] uint64_t entry() const { return entry_; }
  /// The address of .eh_frame by its header, for files without section headers.
  [[nodiscard]] std::optional<uint64_t> eh_frame_header() const { return eh_frame_header_; }

 private:
  struct Loader;

  std::vector<Region> regions_;  // by address, without overlaps
  std::vector<Section> sections_;
  std::vector<Import> imports_;  // by slot
  std::vector<uint64_t> pointers_;
  uint64_t entry_ = 0;
  std::optional<uint64_t> eh_frame_header_;
};

}  // namespace twinrun
