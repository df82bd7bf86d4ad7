// SPDX-License-Identifier: MIT
#pragma once

#include "memory/memory_index.h"
#include "program/debug_info.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// An object in a region, by debug information.
struct TypedObject {
  std::string name;
  const Type* type = nullptr;
  DebugInfo* info = nullptr;
  RegionId region = 0;
  int64_t offset = 0;
  uint64_t size = 0;
};

/// A variable that is not in memory, of the frame that the position is in.
struct RegisterVariable {
  std::string name;
  const Type* type = nullptr;
  RegionId region = 0;  // the frame
  Bytes value;
};

/// The variables of a process: those of its modules, and those of all frames.
struct Variables {
  std::vector<TypedObject> in_memory;  // by region and offset
  std::vector<RegisterVariable> in_registers;
};
Variables find_variables(const MemoryMap& map);

/// A part of an object that is compared as a whole: a number, a pointer, a text, a union.
struct TypedLeaf {
  std::string name;  // to be put behind the object's name: ".next", "[3].x", ""
  const Type* type = nullptr;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t bit_offset = 0;  // of a bit-field
  uint32_t bit_size = 0;
};

/// The part of an object of this type that holds the byte; nothing for padding. `size` is that of
/// the object, which may be an array of the type. `bit`: of the byte, where bit-fields share it.
std::optional<TypedLeaf> leaf_at(DebugInfo& info, const Type& type, uint64_t size, uint64_t offset,
                                 uint32_t bit = 0);

/// The part's name: "h.val", and through a pointer "h->val", "h[3]", "*h".
std::string part_name(const std::string& object, bool through_pointer, const std::string& part);

/// All parts of one object of the type, ascending; false ends it. At most `most`.
bool for_leaves(DebugInfo& info, const Type& type,
                const std::function<bool(const TypedLeaf&)>& visit, size_t most = 1 << 16);

/// The size of a complete type; nothing for void, functions and what is only declared.
std::optional<uint64_t> complete_size(DebugInfo& info, const Type& type);
/// The array without a bound that a record ends in; null for none.
const Member* open_end(DebugInfo& info, const Type& type);
/// A pointer or reference to data or code.
bool is_pointer(const Type& type);
/// What it points to, completed; null for none.
const Type* pointee(DebugInfo& info, const Type& type);

}  // namespace twinrun
