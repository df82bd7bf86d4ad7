// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

/// A row of a binary's symbol table that names a place in it.
struct SymbolEntry {
  std::string name;
  std::string file;  // of the source, for local ones; empty when the table does not tell
  uint64_t address = 0;
  uint64_t size = 0;
  bool is_local = false;
  bool is_function = false;
};

/// The full symbol table, or the dynamic one when there is no other, in the order of the file:
/// tools that number symbols of one name go by it. ElfSymbols is for all who ask for functions.
Result<std::vector<SymbolEntry>> read_symbol_entries(ByteSpan elf);
Result<std::vector<SymbolEntry>> read_symbol_entries(const std::string& path);

}  // namespace twinrun
