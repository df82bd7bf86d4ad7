// SPDX-License-Identifier: MIT
#include "align/typed_memory.h"

#include <algorithm>

namespace twinrun {
namespace {

constexpr int kMostNesting = 32;

std::string joined(const std::string& outer, const std::string& member) {
  return member.empty() ? outer : outer + "." + member;
}

const Type& complete(DebugInfo& info, const Type& type) {
  return stripped(info.complete(stripped(type)));
}

/// Texts are compared as one.
bool is_text(DebugInfo& info, const Type& array) {
  return array.target != nullptr && is_character(complete(info, *array.target));
}

/// `bit`: of the byte, for bit-fields.
std::optional<TypedLeaf> descend(DebugInfo& info, const Type& type, uint64_t offset, uint32_t bit,
                                 TypedLeaf at, int nesting) {
  const Type& bare = complete(info, type);
  const auto size = size_of(bare);
  if (!size || *size == 0 || offset >= *size || nesting > kMostNesting) return std::nullopt;
  if (bare.kind == TypeKind::kArray && !is_text(info, bare)) {
    const auto element = bare.target == nullptr ? std::nullopt : complete_size(info, *bare.target);
    if (!element || *element == 0) return std::nullopt;
    at.name += fmt::format("[{}]", offset / *element);
    at.offset += offset / *element * *element;
    return descend(info, *bare.target, offset % *element, bit, std::move(at), nesting + 1);
  }
  if (is_record(bare) && bare.kind != TypeKind::kUnion) {
    for (const Member& member : bare.members) {
      if (!member.offset || member.type == nullptr) continue;
      if (member.bit_size != 0) {
        const uint64_t first = *member.offset * 8 + member.bit_offset;
        if (offset * 8 + bit < first || offset * 8 + bit - first >= member.bit_size) continue;
        at.name = joined(at.name, member.name);
        at.type = member.type;
        at.offset += *member.offset;
        at.size = (member.bit_offset + member.bit_size + 7) / 8;
        at.bit_offset = member.bit_offset;
        at.bit_size = member.bit_size;
        return at;
      }
      const auto part = complete_size(info, *member.type);
      if (!part || offset < *member.offset || offset - *member.offset >= *part) continue;
      TypedLeaf inner = at;
      inner.name = joined(at.name, member.name);
      inner.offset += *member.offset;
      if (auto found = descend(info, *member.type, offset - *member.offset, bit, std::move(inner),
                               nesting + 1))
        return found;
    }
    return std::nullopt;
  }
  at.type = &type;
  at.size = *size;
  return at;
}

}  // namespace

std::optional<uint64_t> complete_size(DebugInfo& info, const Type& type) {
  const Type& bare = complete(info, type);
  if (bare.kind == TypeKind::kFunction || bare.kind == TypeKind::kVoid) return std::nullopt;
  const auto size = size_of(bare);
  return size && *size != 0 ? size : std::nullopt;
}

const Member* open_end(DebugInfo& info, const Type& type) {
  const Type& bare = complete(info, type);
  if (!is_record(bare) || bare.kind == TypeKind::kUnion || bare.members.empty()) return nullptr;
  const Member& last = bare.members.back();
  if (last.type == nullptr || !last.offset) return nullptr;
  const Type& array = stripped(*last.type);
  return array.kind == TypeKind::kArray && array.count.value_or(0) == 0 ? &last : nullptr;
}

bool is_pointer(const Type& type) {
  const TypeKind kind = stripped(type).kind;
  return kind == TypeKind::kPointer || kind == TypeKind::kReference ||
         kind == TypeKind::kRvalueReference;
}

const Type* pointee(DebugInfo& info, const Type& type) {
  if (!is_pointer(type)) return nullptr;
  const Type* target = stripped(type).target;
  return target == nullptr ? nullptr : &info.complete(*target);
}

std::optional<TypedLeaf> leaf_at(DebugInfo& info, const Type& type, uint64_t size, uint64_t offset,
                                 uint32_t bit) {
  const auto one = complete_size(info, type);
  if (!one || offset >= size) return std::nullopt;
  TypedLeaf at;
  if (size >= 2 * *one) at.name = fmt::format("[{}]", offset / *one);
  at.offset = offset / *one * *one;
  if (at.offset + *one > size) return std::nullopt;
  return descend(info, type, offset % *one, bit, std::move(at), 0);
}

std::string part_name(const std::string& object, bool through_pointer, const std::string& part) {
  if (!through_pointer) return object + part;
  if (part.empty()) return "*" + object;
  const std::string pointer = object.starts_with('*') ? "(" + object + ")" : object;
  return part[0] == '.' ? pointer + "->" + part.substr(1) : pointer + part;
}

bool for_leaves(DebugInfo& info, const Type& type,
                const std::function<bool(const TypedLeaf&)>& visit, size_t most) {
  const auto size = complete_size(info, type);
  if (!size) return true;
  for (uint64_t at = 0; at < *size * 8;) {
    const auto leaf = descend(info, type, at / 8, static_cast<uint32_t>(at % 8), {}, 0);
    if (!leaf) {
      ++at;
      continue;
    }
    if (most-- == 0 || !visit(*leaf)) return false;
    const uint64_t begin = leaf->offset * 8;
    at = std::max(at + 1, leaf->bit_size != 0 ? begin + leaf->bit_offset + leaf->bit_size
                                              : begin + leaf->size * 8);
  }
  return true;
}

namespace {

void add_globals(const MemoryMap& map, Variables& out) {
  const LiveMemory& memory = map.memory();
  for (const Region& region : map.regions()) {
    if (region.module == nullptr) continue;
    DebugInfo* info = memory.run().binaries().debug_info(memory.files()[region.module->file]);
    if (info == nullptr) continue;
    const LiveState state(memory, nullptr, false, region.module->bias);
    for (const Variable& variable : info->globals()) {
      const auto size = complete_size(*info, *variable.type);
      const Location where = info->locate(variable, 0, state);
      if (!size || where.kind != Location::Kind::kMemory) continue;
      const auto index = map.index_of(where.address);
      if (index && index->region == region.id)
        out.in_memory.push_back(
            {variable.name, variable.type, info, region.id, index->offset, *size});
    }
  }
}

void add_locals(const MemoryMap& map, Variables& out) {
  const LiveMemory& memory = map.memory();
  for (const Region& region : map.regions()) {
    if (region.frame == nullptr || region.frame->pc == 0) continue;
    const LiveModule* module = memory.module(region.frame->pc);
    if (module == nullptr) continue;
    DebugInfo* info = memory.run().binaries().debug_info(memory.files()[module->file]);
    if (info == nullptr) continue;
    const bool is_innermost = region.stack->thread == memory.position().thread &&
                              region.stack->is_current &&
                              region.frame == &region.stack->frames.back();
    const LiveState state(memory, region.frame, is_innermost, module->bias);
    const uint64_t pc = region.frame->pc - module->bias;
    std::vector<std::string> seen;  // inner variables hide outer ones of the same name
    for (const Variable& variable : info->variables_at(pc)) {
      if (variable.kind != Variable::Kind::kLocal && variable.kind != Variable::Kind::kParameter)
        continue;
      if (std::ranges::find(seen, variable.name) != seen.end()) continue;
      seen.push_back(variable.name);
      const auto size = complete_size(*info, *variable.type);
      const Location where = info->locate(variable, pc, state);
      if (!size) continue;
      if (where.kind == Location::Kind::kMemory) {
        const auto index = map.index_of(where.address);
        if (index && index->region == region.id)
          out.in_memory.push_back(
              {variable.name, variable.type, info, region.id, index->offset, *size});
      } else if (where.kind == Location::Kind::kRegister) {
        ReadBytes read = read_location(where, *size, state);
        if (read.bytes)
          out.in_registers.push_back(
              {variable.name, variable.type, region.id, std::move(*read.bytes)});
      }
    }
  }
}

}  // namespace

Variables find_variables(const MemoryMap& map) {
  Variables out;
  add_globals(map, out);
  add_locals(map, out);
  // Of several names for the same bytes (declarations in several units) the largest object wins.
  std::ranges::stable_sort(out.in_memory, [](const TypedObject& x, const TypedObject& y) {
    return std::tuple(x.region, x.offset, y.size) < std::tuple(y.region, y.offset, x.size);
  });
  return out;
}

}  // namespace twinrun
