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

std::string error_json(std::string_view verb, const Error& error) {
  const Json document = {{"schema", "twinrun.error.v1"}, {"verb", verb},
                         {"code", error.code},           {"message", error.message},
                         {"help", error.help},           {"context", error.context}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace twinrun
