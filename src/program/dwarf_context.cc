// SPDX-License-Identifier: MIT
#include "program/dwarf_context.h"

#include <dwarf.h>

namespace twinrun {
namespace {

constexpr size_t kMostListEntries = 1 << 20;

ByteReader reader_at(ByteSpan section, uint64_t offset) {
  return ByteReader(offset > section.size() ? ByteSpan() : section.subspan(offset));
}

uint64_t offset_field(ByteReader& in, unsigned size) {
  return size == 8 ? in.fixed<uint64_t>() : in.fixed<uint32_t>();
}

// The address that an entry of a list gives, by its index in .debug_addr.
uint64_t indexed(const UnitContext& unit, ByteReader& in, bool& is_known) {
  const auto address = unit.address(in.varint());
  is_known &= address.has_value();
  return address.value_or(0);
}

// A list of DWARF 5, ranges or locations: the kinds have the same numbers up to 4, and differ by 1
// behind, where locations have a default.
struct ListEntry {
  enum Kind : uint8_t { kEnd, kBase, kRange, kDefault, kBad };
  Kind kind = kBad;
  uint64_t begin = 0;
  uint64_t end = 0;
};

ListEntry next_entry(const UnitContext& unit, ByteReader& in, uint64_t base, bool is_location) {
  uint8_t kind = in.fixed<uint8_t>();
  if (is_location && kind == DW_LLE_default_location) return {ListEntry::kDefault};
  if (is_location && kind == DW_LLE_GNU_view_pair) {
    in.varint();
    in.varint();
    return {in.failed() ? ListEntry::kBad : ListEntry::kBase, base};
  }
  if (is_location && kind > DW_LLE_default_location) --kind;
  bool is_known = true;
  ListEntry out{ListEntry::kRange};
  switch (kind) {
    case DW_RLE_end_of_list: out.kind = ListEntry::kEnd; break;
    case DW_RLE_base_addressx: out = {ListEntry::kBase, indexed(unit, in, is_known)}; break;
    case DW_RLE_startx_endx:
      out.begin = indexed(unit, in, is_known);
      out.end = indexed(unit, in, is_known);
      break;
    case DW_RLE_startx_length:
      out.begin = indexed(unit, in, is_known);
      out.end = out.begin + in.varint();
      break;
    case DW_RLE_offset_pair:
      out.begin = base + in.varint();
      out.end = base + in.varint();
      break;
    case DW_RLE_base_address: out = {ListEntry::kBase, in.fixed<uint64_t>()}; break;
    case DW_RLE_start_end:
      out.begin = in.fixed<uint64_t>();
      out.end = in.fixed<uint64_t>();
      break;
    case DW_RLE_start_length:
      out.begin = in.fixed<uint64_t>();
      out.end = out.begin + in.varint();
      break;
    default: return {ListEntry::kBad};
  }
  if (in.failed()) return {ListEntry::kBad};
  // The fields of an entry with an unknown address are still read, so that the list goes on.
  if (!is_known) out.begin = out.end = 0;
  return out;
}

// The lists of DWARF 4 and of GNU's split DWARF 4 have their own form.
ListEntry next_old_entry(ByteReader& in, uint64_t base) {
  const auto begin = in.fixed<uint64_t>();
  const auto end = in.fixed<uint64_t>();
  if (in.failed()) return {ListEntry::kBad};
  if (begin == 0 && end == 0) return {ListEntry::kEnd};
  if (begin == ~uint64_t{0}) return {ListEntry::kBase, end};
  return {ListEntry::kRange, base + begin, base + end};
}

ListEntry next_gnu_split_entry(const UnitContext& unit, ByteReader& in) {
  bool is_known = true;
  ListEntry out{ListEntry::kRange};
  switch (in.fixed<uint8_t>()) {
    case DW_LLE_GNU_end_of_list_entry: return {ListEntry::kEnd};
    case DW_LLE_GNU_base_address_selection_entry:
      return {ListEntry::kBase, indexed(unit, in, is_known)};
    case DW_LLE_GNU_start_end_entry:
      out.begin = indexed(unit, in, is_known);
      out.end = indexed(unit, in, is_known);
      break;
    case DW_LLE_GNU_start_length_entry:
      out.begin = indexed(unit, in, is_known);
      out.end = out.begin + in.fixed<uint32_t>();
      break;
    default: return {ListEntry::kBad};
  }
  if (in.failed()) return {ListEntry::kBad};
  if (!is_known) out.begin = out.end = 0;
  return out;
}

std::optional<uint64_t> number_at(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word word = 0;
  if (dwarf_attr(&die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &word) != 0)
    return std::nullopt;
  return word;
}

std::optional<ByteSpan> block_of(Dwarf_Attribute& attribute) {
  Dwarf_Block block;
  if (dwarf_formblock(&attribute, &block) != 0) return std::nullopt;
  return ByteSpan(block.data, block.length);
}

}  // namespace

UnitContext UnitContext::of(const DwarfFile& file, const Dwarf_Die& die) {
  UnitContext out;
  out.dwarf = file.dwarf();
  out.root = out.skeleton = die;
  Dwarf_Half version = 0;
  uint8_t offset_size = 4;
  dwarf_cu_info(die.cu, &version, nullptr, nullptr, nullptr, nullptr, nullptr, &offset_size);
  out.version = version;
  out.offset_size = offset_size;
  Dwarf_Addr low = 0;
  if (dwarf_lowpc(&out.root, &low) == 0) out.base = low;
  out.info = file.section(".debug_info");
  out.ranges = file.section(".debug_ranges");
  out.rnglists = file.section(".debug_rnglists");
  out.loc = file.section(".debug_loc");
  out.loclists = file.section(".debug_loclists");
  const ByteSpan addresses = file.section(".debug_addr");
  auto base = number_at(out.root, DW_AT_addr_base);
  if (!base) base = number_at(out.root, DW_AT_GNU_addr_base);
  if (base && *base <= addresses.size()) out.addresses = addresses.subspan(*base);
  out.ranges_base = number_at(out.root, DW_AT_GNU_ranges_base).value_or(0);
  // Without the attribute lists are counted from behind the section's first header.
  const uint64_t header = out.offset_size == 8 ? 20 : 12;
  out.rnglists_base = number_at(out.root, DW_AT_rnglists_base).value_or(header);
  out.loclists_base = number_at(out.root, DW_AT_loclists_base).value_or(header);
  return out;
}

UnitContext UnitContext::of_split(const UnitContext& skeleton, const DwarfFile& split,
                                  const Dwarf_Die& die) {
  UnitContext out = of(split, die);
  out.is_split = true;
  out.skeleton = skeleton.skeleton;
  out.base = skeleton.base;
  out.addresses = skeleton.addresses;
  out.ranges = skeleton.ranges;  // DWARF 4 leaves them with the skeleton
  out.ranges_base = skeleton.ranges_base;
  return out;
}

std::optional<uint64_t> UnitContext::address(uint64_t index) const {
  if (index >= addresses.size() / 8) return std::nullopt;
  return ByteReader(addresses.subspan(index * 8, 8)).fixed<uint64_t>();
}

std::optional<uint64_t> UnitContext::raw_number(const Dwarf_Attribute& attribute) const {
  const auto at = reinterpret_cast<uintptr_t>(attribute.valp);
  const auto begin = reinterpret_cast<uintptr_t>(info.data());
  if (at < begin || at >= begin + info.size()) return std::nullopt;
  ByteReader in(info.subspan(at - begin));
  uint64_t value = 0;
  switch (attribute.form) {
    case DW_FORM_sec_offset: value = offset_field(in, offset_size); break;
    case DW_FORM_data4: value = in.fixed<uint32_t>(); break;
    case DW_FORM_data8: value = in.fixed<uint64_t>(); break;
    case DW_FORM_rnglistx:
    case DW_FORM_loclistx: value = in.varint(); break;
    default: return std::nullopt;
  }
  if (in.failed()) return std::nullopt;
  return value;
}

namespace {

// Where a list begins; the attribute's number is an offset or an index into a table of offsets.
std::optional<uint64_t> list_offset(const UnitContext& unit, const Dwarf_Attribute& attribute,
                                    ByteSpan section, uint64_t base) {
  // Read from the entry itself: libdw wants the list to be in the same file.
  const auto number = unit.raw_number(attribute);
  if (attribute.form != DW_FORM_rnglistx && attribute.form != DW_FORM_loclistx) return number;
  if (!number || *number > section.size()) return std::nullopt;
  ByteReader in = reader_at(section, base + *number * unit.offset_size);
  const uint64_t offset = offset_field(in, unit.offset_size);
  if (in.failed()) return std::nullopt;
  return base + offset;
}

}  // namespace

std::vector<AddressRange> UnitContext::ranges_of(Dwarf_Die& die) const {
  std::vector<AddressRange> out;
  const auto add = [&](uint64_t begin, uint64_t end) {
    if (begin != 0 && begin < end) out.push_back({begin, end});
  };
  Dwarf_Attribute attribute;
  if (dwarf_attr(&die, DW_AT_ranges, &attribute) == nullptr) {
    Dwarf_Addr low = 0;
    Dwarf_Addr high = 0;
    if (dwarf_lowpc(&die, &low) == 0 && dwarf_highpc(&die, &high) == 0) add(low, high);
    return out;
  }
  const bool is_new = version >= 5;
  const ByteSpan section = is_new ? rnglists : ranges;
  auto offset = list_offset(*this, attribute, section, rnglists_base);
  if (!offset) return out;
  if (!is_new && is_split) *offset += ranges_base;
  ByteReader in = reader_at(section, *offset);
  uint64_t from = base;
  for (size_t i = 0; i < kMostListEntries; ++i) {
    const ListEntry entry = is_new ? next_entry(*this, in, from, false) : next_old_entry(in, from);
    if (entry.kind == ListEntry::kBase)
      from = entry.begin;
    else if (entry.kind == ListEntry::kRange)
      add(entry.begin, entry.end);
    else
      break;
  }
  return out;
}

std::optional<ByteSpan> UnitContext::expression(Dwarf_Attribute& attribute, uint64_t pc) const {
  switch (dwarf_whatform(&attribute)) {
    case DW_FORM_exprloc:
    case DW_FORM_block:
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4: return block_of(attribute);
    default: break;
  }
  const bool is_new = version >= 5;
  const ByteSpan section = is_new ? loclists : loc;
  const auto offset = list_offset(*this, attribute, section, loclists_base);
  if (!offset) return std::nullopt;
  ByteReader in = reader_at(section, *offset);
  uint64_t from = base;
  std::optional<ByteSpan> otherwise;
  for (size_t i = 0; i < kMostListEntries; ++i) {
    const ListEntry entry = is_new     ? next_entry(*this, in, from, true)
                            : is_split ? next_gnu_split_entry(*this, in)
                                       : next_old_entry(in, from);
    if (entry.kind == ListEntry::kBase) {
      from = entry.begin;
      continue;
    }
    if (entry.kind != ListEntry::kRange && entry.kind != ListEntry::kDefault) break;
    const ByteSpan bytes = in.take(is_new ? in.varint() : in.fixed<uint16_t>());
    if (in.failed()) break;
    if (entry.kind == ListEntry::kDefault)
      otherwise = bytes;
    else if (entry.begin <= pc && pc < entry.end)
      return bytes;
  }
  return otherwise;
}

std::optional<uint64_t> number_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&die, name, &attribute) == nullptr) return std::nullopt;
  if (dwarf_whatform(&attribute) == DW_FORM_sdata ||
      dwarf_whatform(&attribute) == DW_FORM_implicit_const) {
    Dwarf_Sword word = 0;
    if (dwarf_formsdata(&attribute, &word) != 0) return std::nullopt;
    return static_cast<uint64_t>(word);
  }
  Dwarf_Word word = 0;
  if (dwarf_formudata(&attribute, &word) != 0) return std::nullopt;
  return word;
}

std::string text_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&die, name, &attribute) == nullptr) return {};
  const char* text = dwarf_formstring(&attribute);
  return text == nullptr ? std::string() : std::string(text);
}

std::string name_of(Dwarf_Die& die) { return text_of(die, DW_AT_name); }

bool flag_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  bool flag = false;
  return dwarf_attr(&die, name, &attribute) != nullptr && dwarf_formflag(&attribute, &flag) == 0 &&
         flag;
}

void for_children(const Dwarf_Die& die, const std::function<bool(Dwarf_Die&)>& visit) {
  Dwarf_Die parent = die;
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do {
    if (!visit(child)) return;
  } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace twinrun
