// SPDX-License-Identifier: MIT
#include "report/json.h"

#include "base/escape.h"

#include <fmt/format.h>

namespace twinrun {

std::string json_text(const Json& json, int indent) {
  return escape_json(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

std::string render_json(std::string_view verb, int version, const Json& fields) {
  Json document;
  document["schema"] = fmt::format("twinrun.{}.v{}", verb, version);
  document.update(fields);
  return json_text(document, 2) + "\n";
}

std::string error_json(std::string_view verb, const Error& error) {
  const Json document = {{"schema", "twinrun.error.v1"}, {"verb", verb},
                         {"code", error.code},           {"message", error.message},
                         {"help", error.help},           {"context", error.context}};
  return json_text(document) + "\n";
}

}  // namespace twinrun
