// SPDX-License-Identifier: MIT
#include "report/json.h"

#include <fmt/format.h>

namespace twinrun {

std::string render_json(std::string_view verb, int version, const Json& fields) {
  Json document;
  document["schema"] = fmt::format("twinrun.{}.v{}", verb, version);
  document.update(fields);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace twinrun
