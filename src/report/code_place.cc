// SPDX-License-Identifier: MIT
#include "report/code_place.h"

#include "base/escape.h"
#include "base/text.h"
#include "report/typed.h"

#include <fmt/format.h>

namespace twinrun {

std::string place_text(const SourcePlace& place) {
  const std::string function = escape_for_terminal(place.function);
  if (place.line != 0)
    return fmt::format("{}:{} {}", escape_for_terminal(base_name(place.file)), place.line,
                       function);
  if (place.module.empty()) return function;
  return fmt::format("{} {:#x} ({})", function, place.address.value,
                     escape_for_terminal(base_name(place.module)));
}

Json place_json(const SourcePlace& place) {
  Json out;
  add_address(out, "address", place.address.value);
  out["module"] = place.module;
  out["function"] = place.function;
  if (place.line != 0) {
    out["file"] = place.file;
    out["line"] = place.line;
  }
  return out;
}

}  // namespace twinrun
