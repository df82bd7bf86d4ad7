// SPDX-License-Identifier: MIT
#include "report/mem.h"

#include "base/escape.h"
#include "report/code_place.h"
#include "report/more_rows.h"
#include "report/table.h"
#include "report/typed.h"

#include <fmt/format.h>

namespace twinrun {
namespace {

std::string_view kind_name(MemoryDifference::Kind kind) {
  switch (kind) {
    case MemoryDifference::Kind::kValue: return "value";
    case MemoryDifference::Kind::kPointer: return "pointer";
    case MemoryDifference::Kind::kSize: return "size";
    case MemoryDifference::Kind::kOnlyA: return "only A";
    case MemoryDifference::Kind::kOnlyB: return "only B";
  }
  return "";
}

bool is_whole(const MemoryDifference& row) {
  return row.kind == MemoryDifference::Kind::kOnlyA || row.kind == MemoryDifference::Kind::kOnlyB;
}

/// "(prog, 0x4010)", "(heap [main, F], *)".
std::string index_text(const MemoryDifference& row) {
  if (is_whole(row)) return fmt::format("({}, *)", row.region);
  if (row.in_register) return fmt::format("({}, register)", row.region);
  return row.index.offset < 0 ? fmt::format("({}, -{:#x})", row.region, -row.index.offset)
                              : fmt::format("({}, {:#x})", row.region, row.index.offset);
}

/// The last steps of a path tell enough: "heap [.., F@prog.c:39, new_node@prog.c:29]".
std::string shorten(std::string text) {
  constexpr size_t kSteps = 3;
  const auto cut = [&](size_t first, std::string_view separator) {
    size_t at = text.size();
    for (size_t i = 0; i < kSteps; ++i) {
      const size_t before = text.rfind(separator, at - 1);
      if (before == std::string::npos || before < first) return;
      at = before;
    }
    text.replace(first, at - first, "..");
  };
  if (const size_t list = text.find('['); list != std::string::npos && text.starts_with("heap"))
    cut(list + 1, ", ");
  else if (text.starts_with("stack ") || text.starts_with("(stack "))
    cut(text.find(' ') + 1, " > ");
  else if (text.starts_with("(heap ["))
    cut(7, ", ");
  return text;
}

bool is_hidden(const MemoryDifference& row, const MemReport& report, const MemView& view) {
  if (!view.only_program) return false;
  using Kind = RegionLabel::Kind;
  return row.where == Kind::kThread || row.where == Kind::kArguments ||
         row.where == Kind::kString || (row.where == Kind::kModule && row.region != report.program);
}

}  // namespace

std::string mem_text(const MemReport& report, const MemView& view, PositionForm form) {
  std::string out;
  for (const MemReport::Moment& moment : report.moments) {
    if (!out.empty()) out += "\n";
    out += fmt::format("in front of {}  at A {}  B {}\n", place_text(moment.where),
                       format_position(moment.a, form), format_position(moment.b, form));
    TextTable table({{"DIFFERENT"}, {"NAME"}, {"TYPE"}, {"A"}, {"B"}, {"MEMORY INDEX"}});
    size_t shown = 0;
    uint64_t more = moment.memory.counts.cut;
    uint64_t hidden = 0;
    for (const MemoryDifference& row : moment.memory.rows) {
      if (is_hidden(row, report, view)) {
        ++hidden;
        continue;
      }
      if (shown == view.limit) {
        ++more;
        continue;
      }
      ++shown;
      table.add_row({std::string(kind_name(row.kind)), escape_for_terminal(row.name),
                     escape_for_terminal(row.type), escape_for_terminal(shorten(row.value_a)),
                     escape_for_terminal(shorten(row.value_b)),
                     escape_for_terminal(shorten(index_text(row)))});
    }
    if (shown != 0) out += table.render();
    if (more != 0) out += "and " + more_rows(more, "difference") + ": --limit\n";
    if (hidden != 0) out += fmt::format("{} differences in libraries\n", hidden);
    const MemoryComparison::Counts& counts = moment.memory.counts;
    if (moment.memory.rows.empty() && counts.cut == 0) out += "no differences\n";
    out += fmt::format(
        "{} regions in both, {} only in A, {} only in B; {} bytes the same, {} not, {} not known\n",
        counts.regions, counts.only_a, counts.only_b, counts.same, counts.different,
        counts.unknown);
    if (!moment.symbolic) continue;
    TextTable paths({{"BY PATH"}, {"TYPE"}, {"A"}, {"B"}});
    size_t rows = 0;
    for (const SymbolicDifference& row : moment.symbolic->rows) {
      if (rows++ == view.limit) break;
      paths.add_row({escape_for_terminal(row.path), escape_for_terminal(row.type),
                     escape_for_terminal(row.value_a), escape_for_terminal(row.value_b)});
    }
    out += fmt::format("{} differences by reference paths\n", moment.symbolic->rows.size());
    if (rows != 0) out += paths.render();
  }
  if (report.moments.empty()) out += "the runs do not diverge\n";
  if (report.more_moments != 0)
    out += more_rows(report.more_moments, "divergence") + ": --divergences\n";
  return out;
}

std::string mem_json(const MemReport& report, const MemView& view) {
  Json moments = Json::array();
  for (const MemReport::Moment& moment : report.moments) {
    Json rows = Json::array();
    for (const MemoryDifference& row : moment.memory.rows) {
      if (rows.size() == view.limit) break;
      if (is_hidden(row, report, view)) continue;
      Json item{{"kind", kind_name(row.kind)},
                {"region", row.region},
                {"offset", is_whole(row) ? Json("*") : Json(row.index.offset)},
                {"size", row.size}};
      if (row.in_register) item["register"] = true;
      if (!row.name.empty()) item["name"] = row.name;
      if (!row.type.empty()) item["type"] = row.type;
      add_value(item, "a", row.value_a);
      add_value(item, "b", row.value_b);
      rows.push_back(std::move(item));
    }
    const MemoryComparison::Counts& counts = moment.memory.counts;
    Json item{{"a", format_position(moment.a, PositionForm::kFull)},
              {"b", format_position(moment.b, PositionForm::kFull)},
              {"moment_a", moment_json(moment.a)},
              {"moment_b", moment_json(moment.b)},
              {"where", place_json(moment.where)},
              {"count", moment.memory.rows.size() + counts.cut},
              {"differences", std::move(rows)},
              {"counts",
               {{"regions", counts.regions},
                {"only_a", counts.only_a},
                {"only_b", counts.only_b},
                {"same", counts.same},
                {"different", counts.different},
                {"unwritten", counts.unwritten},
                {"unknown", counts.unknown},
                {"allocator", counts.allocator},
                {"unpaired", counts.unpaired},
                {"pointers", counts.pointers},
                {"online", counts.online},
                {"dangling", counts.dangling},
                {"ambiguous", counts.ambiguous}}}};
    if (moment.symbolic) {
      Json paths = Json::array();
      for (const SymbolicDifference& row : moment.symbolic->rows) {
        if (paths.size() == view.limit) break;
        Json path{{"path", row.path}, {"type", row.type}};
        add_value(path, "a", row.value_a);
        add_value(path, "b", row.value_b);
        paths.push_back(std::move(path));
      }
      item["symbolic"] = {{"count", moment.symbolic->rows.size()},
                          {"differences", std::move(paths)}};
    }
    moments.push_back(std::move(item));
  }
  return render_json("mem", 1,
                     {{"moments", std::move(moments)}, {"more_divergences", report.more_moments}});
}

}  // namespace twinrun
