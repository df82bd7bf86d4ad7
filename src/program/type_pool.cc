// SPDX-License-Identifier: MIT
// A type is entered before it is filled, and what it refers to waits in a list: so circles close,
// and no chain of types, however long, needs stack.
#include "program/type_pool.h"

#include <dwarf.h>

#include <algorithm>

namespace twinrun {
namespace {

constexpr size_t kMostTypes = 4'000'000;
constexpr size_t kMostDimensions = 32;

TypeKind kind_of_tag(int tag) {
  switch (tag) {
    case DW_TAG_pointer_type: return TypeKind::kPointer;
    case DW_TAG_reference_type: return TypeKind::kReference;
    case DW_TAG_rvalue_reference_type: return TypeKind::kRvalueReference;
    case DW_TAG_array_type: return TypeKind::kArray;
    case DW_TAG_structure_type: return TypeKind::kStruct;
    case DW_TAG_class_type: return TypeKind::kClass;
    case DW_TAG_union_type: return TypeKind::kUnion;
    case DW_TAG_enumeration_type: return TypeKind::kEnum;
    case DW_TAG_subroutine_type: return TypeKind::kFunction;
    case DW_TAG_ptr_to_member_type: return TypeKind::kMemberPointer;
    case DW_TAG_typedef:
    case DW_TAG_template_alias: return TypeKind::kTypedef;
    case DW_TAG_const_type: return TypeKind::kConst;
    case DW_TAG_volatile_type: return TypeKind::kVolatile;
    case DW_TAG_restrict_type: return TypeKind::kRestrict;
    case DW_TAG_atomic_type: return TypeKind::kAtomic;
    default: return TypeKind::kUnknown;
  }
}

bool is_cplusplus(Dwarf_Die& die) {
  Dwarf_Die root;
  if (dwarf_diecu(&die, &root, nullptr, nullptr) == nullptr) return false;
  switch (dwarf_srclang(&root)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2b:  // C++17
    case 0x2c:  // C++20
      return true;
    default: return false;
  }
}

// gcc writes "long unsigned int" where clang and the source have "unsigned long".
std::string plain_name(std::string name) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"long int", "long"},           {"long unsigned int", "unsigned long"},
      {"long long int", "long long"}, {"long long unsigned int", "unsigned long long"},
      {"short int", "short"},         {"short unsigned int", "unsigned short"},
  };
  for (const auto& [longer, plain] : kNames)
    if (name == longer) return std::string(plain);
  return name;
}

}  // namespace

TypePool::TypePool() { void_.kind = TypeKind::kVoid; }

const Type& TypePool::get(const Dwarf_Die& die) {
  const Type* type = entry(die);
  fill_waiting();
  return *type;
}

const Type& TypePool::type_of(Dwarf_Die& die) {
  const Type* type = target_of(die);
  fill_waiting();
  return *type;
}

Type* TypePool::entry(const Dwarf_Die& die) {
  if (const auto known = by_die_.find(die.addr); known != by_die_.end()) return known->second;
  if (types_.size() >= kMostTypes) return &unknown_;
  Type* type = &types_.emplace_back();
  by_die_.emplace(die.addr, type);
  waiting_.push_back({type, die});
  return type;
}

const Type* TypePool::target_of(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr) return &void_;
  Dwarf_Die target;
  // A reference that leads nowhere is damage, or into a file that is missing.
  if (dwarf_formref_die(&attribute, &target) == nullptr) return &unknown_;
  return entry(target);
}

void TypePool::fill_waiting() {
  while (!waiting_.empty()) {
    Waiting next = waiting_.back();
    waiting_.pop_back();
    fill(*next.type, next.die);
  }
}

void TypePool::fill(Type& type, Dwarf_Die& die) {
  const int tag = dwarf_tag(&die);
  type.kind = kind_of_tag(tag);
  type.name = name_of(die);
  Dwarf_Attribute attribute;
  Dwarf_Word size = 0;
  if (dwarf_attr(&die, DW_AT_byte_size, &attribute) != nullptr &&
      dwarf_formudata(&attribute, &size) == 0)
    type.size = size;
  type.is_declaration = flag_of(die, DW_AT_declaration);
  type.is_cplusplus = is_cplusplus(die);
  switch (type.kind) {
    case TypeKind::kPointer:
    case TypeKind::kReference:
    case TypeKind::kRvalueReference:
      if (!type.size) type.size = 8;
      type.target = target_of(die);
      break;
    case TypeKind::kMemberPointer: {
      Dwarf_Die holder;
      if (dwarf_formref_die(dwarf_attr(&die, DW_AT_containing_type, &attribute), &holder) !=
          nullptr)
        type.name = name_of(holder);
      type.target = target_of(die);
      break;
    }
    case TypeKind::kTypedef:
    case TypeKind::kConst:
    case TypeKind::kVolatile:
    case TypeKind::kRestrict:
    case TypeKind::kAtomic: type.target = target_of(die); break;
    case TypeKind::kArray: fill_array(type, die); break;
    case TypeKind::kFunction: fill_function(type, die); break;
    case TypeKind::kStruct:
    case TypeKind::kClass:
    case TypeKind::kUnion: fill_record(type, die); break;
    case TypeKind::kEnum:
      type.target = target_of(die);
      for_children(die, [&](Dwarf_Die& child) {
        if (dwarf_tag(&child) == DW_TAG_enumerator)
          if (const auto value = number_of(child, DW_AT_const_value))
            type.enumerators.push_back({name_of(child), static_cast<int64_t>(*value)});
        return true;
      });
      break;
    default:
      if (tag == DW_TAG_base_type) fill_base(type, die);
      if (tag == DW_TAG_unspecified_type && type.name == "void") type.kind = TypeKind::kVoid;
  }
}

