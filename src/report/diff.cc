// SPDX-License-Identifier: MIT
#include "report/diff.h"

#include "base/escape.h"
#include "base/text.h"
#include "report/json.h"
#include "report/more_rows.h"
#include "report/table.h"
#include "report/typed.h"

#include <fmt/format.h>

namespace twinrun {
namespace {

std::string pair_text(uint64_t a, uint64_t b) {
  return a == b ? fmt::format("{}", a) : fmt::format("{} -> {}", a, b);
}

std::string function_text(const FunctionDifference& row) {
  const std::string module(base_name(row.module));
  if (row.function.empty())
    return module.empty()
               ? "code without a file"
               : fmt::format("{:#x} ({})", row.address.value, escape_for_terminal(module));
  if (!row.is_library) return escape_for_terminal(row.function);
  return fmt::format("{} ({})", escape_for_terminal(row.function), escape_for_terminal(module));
}

std::string value_text(const FunctionDifference& row) {
  if (!row.first) return "";
  const ValueDifference& first = *row.first;
  std::string out;
  if (first.line != 0)
    out = fmt::format("{}:{} ", escape_for_terminal(base_name(first.file)), first.line);
  return out + fmt::format("{} {} -> {}", escape_for_terminal(first.name),
                           escape_for_terminal(first.value_a), escape_for_terminal(first.value_b));
}

}  // namespace

std::string diff_text(const DiffStat& stat, const DiffView& view) {
  TextTable table({{"FUNCTION"},
                   {"CALLS", TextTable::Align::kRight},
                   {"INSTRUCTIONS", TextTable::Align::kRight},
                   {"DIVERGES", TextTable::Align::kRight},
                   {"ONLY A", TextTable::Align::kRight},
                   {"ONLY B", TextTable::Align::kRight},
                   {"VALUES", TextTable::Align::kRight},
                   {"FIRST DIFFERENT VALUE"}});
  size_t shown = 0;
  size_t hidden = 0;
  size_t libraries = 0;
  for (const FunctionDifference& row : stat.functions) {
    if (view.only_program && row.is_library) {
      ++libraries;
      continue;
    }
    if (shown == view.limit) {
      ++hidden;
      continue;
    }
    ++shown;
    table.add_row({function_text(row), pair_text(row.calls_a, row.calls_b),
                   pair_text(row.instructions_a, row.instructions_b),
                   std::to_string(row.divergences), std::to_string(row.only_a),
                   std::to_string(row.only_b),
                   stat.has_values ? fmt::format("{} of {}", row.different, row.accesses) : "-",
                   value_text(row)});
  }
  std::string out = stat.functions.empty() ? "" : table.render();
  if (hidden != 0) out += "and " + more_rows(hidden, "function") + ": --limit\n";
  if (libraries != 0) out += fmt::format("{} functions of libraries differ\n", libraries);
  out += fmt::format("{} functions differ, {} do not\n", stat.functions.size(), stat.same);
  return out;
}

std::string diff_json(const DiffStat& stat, const DiffView& view) {
  Json rows = Json::array();
  for (const FunctionDifference& row : stat.functions) {
    if (rows.size() == view.limit) break;
    if (view.only_program && row.is_library) continue;
    Json item{{"module", row.module}, {"function", row.function}};
    add_address(item, "address", row.address.value);
    item.update({{"library", row.is_library},
                 {"calls", Json::array({row.calls_a, row.calls_b})},
                 {"instructions", Json::array({row.instructions_a, row.instructions_b})},
                 {"divergences", row.divergences},
                 {"only_a", row.only_a},
                 {"only_b", row.only_b}});
    if (stat.has_values) {
      item["accesses"] = row.accesses;
      item["different"] = row.different;
    }
    if (row.first) {
      Json first{{"a", format_position(row.first->a, PositionForm::kFull)},
                 {"b", format_position(row.first->b, PositionForm::kFull)},
                 {"moment_a", moment_json(row.first->a)},
                 {"moment_b", moment_json(row.first->b)},
                 {"name", row.first->name}};
      add_value(first, "value_a", row.first->value_a);
      add_value(first, "value_b", row.first->value_b);
      if (row.first->line != 0) {
        first["file"] = row.first->file;
        first["line"] = row.first->line;
      }
      item["first"] = std::move(first);
    }
    rows.push_back(std::move(item));
  }
  return render_json("diff", 1,
                     {{"a", stat.alignment.a.path},
                      {"b", stat.alignment.b.path},
                      {"aligned", stat.alignment.aligned},
                      {"only_a", stat.alignment.only_a},
                      {"only_b", stat.alignment.only_b},
                      {"values", stat.has_values},
                      {"same", stat.same},
                      {"different", stat.functions.size()},
                      {"functions", std::move(rows)}});
}

}  // namespace twinrun
