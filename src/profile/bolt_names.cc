// SPDX-License-Identifier: MIT
#include "profile/bolt_names.h"

#include "program/debug_files.h"

#include <fmt/format.h>

#include <algorithm>

namespace twinrun {

BoltNames BoltNames::make(std::vector<SymbolEntry> symbols, const FunctionTable& functions) {
  BoltNames out;
  std::ranges::stable_sort(symbols, [](const SymbolEntry& a, const SymbolEntry& b) {
    if (a.address != b.address) return a.address < b.address;
    return a.is_function && !b.is_function;
  });
  std::map<std::string, uint32_t> numbers;
  for (const SymbolEntry& symbol : symbols) {
    std::string name = symbol.name;
    if (symbol.is_local) {
      if (symbol.is_function && !symbol.file.empty()) {
        const std::string longer = fmt::format("{}/{}", symbol.name, symbol.file);
        out.addresses_.try_emplace(fmt::format("{}/{}", longer, ++numbers[longer]), symbol.address);
      }
      name = fmt::format("{}/{}", symbol.name, ++numbers[symbol.name]);
    }
    out.addresses_.try_emplace(name, symbol.address);
    if (!symbol.is_function) continue;
    const auto [at, is_new] = out.functions_.try_emplace(symbol.address, Named{symbol.size, name});
    if (!is_new && at->second.size == 0) at->second = {symbol.size, name};
  }
  for (auto& [address, named] : out.functions_)
    if (const auto known = functions.at(address); known && named.size == 0)
      named.size = functions[*known].size;
  for (const CodeFunction& function : functions.all()) {
    if (function.is_stub || out.place(function.address)) continue;
    const std::string name = function.source == FunctionSource::kSymbol
                                 ? function.name
                                 : fmt::format("__BOLT_FDE_FUNCat{:x}", function.address);
    if (!out.addresses_.try_emplace(name, function.address).second) continue;
    out.functions_.try_emplace(function.address, Named{function.size, name});
  }
  return out;
}

Result<BoltNames> BoltNames::open(const ModuleCode& binary) {
  std::string path = binary.path();
  TRY(const ElfSymbols own, ElfSymbols::from_file(path));
  if (!own.has_symtab())
    if (std::string debug =
            find_debug_file({path, own.build_id(), own.debug_link()}, system_debug_directories());
        !debug.empty())
      if (const auto symbols = ElfSymbols::from_file(debug);
          symbols && symbols->build_id() == own.build_id() && symbols->has_symtab())
        path = std::move(debug);
  TRY(std::vector<SymbolEntry> symbols, read_symbol_entries(path));
  return make(std::move(symbols), binary.flow().functions());
}

std::optional<uint64_t> BoltNames::address(std::string_view name) const {
  const auto found = addresses_.find(name);
  if (found == addresses_.end()) return std::nullopt;
  return found->second;
}

std::optional<BoltNames::Place> BoltNames::place(uint64_t address) const {
  auto at = functions_.upper_bound(address);
  if (at == functions_.begin()) return std::nullopt;
  --at;
  const uint64_t offset = address - at->first;
  if (at->second.size != 0 && offset >= at->second.size) return std::nullopt;
  return Place{at->second.name, offset};
}

}  // namespace twinrun
