// SPDX-License-Identifier: MIT
// What the entries of one unit refer to: addresses, range lists and location lists. Read here and
// not by libdw, because a split unit's are in two files that libdw 0.188 would have to link itself.
// Internal to program/.
#pragma once

#include "base/bytes.h"
#include "program/dwarf_files.h"

#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

struct AddressRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct UnitContext {
  Dwarf* dwarf = nullptr;  // of `root`
  Dwarf_Die root{};        // the unit; of a split one its full form
  Dwarf_Die skeleton{};    // where line table and ranges are; the same as root unless split
  bool is_split = false;
  unsigned version = 0;
  unsigned offset_size = 4;
  uint64_t base = 0;  // address that lists count from
  uint64_t ranges_base = 0;
  uint64_t rnglists_base = 0;
  uint64_t loclists_base = 0;
  ByteSpan info;  // the section that holds root
  ByteSpan addresses;
  ByteSpan ranges, rnglists, loc, loclists;

  /// Of a unit in a file. `die` must be its root.
  static UnitContext of(const DwarfFile& file, const Dwarf_Die& die);
  /// Of the full form of a skeleton.
  static UnitContext of_split(const UnitContext& skeleton, const DwarfFile& split,
                              const Dwarf_Die& die);

  /// Entry of the unit's part of .debug_addr.
  [[nodiscard]] std::optional<uint64_t> address(uint64_t index) const;
  /// What DW_AT_ranges, or low_pc and high_pc say; without empty ones and those at 0, where linkers
  /// put removed code.
  [[nodiscard]] std::vector<AddressRange> ranges_of(Dwarf_Die& die) const;
  /// The expression that holds at the pc: the attribute's own, or that of its list. Empty without
  /// one; an empty span is an expression too (optimized out).
  [[nodiscard]] std::optional<ByteSpan> expression(Dwarf_Attribute& attribute, uint64_t pc) const;
  /// What an attribute that refers to a list has in the file: an offset or an index.
  [[nodiscard]] std::optional<uint64_t> raw_number(const Dwarf_Attribute& attribute) const;
};

/// Attributes that may be on the entry itself or on what it refers to as its origin or declaration.
std::optional<uint64_t> number_of(Dwarf_Die& die, unsigned name);
std::string text_of(Dwarf_Die& die, unsigned name);
std::string name_of(Dwarf_Die& die);
bool flag_of(Dwarf_Die& die, unsigned name);

/// Calls `visit` for each child until it returns false.
void for_children(const Dwarf_Die& die, const std::function<bool(Dwarf_Die&)>& visit);

}  // namespace twinrun
