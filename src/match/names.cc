// SPDX-License-Identifier: MIT
#include "match/names.h"

#include "base/suggest.h"
#include "program/source_name.h"

#include <algorithm>
#include <array>

namespace twinrun {
namespace {

// What compilers append to the names of copies and parts of a function.
std::string_view without_suffixes(std::string_view symbol) {
  constexpr std::array<std::string_view, 7> kSuffixes{
      ".constprop.", ".isra.", ".part.", ".lto_priv.", ".llvm.", ".cold", ".localalias"};
  size_t end = symbol.size();
  for (const std::string_view suffix : kSuffixes)
    if (const size_t at = symbol.find(suffix); at != std::string_view::npos && at > 0)
      end = std::min(end, at);
  return symbol.substr(0, end);
}

}  // namespace

ProcedureName procedure_name(std::string_view symbol) {
  ProcedureName out{.symbol = std::string(symbol),
                    .extended = std::string(without_suffixes(symbol))};
  out.hierarchical = source_name(out.extended);
  return out;
}

double name_likeness(std::string_view a, std::string_view b) {
  const size_t longer = std::max(a.size(), b.size());
  if (longer == 0) return 0;
  return 1 - static_cast<double>(edit_distance(a, b)) / static_cast<double>(longer);
}

}  // namespace twinrun