void TypePool::fill_base(Type& type, Dwarf_Die& die) const {
  type.name = plain_name(std::move(type.name));
  switch (number_of(die, DW_AT_encoding).value_or(0)) {
    case DW_ATE_boolean: type.kind = TypeKind::kBool; break;
    case DW_ATE_signed: type.kind = TypeKind::kSigned; break;
    case DW_ATE_unsigned:
    case DW_ATE_UTF: type.kind = TypeKind::kUnsigned; break;
    case DW_ATE_signed_char: type.kind = TypeKind::kSignedChar; break;
    case DW_ATE_unsigned_char: type.kind = TypeKind::kUnsignedChar; break;
    case DW_ATE_float: type.kind = TypeKind::kFloat; break;
    default: type.kind = TypeKind::kUnknown; break;
  }
}

Member TypePool::member(Dwarf_Die& die) {
  Member out;
  out.name = dwarf_tag(&die) == DW_TAG_inheritance ? "" : name_of(die);
  out.is_base = dwarf_tag(&die) == DW_TAG_inheritance;
  out.type = target_of(die);
  Dwarf_Attribute attribute;
  if (dwarf_attr(&die, DW_AT_data_member_location, &attribute) == nullptr) {
    out.offset = 0;
  } else {
    Dwarf_Block block;
    Dwarf_Word word = 0;
    if (dwarf_formudata(&attribute, &word) == 0) {
      out.offset = word;
    } else if (dwarf_formblock(&attribute, &block) == 0) {
      ByteReader in({block.data, block.length});
      const bool is_constant = in.fixed<uint8_t>() == DW_OP_plus_uconst;
      const uint64_t offset = in.varint();
      if (is_constant && !in.failed() && in.at_end()) out.offset = offset;
    }
  }
  const auto bits = number_of(die, DW_AT_bit_size);
  if (!bits || *bits == 0 || *bits > 64) return out;
  out.bit_size = static_cast<uint32_t>(*bits);
  if (const auto from = number_of(die, DW_AT_data_bit_offset)) {
    out.offset = *from / 8;
    out.bit_offset = static_cast<uint32_t>(*from % 8);
  } else if (const auto old = number_of(die, DW_AT_bit_offset)) {
    // The old form counts from the most significant bit of a storage unit.
    const uint64_t storage = number_of(die, DW_AT_byte_size).value_or(0) * 8;
    const uint64_t from_top = *old + *bits;
    if (!out.offset || storage == 0 || storage > 64 || from_top < *bits || from_top > storage) {
      out.offset.reset();
      return out;
    }
    *out.offset += (storage - from_top) / 8;
    out.bit_offset = static_cast<uint32_t>((storage - from_top) % 8);
  }
  return out;
}

void TypePool::fill_record(Type& type, Dwarf_Die& die) {
  for_children(die, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    // Static members are declarations without a place in the object.
    const bool is_part = tag == DW_TAG_member && !flag_of(child, DW_AT_external) &&
                         !flag_of(child, DW_AT_declaration);
    if (is_part || tag == DW_TAG_inheritance) type.members.push_back(member(child));
    return true;
  });
}

void TypePool::fill_array(Type& type, Dwarf_Die& die) {
  std::vector<std::optional<uint64_t>> counts;
  for_children(die, [&](Dwarf_Die& child) {
    if (dwarf_tag(&child) != DW_TAG_subrange_type) return true;
    std::optional<uint64_t> count;
    Dwarf_Attribute attribute;
    // A bound that is an expression or refers to a variable is known at run time only.
    const auto constant = [&](unsigned name) -> std::optional<uint64_t> {
      if (dwarf_attr(&child, name, &attribute) == nullptr) return std::nullopt;
      switch (dwarf_whatform(&attribute)) {
        case DW_FORM_data1:
        case DW_FORM_data2:
        case DW_FORM_data4:
        case DW_FORM_data8:
        case DW_FORM_udata:
        case DW_FORM_sdata:
        case DW_FORM_implicit_const: return number_of(child, name);
        default: return std::nullopt;
      }
    };
    if (const auto number = constant(DW_AT_count)) {
      count = number;
    } else if (const auto last = constant(DW_AT_upper_bound)) {
      const uint64_t first = constant(DW_AT_lower_bound).value_or(0);
      count = *last + 1 - first;
    }
    // Nothing has so many elements: a bound of -1 written without its sign.
    if (count && *count > (uint64_t{1} << 48)) count = 0;
    counts.push_back(count);
    return counts.size() < kMostDimensions;
  });
  const Type* element = target_of(die);
  for (size_t i = counts.size(); i > 1; --i) {
    Type& inner = types_.emplace_back();
    inner.kind = TypeKind::kArray;
    inner.target = element;
    inner.count = counts[i - 1];
    element = &inner;
  }
  type.target = element;
  if (!counts.empty()) type.count = counts.front();
}

void TypePool::fill_function(Type& type, Dwarf_Die& die) {
  type.target = target_of(die);
  type.size.reset();
  for_children(die, [&](Dwarf_Die& child) {
    if (dwarf_tag(&child) == DW_TAG_formal_parameter) type.parameters.push_back(target_of(child));
    if (dwarf_tag(&child) == DW_TAG_unspecified_parameters) type.is_variadic = true;
    return true;
  });
}

}  // namespace twinrun
