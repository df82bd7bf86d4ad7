// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace twinrun {

/// A procedure's names, from most to least that they say.
struct ProcedureName {
  std::string symbol;        // as in the symbol table; empty: none
  std::string extended;      // without what a compiler adds for its copies; C++: as mangled
  std::string hierarchical;  // "foo::bar": the classes around it, without parameters

  [[nodiscard]] bool empty() const { return symbol.empty(); }
};

/// "f.constprop.0", "f.isra.0", "f.part.0", "f.llvm.123" and "f.lto_priv.0" are f to the extended
/// and the hierarchical name.
ProcedureName procedure_name(std::string_view symbol);

/// 1 for the same text, 0 for nothing in common: 1 - edit distance / length of the longer one.
double name_likeness(std::string_view a, std::string_view b);

}  // namespace twinrun
