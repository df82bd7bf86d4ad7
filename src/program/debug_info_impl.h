// SPDX-License-Identifier: MIT
// What DebugInfo consists of; debug_info.cc and variables.cc implement it. Internal to program/.
#pragma once

#include "program/debug_info.h"
#include "program/dwarf_expression.h"
#include "program/dwarf_files.h"
#include "program/dwarf_unit.h"
#include "program/type_pool.h"

#include <elfutils/libdw.h>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace twinrun {

/// libdw allocates frames with malloc.
struct FreeFrame {
  void operator()(Dwarf_Frame* frame) const { std::free(frame); }  // NOLINT
};

struct DebugInfo::Impl {
  struct Unit {
    std::unique_ptr<DwarfUnit> index;
    bool is_skeleton = false;
    bool was_linked = false;
    bool has_globals = false;
    std::vector<Variable> globals;
  };
  struct VariableEntry {
    Dwarf_Die die{};
    int32_t unit = -1;
  };
  struct Definition {
    Dwarf_Die die{};
    uint64_t size = 0;
    bool is_unique = true;  // all definitions of the name have that size
  };

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  void start();
  DwarfUnit& unit(int32_t number);
  void link(Unit& unit);
  /// -1 when no unit has the address.
  int32_t unit_at(uint64_t address);
  /// Call frame information at the address; null without.
  std::unique_ptr<Dwarf_Frame, FreeFrame> frame_at(uint64_t pc);
  std::optional<uint64_t> call_frame_address(uint64_t pc, const ValueSource& source);
  /// The concrete function at the address, as a scope of the unit; -1 without one.
  static int32_t function_at(DwarfUnit& unit, uint64_t pc);
  /// What an expression of the unit can refer to at the address. `depth` counts the callers that
  /// were entered for entry values.
  ExpressionContext context_at(int32_t unit, uint64_t pc, const ValueSource& source, int depth);
  /// A register at the entry of the function at `pc`, by what its caller says about the call.
  std::optional<uint64_t> entry_reg(int32_t unit, uint64_t pc, const ValueSource& source,
                                    unsigned reg, int depth);

  Variable variable(Dwarf_Die& die, int32_t unit, Variable::Kind kind);
  const std::vector<Variable>& globals_of(int32_t unit);
  void need_program_index();

  DwarfFiles files;
  std::vector<Unit> units;
  Stretches by_address;
  std::vector<int32_t> without_ranges;
  bool has_read_rangeless = false;
  Dwarf_CFI* exception_frames = nullptr;
  Dwarf_CFI* debug_frames = nullptr;
  bool has_frames = false;
  std::map<std::pair<int32_t, int32_t>, bool> reentered;  // unit and function: by tail calls

  TypePool types;
  std::vector<VariableEntry> variables;  // by Variable::id
  boost::unordered_flat_map<const void*, uint32_t> variable_ids;

  bool has_program_index = false;
  std::multimap<std::string, Variable, std::less<>> globals;
  std::map<std::pair<TypeKind, std::string>, Definition> definitions;
};

}  // namespace twinrun
