// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "program/function_table.h"
#include "program/module_code.h"
#include "program/symbol_entries.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// The names under which BOLT knows the functions of a binary. Global symbols keep theirs; a local
/// one has its number among those of its name behind it, in the order of their addresses: "f/2",
/// and "f/a.c/1" as well. A function that only .eh_frame knows is named by its address.
class BoltNames {
 public:
  static BoltNames make(std::vector<SymbolEntry> symbols, const FunctionTable& functions);
  /// Of the binary's own symbol table, or when it has none, of that in its debug file.
  static Result<BoltNames> open(const ModuleCode& binary);

  /// The address that the name stands for.
  [[nodiscard]] std::optional<uint64_t> address(std::string_view name) const;

  struct Place {
    std::string_view name;
    uint64_t offset = 0;
  };
  /// The function that holds the address.
  [[nodiscard]] std::optional<Place> place(uint64_t address) const;

 private:
  struct Named {
    uint64_t size = 0;  // 0: up to the next one
    std::string name;
  };
  std::map<std::string, uint64_t, std::less<>> addresses_;
  std::map<uint64_t, Named> functions_;
};

}  // namespace twinrun
