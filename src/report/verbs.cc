// SPDX-License-Identifier: MIT
#include "report/verbs.h"

#include "report/json.h"

namespace twinrun {

namespace {

Json verb_rows(const std::vector<Verb>& verbs) {
  Json rows = Json::array();
  for (const Verb& verb : verbs) {
    Json flags = Json::array();
    for (const VerbFlag& flag : verb.flags) {
      flags.push_back({{"names", flag.names},
                       {"value", flag.value.empty() ? Json() : Json(flag.value)},
                       {"description", flag.description},
                       {"words", flag.words},
                       {"repeats", flag.repeats}});
    }
    Json row{{"name", verb.name},
             {"summary", verb.summary},
             {"operands", verb.operands},
             {"flags", flags}};
    if (!verb.parts.empty()) row["parts"] = verb_rows(verb.parts);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string verbs_json(const std::vector<Verb>& verbs) {
  return render_json("help", 1, {{"verbs", verb_rows(verbs)}});
}

}  // namespace twinrun
