// SPDX-License-Identifier: MIT
#include "program/debug_info.h"
#include "program/debug_info_impl.h"

#include <dwarf.h>

#include <algorithm>
#include <string>
#include <utility>

namespace twinrun {
namespace {

constexpr int kMostDepth = 32;

bool type_of(Dwarf_Die& die, Dwarf_Die& out) {
  Dwarf_Attribute attribute;
  return dwarf_formref_die(dwarf_attr_integrate(&die, DW_AT_type, &attribute), &out) != nullptr;
}

/// Without typedefs, qualifiers and the bounds of arrays. False at void.
bool strip(Dwarf_Die& type) {
  for (int depth = 0; depth < kMostDepth; ++depth) {
    const int tag = dwarf_tag(&type);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
        tag != DW_TAG_array_type)
      return true;
    Dwarf_Die next;
    if (!type_of(type, next)) return false;
    type = next;
  }
  return false;
}

/// A copy or move constructor of the class that the program wrote.
bool is_copy_constructor(Dwarf_Die& function, const Dwarf_Die& of) {
  bool out = false;
  bool is_first = true;
  for_children(function, [&](Dwarf_Die& child) {
    if (dwarf_tag(&child) != DW_TAG_formal_parameter || flag_of(child, DW_AT_artificial))
      return true;
    Dwarf_Die type;
    if (!std::exchange(is_first, false) || !type_of(child, type)) return false;
    const int tag = dwarf_tag(&type);
    Dwarf_Die target;
    out = (tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type) &&
          type_of(type, target) && strip(target) && target.addr == of.addr;
    return false;
  });
  return out;
}

/// The rule of the C++ ABI: what has a destructor, copy or move constructor that does something is
/// not copied bit by bit, and neither is what contains it.
bool does_something_when_copied(Dwarf_Die& type, int depth) {
  const int tag = dwarf_tag(&type);
  if (depth > kMostDepth || (tag != DW_TAG_structure_type && tag != DW_TAG_class_type))
    return false;
  std::string name = name_of(type);
  name.resize(std::min(name.find('<'), name.size()));
  bool out = false;
  for_children(type, [&](Dwarf_Die& child) {
    Dwarf_Die inner;
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram: {
        const std::string called = name_of(child);
        out = number_of(child, DW_AT_virtuality).value_or(0) != 0;
        if (out || number_of(child, DW_AT_defaulted).value_or(0) == DW_DEFAULTED_in_class) break;
        out = called.starts_with('~') || (called == name && is_copy_constructor(child, type));
        break;
      }
      case DW_TAG_inheritance:
        out = number_of(child, DW_AT_virtuality).value_or(0) != 0;
        [[fallthrough]];
      case DW_TAG_member:
        out = out || (!flag_of(child, DW_AT_external) && type_of(child, inner) && strip(inner) &&
                      does_something_when_copied(inner, depth + 1));
        break;
      default: break;
    }
    return !out;
  });
  return out;
}

/// A caller passes the address of such an object. clang says so, gcc leaves it to the reader.
bool is_passed_by_reference(Dwarf_Die& die) {
  Dwarf_Die type;
  if (!type_of(die, type)) return false;
  const int direct = dwarf_tag(&type);
  if (direct == DW_TAG_array_type || !strip(type)) return false;
  if (const auto convention = number_of(type, DW_AT_calling_convention))
    return *convention == DW_CC_pass_by_reference;
  return does_something_when_copied(type, 0);
}

}  // namespace

std::optional<FunctionSignature> DebugInfo::signature_at(uint64_t address) {
  const int32_t number = impl_->unit_at(address);
  if (number < 0) return std::nullopt;
  DwarfUnit& unit = impl_->unit(number);
  unit.need_scopes();
  const int32_t at = Impl::function_at(unit, address);
  if (at < 0) return std::nullopt;
  Dwarf_Die die = unit.scopes()[static_cast<size_t>(at)].die;
  FunctionSignature out;
  out.name = name_of(die);
  out.result = &impl_->types.type_of(die);
  out.result_is_reference = is_passed_by_reference(die);
  for_children(die, [&](Dwarf_Die& child) {
    if (dwarf_tag(&child) == DW_TAG_formal_parameter)
      out.parameters.push_back({impl_->variable(child, number, Variable::Kind::kParameter),
                                is_passed_by_reference(child)});
    return true;
  });
  return out;
}

}  // namespace twinrun
