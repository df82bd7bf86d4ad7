// SPDX-License-Identifier: MIT
#include "report/index.h"

#include "report/code_place.h"
#include "report/table.h"
#include "report/typed.h"

#include <fmt/format.h>

namespace twinrun {

std::string index_text(const IndexReport& report, PositionForm form) {
  std::string out =
      fmt::format("{}  {}\n", format_position(report.at, form), place_text(report.instruction));
  TextTable table({{"UNDER WAY"}, {"AT"}, {"LEADS TO"}, {"COUNT", TextTable::Align::kRight}});
  for (const IndexReport::Row& row : report.rows) {
    table.add_row({std::string(row.kind),
                   row.site.function.empty() ? (row.number != 0 ? std::to_string(row.number) : "")
                                             : place_text(row.site),
                   row.outcome.function.empty() ? "" : place_text(row.outcome),
                   row.count == 1 ? "" : std::to_string(row.count)});
  }
  return out + table.render() + report.text + "\n";
}

std::string index_json(const IndexReport& report) {
  Json rows = Json::array();
  for (const IndexReport::Row& row : report.rows) {
    Json item{{"kind", row.kind}};
    if (!row.site.function.empty()) item["at"] = place_json(row.site);
    if (row.number != 0) item["number"] = row.number;
    if (!row.outcome.function.empty()) item["to"] = place_json(row.outcome);
    item["count"] = row.count;
    rows.push_back(std::move(item));
  }
  return render_json("index", 1,
                     {{"position", format_position(report.at, PositionForm::kFull)},
                      {"moment", moment_json(report.at)},
                      {"instruction", place_json(report.instruction)},
                      {"path", std::move(rows)},
                      {"index", report.text}});
}

}  // namespace twinrun
