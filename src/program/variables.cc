// SPDX-License-Identifier: MIT
#include "program/debug_info.h"
#include "program/debug_info_impl.h"

#include <dwarf.h>

#include <algorithm>
#include <cstring>

namespace twinrun {
namespace {

constexpr size_t kMostNamespaces = 64;

bool is_defined(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  return dwarf_attr(&die, DW_AT_location, &attribute) != nullptr ||
         dwarf_attr_integrate(&die, DW_AT_const_value, &attribute) != nullptr;
}

// Its location is an address, the same at every pc.
bool has_static_storage(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  Dwarf_Block block;
  if (dwarf_attr(&die, DW_AT_location, &attribute) == nullptr ||
      dwarf_whatform(&attribute) != DW_FORM_exprloc || dwarf_formblock(&attribute, &block) != 0 ||
      block.length == 0)
    return false;
  return block.data[0] == DW_OP_addr || block.data[0] == DW_OP_addrx ||
         block.data[0] == DW_OP_GNU_addr_index;
}

Location constant(Dwarf_Attribute& attribute) {
  Location out;
  out.kind = Location::Kind::kValue;
  Dwarf_Block block;
  Dwarf_Word word = 0;
  Dwarf_Sword number = 0;
  const unsigned form = dwarf_whatform(&attribute);
  if (dwarf_formblock(&attribute, &block) == 0) {
    out.value.assign(block.data, block.data + block.length);
    return out;
  }
  if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
    if (dwarf_formsdata(&attribute, &number) != 0) return Location::unavailable("damaged");
    word = static_cast<uint64_t>(number);
  } else if (dwarf_formudata(&attribute, &word) != 0) {
    const char* text = dwarf_formstring(&attribute);
    if (text == nullptr) return Location::unavailable("its constant value is of an unknown form");
    out.value.assign(text, text + std::strlen(text) + 1);
    return out;
  }
  out.value.resize(8);
  std::memcpy(out.value.data(), &word, 8);
  return out;
}

// Calls `visit` for each entry of a unit outside of functions and types.
void for_top_level(const Dwarf_Die& root, const std::function<void(Dwarf_Die&)>& visit) {
  std::vector<Dwarf_Die> waiting{root};
  size_t spaces = 0;
  while (!waiting.empty()) {
    const Dwarf_Die space = waiting.back();
    waiting.pop_back();
    for_children(space, [&](Dwarf_Die& child) {
      const int tag = dwarf_tag(&child);
      if ((tag == DW_TAG_namespace || tag == DW_TAG_module) && ++spaces < kMostNamespaces * 1024)
        waiting.push_back(child);
      else
        visit(child);
      return true;
    });
  }
}

}  // namespace

Variable DebugInfo::Impl::variable(Dwarf_Die& die, int32_t unit_number, Variable::Kind kind) {
  const auto [known, is_new] =
      variable_ids.try_emplace(die.addr, static_cast<uint32_t>(variables.size()));
  if (is_new) variables.push_back({die, unit_number});
  Variable out;
  out.name = name_of(die);
  out.type = &types.type_of(die);
  out.kind = kind;
  out.id = known->second;
  return out;
}

const std::vector<Variable>& DebugInfo::Impl::globals_of(int32_t number) {
  Unit& owner = units[static_cast<size_t>(number)];
  if (std::exchange(owner.has_globals, true)) return owner.globals;
  for_top_level(unit(number).context().root, [&](Dwarf_Die& die) {
    if (dwarf_tag(&die) != DW_TAG_variable || !is_defined(die)) return;
    Dwarf_Attribute attribute;
    bool is_external = false;
    if (dwarf_attr_integrate(&die, DW_AT_external, &attribute) != nullptr)
      dwarf_formflag(&attribute, &is_external);
    Variable made =
        variable(die, number, is_external ? Variable::Kind::kGlobal : Variable::Kind::kStatic);
    if (!made.name.empty()) owner.globals.push_back(std::move(made));
  });
  return owner.globals;
}

