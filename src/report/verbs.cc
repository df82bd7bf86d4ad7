// SPDX-License-Identifier: MIT
#include "report/verbs.h"

#include "report/json.h"

namespace twinrun {

std::string verbs_json(const std::vector<Verb>& verbs) {
  Json rows = Json::array();
  for (const Verb& verb : verbs) {
    Json flags = Json::array();
    for (const VerbFlag& flag : verb.flags) {
      flags.push_back({{"names", flag.names},
                       {"value", flag.value.empty() ? Json() : Json(flag.value)},
                       {"description", flag.description}});
    }
    rows.push_back({{"name", verb.name},
                    {"summary", verb.summary},
                    {"operands", verb.operands},
                    {"flags", flags}});
  }
  return render_json("help", 1, {{"verbs", rows}});
}

}  // namespace twinrun
