// SPDX-License-Identifier: MIT
#include "program/debug_info.h"
#include "program/debug_info_impl.h"

#include <dwarf.h>

namespace twinrun {
namespace {

// A class that a caller must not copy bit by bit is passed by address, says its entry.
bool is_passed_by_reference(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_formref_die(dwarf_attr_integrate(&die, DW_AT_type, &attribute), &type) == nullptr)
    return false;
  for (int depth = 0; depth < 32; ++depth) {
    const int tag = dwarf_tag(&type);
    if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type)
      return number_of(type, DW_AT_calling_convention).value_or(0) == DW_CC_pass_by_reference;
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type)
      return false;
    Dwarf_Die next;
    if (dwarf_formref_die(dwarf_attr(&type, DW_AT_type, &attribute), &next) == nullptr)
      return false;
    type = next;
  }
  return false;
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