std::vector<Variable> DebugInfo::variables_at(uint64_t address) {
  std::vector<Variable> out;
  const int32_t number = impl_->unit_at(address);
  if (number < 0) return out;
  DwarfUnit& unit = impl_->unit(number);
  unit.need_scopes();
  uint32_t depth = 0;
  uint32_t frame = 0;
  for (int32_t at = unit.scope_at(address); at >= 0; ++depth) {
    const Scope& scope = unit.scopes()[static_cast<size_t>(at)];
    const size_t first = out.size();
    const auto add = [&](Dwarf_Die& child, bool is_abstract) {
      const int tag = dwarf_tag(&child);
      if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) return;
      // `extern int x;` in a function names a variable of the program.
      if (flag_of(child, DW_AT_declaration)) return;
      const auto kind = tag == DW_TAG_formal_parameter ? Variable::Kind::kParameter
                        : has_static_storage(child)    ? Variable::Kind::kStatic
                                                       : Variable::Kind::kLocal;
      Variable made = impl_->variable(child, number, kind);
      made.depth = depth;
      made.frame = frame;
      const bool is_known =
          is_abstract && std::any_of(out.begin() + static_cast<ptrdiff_t>(first), out.end(),
                                     [&](const Variable& v) { return v.name == made.name; });
      if (!made.name.empty() && !is_known) out.push_back(std::move(made));
    };
    for_children(scope.die, [&](Dwarf_Die& child) { return add(child, false), true; });
    // What an inlined copy of a function does not mention is described with the function itself:
    // static variables, and those that were optimized out of the copy, which still hide others.
    Dwarf_Die die = scope.die;
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (dwarf_formref_die(dwarf_attr(&die, DW_AT_abstract_origin, &attribute), &origin) != nullptr)
      for_children(origin, [&](Dwarf_Die& child) { return add(child, true), true; });
    if (scope.kind == Scope::Kind::kInlined) ++frame;
    if (scope.kind == Scope::Kind::kFunction)
      at = -1;
    else
      at = scope.parent;
  }
  for (const Variable& global : impl_->globals_of(number)) {
    out.push_back(global);
    out.back().depth = depth;
  }
  return out;
}

void DebugInfo::Impl::need_program_index() {
  if (std::exchange(has_program_index, true)) return;
  for (size_t i = 0; i < units.size(); ++i) {
    const auto number = static_cast<int32_t>(i);
    for (const Variable& variable : globals_of(number)) globals.emplace(variable.name, variable);
    for_top_level(unit(number).context().root, [&](Dwarf_Die& die) {
      const int tag = dwarf_tag(&die);
      const TypeKind kind = tag == DW_TAG_structure_type ? TypeKind::kStruct
                            : tag == DW_TAG_class_type   ? TypeKind::kClass
                            : tag == DW_TAG_union_type   ? TypeKind::kUnion
                                                         : TypeKind::kUnknown;
      if (kind == TypeKind::kUnknown || flag_of(die, DW_AT_declaration)) return;
      const std::string name = name_of(die);
      if (name.empty()) return;
      const uint64_t size = number_of(die, DW_AT_byte_size).value_or(0);
      const auto [it, is_new] = definitions.try_emplace({kind, name}, Definition{die, size, true});
      if (!is_new && it->second.size != size) it->second.is_unique = false;
    });
  }
}

std::optional<Variable> DebugInfo::find_global(std::string_view name) {
  impl_->need_program_index();
  const auto [begin, end] = impl_->globals.equal_range(name);
  const auto external = std::find_if(
      begin, end, [](const auto& row) { return row.second.kind == Variable::Kind::kGlobal; });
  if (external != end) return external->second;
  // Several static ones of that name: which one is meant is not known.
  if (begin == end || std::next(begin) != end) return std::nullopt;
  return begin->second;
}

std::vector<Variable> DebugInfo::globals() {
  impl_->need_program_index();
  std::vector<Variable> out;
  out.reserve(impl_->globals.size());
  for (const auto& [name, variable] : impl_->globals) out.push_back(variable);
  return out;
}

const Type& DebugInfo::complete(const Type& type) {
  const Type& bare = stripped(type);
  if (!is_record(bare) || !bare.is_declaration || bare.name.empty()) return type;
  impl_->need_program_index();
  const auto found = impl_->definitions.find({bare.kind, bare.name});
  if (found == impl_->definitions.end() || !found->second.is_unique) return type;
  return impl_->types.get(found->second.die);
}

Location DebugInfo::locate(const Variable& variable, uint64_t pc, const ValueSource& source) {
  if (variable.id >= impl_->variables.size()) return Location::unavailable("it is not known");
  auto [die, number] = impl_->variables[variable.id];
  DwarfUnit& unit = impl_->unit(number);
  const UnitContext& context = unit.context();
  Dwarf_Attribute attribute;
  if (dwarf_attr(&die, DW_AT_location, &attribute) == nullptr) {
    if (dwarf_attr_integrate(&die, DW_AT_const_value, &attribute) != nullptr)
      return constant(attribute);
    return Location::unavailable("optimized out");
  }
  const auto expression = context.expression(attribute, pc);
  if (!expression) return Location::unavailable("optimized out");
  return evaluate(*expression, impl_->context_at(number, pc, source, 0));
}

}  // namespace twinrun
