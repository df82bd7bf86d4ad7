// SPDX-License-Identifier: MIT
// The index of one unit: scopes and lines by address. Internal to program/.
#pragma once

#include "program/dwarf_context.h"

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace twinrun {

struct Scope {
  enum class Kind : uint8_t { kFunction, kInlined, kBlock };
  Kind kind = Kind::kBlock;
  int32_t parent = -1;  // the scope around it; -1: the unit
  Dwarf_Die die{};
};

struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0;
  uint32_t line = 0;
  uint32_t column = 0;
  bool is_statement = false;
  bool ends_sequence = false;
};

/// Disjoint stretches of addresses, each with a number.
class Stretches {
 public:
  /// Later ones cover earlier ones.
  void paint(AddressRange range, int32_t number);
  void finish();
  /// -1 outside of all.
  [[nodiscard]] int32_t find(uint64_t address) const;

 private:
  std::map<uint64_t, int32_t> edges_;  // while painting: the number from here on
  std::vector<std::pair<uint64_t, int32_t>> sorted_;
};

class DwarfUnit {
 public:
  explicit DwarfUnit(const UnitContext& context) : context_(context) {}

  [[nodiscard]] const UnitContext& context() const { return context_; }
  /// Replaces the skeleton by its full form; `file` is kept.
  void use_split(std::unique_ptr<DwarfFile> file, const UnitContext& context);

  /// One pass over the entries, or the line table; later calls do nothing. Before the first one
  /// there are no scopes, or no rows and files.
  void need_scopes();
  void need_lines();

  [[nodiscard]] const std::vector<Scope>& scopes() const { return scopes_; }
  /// The innermost scope, or the innermost function (inlined ones too); -1 outside.
  [[nodiscard]] int32_t scope_at(uint64_t address) const { return by_scope_.find(address); }
  [[nodiscard]] int32_t subroutine_at(uint64_t address) const {
    return by_subroutine_.find(address);
  }
  /// The line that the address belongs to; null without one.
  [[nodiscard]] const LineRow* row_at(uint64_t address) const;
  [[nodiscard]] const std::vector<LineRow>& rows() const { return rows_; }
  /// Of the line table; empty when there is no such file.
  [[nodiscard]] std::string file(uint64_t index) const;
  [[nodiscard]] size_t file_count() const { return file_count_; }
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  void read_scopes();
  void read_lines();

  UnitContext context_;
  std::unique_ptr<DwarfFile> split_file_;
  bool has_scopes_ = false;
  bool has_lines_ = false;
  bool is_cut_ = false;  // nested too deep to be real
  std::vector<Scope> scopes_;
  Stretches by_scope_;
  Stretches by_subroutine_;
  std::vector<LineRow> rows_;
  Dwarf_Files* files_ = nullptr;
  size_t file_count_ = 0;
  std::string directory_;  // of the compilation
};

}  // namespace twinrun
