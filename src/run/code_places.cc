// SPDX-License-Identifier: MIT
#include "run/code_places.h"

#include "run/module_address.h"

#include <algorithm>

namespace twinrun {
namespace {

constexpr RegisterSet kRsp = register_bit(RegisterClass::kGeneral, general_number(reg::kRsp));
constexpr RegisterSet kRbp = register_bit(RegisterClass::kGeneral, general_number(reg::kRbp));

}  // namespace

std::string source_name(const PlacedFunction& function) {
  if (function.name.starts_with("_Z")) return source_name(function.name);
  const std::string* best = &function.name;
  for (const std::string& alias : function.aliases) {
    const auto rank = [](const std::string& name) {
      return std::pair(name.starts_with("_"), name.size());
    };
    if (rank(alias) < rank(*best)) best = &alias;
  }
  return *best;
}

bool PlacedFunction::has_name(std::string_view wanted) const {
  return name == wanted || std::ranges::find(aliases, wanted) != aliases.end();
}

CodePlaces::Module& CodePlaces::module(const MappedFile& file) {
  const auto [found, is_new] = modules_.try_emplace({file.path, file.build_id});
  if (!is_new) return found->second;
  if (const auto code = binaries_.module(file))
    found->second.table = (*code)->functions(called_.of(file));
  return found->second;
}

CodePlaces::Found CodePlaces::find(Addr address, uint64_t blocks) {
  const ModuleAddress at = module_address(binaries_, maps_, address, blocks);
  if (!at.is_in_elf) return {};
  Module& there = module(*at.file);
  const auto index = there.table ? there.table->find(at.address.value) : std::nullopt;
  if (!index) return {};
  const uint32_t whole = there.table->whole(*index);
  const CodeFunction& function = (*there.table)[whole];
  const auto [number, is_new] =
      there.numbers.try_emplace(whole, static_cast<uint32_t>(functions_.size()));
  if (is_new) {
    functions_.push_back({at.file,
                          function.name,
                          function.aliases,
                          {function.address},
                          address.value - at.address.value,
                          function.is_stub});
  }
  return {number->second, at.address.value == function.address && !function.is_piece};
}

uint32_t CodePlaces::function_at(Addr address, uint64_t blocks) {
  return find(address, blocks).function;
}

const CodePlaces::OfBlock& CodePlaces::of(const BlockDef& def, uint64_t blocks) {
  if (by_id_.size() <= def.id.value) by_id_.resize(std::max<size_t>(def.id.value + 1, 4096));
  OfBlock& out = by_id_[def.id.value];
  if (out.is_known) return out;
  out.is_known = true;
  const Found found = find(def.address, blocks);
  out.function = found.function;
  out.is_entry = found.is_entry;
  size_t at = 0;
  for (const uint8_t length : def.lengths) {
    const ByteSpan code = def.bytes.subspan(at, length);
    const auto use = decoder_.registers(code);
    if (use && (use->writes & kRsp) != 0 && (use->reads & (kRsp | kRbp)) == 0)
      out.loads_stack_pointer = true;
    at += length;
    if (at == def.bytes.size()) {
      const auto last = decoder_.decode(code, def.end().value - length);
      out.jumps_indirectly = last && last->flow == Flow::kIndirectJump;
    }
  }
  return out;
}

}  // namespace twinrun
