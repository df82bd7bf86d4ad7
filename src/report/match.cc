// SPDX-License-Identifier: MIT
#include "report/match.h"

#include "base/escape.h"
#include "report/json.h"
#include "report/table.h"

#include <algorithm>

namespace twinrun {
namespace {

using Align = TextTable::Align;
constexpr std::array<std::string_view, 3> kSubjects{"functions", "data", "blocks"};

std::string named(uint64_t address, const std::string& name) {
  return name.empty() ? fmt::format("{:#x}", address) : escape_for_terminal(name);
}

std::string percent_of(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string rule_text(const RuleWords& rule) {
  return rule.level.empty() ? std::string(rule.step) : fmt::format("{} {}", rule.step, rule.level);
}

std::string summary_text(const MatchReport& report, const Style& style) {
  std::string out;
  TextTable totals({{""},
                    {"old", Align::kRight},
                    {"new", Align::kRight},
                    {"matched", Align::kRight},
                    {"of old", Align::kRight},
                    {"of new", Align::kRight}});
  for (const size_t s : {0u, 2u, 1u}) {
    const auto old_count = report.binaries[0].counts[s];
    const auto new_count = report.binaries[1].counts[s];
    const auto matched = report.matched[s];
    totals.add_row({std::string(kSubjects[s]), fmt::format("{}", old_count),
                    fmt::format("{}", new_count), fmt::format("{}", matched),
                    percent_of(matched, old_count), percent_of(matched, new_count)});
  }
  out += totals.render();
  for (const Subject subject : {Subject::kProcedures, Subject::kBlocks, Subject::kData}) {
    TextTable table({{std::string(kSubjects[static_cast<size_t>(subject)]) + " by"},
                     {"level"},
                     {"exact", Align::kRight},
                     {"strong", Align::kRight},
                     {"fair", Align::kRight},
                     {"weak", Align::kRight},
                     {"rule"}});
    bool any = false;
    for (const RuleCounts& row : report.rules) {
      const StepInfo& step = step_info(row.step);
      if (step.subject != subject) continue;
      any = true;
      std::vector<std::string> cells{std::string(step.name),
                                     row.level ? std::string(level_info(*row.level).name) : ""};
      for (const Strength strength :
           {Strength::kExact, Strength::kStrong, Strength::kFair, Strength::kWeak}) {
        const uint64_t count = row.by_strength[static_cast<size_t>(strength)];
        cells.push_back(count == 0 ? "" : fmt::format("{}", count));
      }
      cells.push_back(style.dim(step.does));
      table.add_row(std::move(cells));
    }
    if (any) out += "\n" + table.render();
  }
  return out;
}

// Adds rows up to the limit, and says how many are left.
template <typename Rows, typename Add>
std::string limited(TextTable& table, const Rows& rows, size_t limit, const Add& add) {
  size_t shown = 0;
  size_t all = 0;
  for (const auto& row : rows) {
    if (limit == 0 || shown < limit) {
      if (!add(row)) continue;
      ++shown;
    }
    ++all;
  }
  std::string out = table.render();
  if (all > shown) out += fmt::format("and {} more\n", all - shown);
  return out;
}

std::string functions_text(const MatchReport& report, const MatchView& view) {
  TextTable table({{"OLD"},
                   {"NEW"},
                   {"FUNCTION"},
                   {"BLOCKS", Align::kRight},
                   {"MATCHED", Align::kRight},
                   {"STRENGTH"},
                   {"RULE"}});
  return limited(table, report.functions, view.limit, [&](const MatchedFunction& f) {
    if (f.rule.strength < view.min_strength) return false;
    const std::string name = f.old_name == f.new_name || f.new_name.empty()
                                 ? named(f.old_address, f.old_name)
                                 : fmt::format("{} -> {}", named(f.old_address, f.old_name),
                                               named(f.new_address, f.new_name));
    table.add_row({fmt::format("{:#x}", f.old_address), fmt::format("{:#x}", f.new_address), name,
                   f.blocks[0] == f.blocks[1] ? fmt::format("{}", f.blocks[0])
                                              : fmt::format("{} -> {}", f.blocks[0], f.blocks[1]),
                   fmt::format("{}", f.matched_blocks), std::string(strength_name(f.rule.strength)),
                   rule_text(f.rule)});
    return true;
  });
}

std::string blocks_text(const MatchReport& report, const MatchView& view) {
  TextTable table(
      {{"OLD"}, {"NEW"}, {"FUNCTION"}, {"INSTRUCTIONS", Align::kRight}, {"STRENGTH"}, {"RULE"}});
  return limited(table, report.blocks, view.limit, [&](const MatchedBlock& b) {
    if (b.rule.strength < view.min_strength) return false;
    const MatchedFunction& f = report.functions[b.function];
    table.add_row({fmt::format("{:#x}", b.old_address), fmt::format("{:#x}", b.new_address),
                   named(f.old_address, f.old_name),
                   b.instructions[0] == b.instructions[1]
                       ? fmt::format("{}", b.instructions[0])
                       : fmt::format("{} -> {}", b.instructions[0], b.instructions[1]),
                   std::string(strength_name(b.rule.strength)), rule_text(b.rule)});
    return true;
  });
}

std::string data_text(const MatchReport& report, const MatchView& view) {
  TextTable table({{"OLD"}, {"NEW"}, {"BYTES", Align::kRight}, {"STRENGTH"}, {"RULE"}});
  return limited(table, report.data, view.limit, [&](const MatchedData& d) {
    if (d.rule.strength < view.min_strength) return false;
    table.add_row({fmt::format("{:#x}", d.old_address), fmt::format("{:#x}", d.new_address),
                   d.sizes[0] == d.sizes[1] ? fmt::format("{}", d.sizes[0])
                                            : fmt::format("{} -> {}", d.sizes[0], d.sizes[1]),
                   std::string(strength_name(d.rule.strength)), rule_text(d.rule)});
    return true;
  });
}

std::string_view side_word(Side side) { return side == Side::kOld ? "old" : "new"; }

std::string_view subject_word(Subject subject) {
  constexpr std::array<std::string_view, 3> kWords{"function", "data", "block"};
  return kWords[static_cast<size_t>(subject)];
}

std::string unmatched_text(const MatchReport& report, const MatchView& view) {
  TextTable table({{"SIDE"}, {"WHAT"}, {"ADDRESS"}, {"SIZE", Align::kRight}, {"FUNCTION"}});
  return limited(table, report.unmatched, view.limit, [&](const UnmatchedThing& thing) {
    table.add_row({std::string(side_word(thing.side)), std::string(subject_word(thing.subject)),
                   fmt::format("{:#x}", thing.address), fmt::format("{}", thing.size),
                   thing.subject == Subject::kData ? "" : named(thing.address, thing.name)});
    return true;
  });
}

Json rule_json(const RuleWords& rule) {
  Json out{{"rule", rule.step}, {"strength", strength_name(rule.strength)}};
  if (!rule.level.empty()) out["level"] = rule.level;
  return out;
}

Json function_json(const MatchedFunction& f) {
  Json out{{"old", f.old_address}, {"new", f.new_address}};
  if (!f.old_name.empty()) out["old_name"] = f.old_name;
  if (!f.new_name.empty()) out["new_name"] = f.new_name;
  out["blocks"] = {f.blocks[0], f.blocks[1]};
  out["instructions"] = {f.instructions[0], f.instructions[1]};
  out["matched_blocks"] = f.matched_blocks;
  out.update(rule_json(f.rule));
  return out;
}

Json block_json(const MatchedBlock& b) {
  Json out{{"old", b.old_address},
           {"new", b.new_address},
           {"function", b.function},
           {"instructions", {b.instructions[0], b.instructions[1]}}};
  out.update(rule_json(b.rule));
  return out;
}

Json data_json(const MatchedData& d) {
  Json out{{"old", d.old_address}, {"new", d.new_address}, {"bytes", {d.sizes[0], d.sizes[1]}}};
  out.update(rule_json(d.rule));
  return out;
}

}  // namespace

std::string match_text(const MatchReport& report, const MatchView& view, const Style& style) {
  if (!view.has_lists()) return summary_text(report, style);
  std::vector<std::string> parts;
  if (view.functions) parts.push_back(functions_text(report, view));
  if (view.blocks) parts.push_back(blocks_text(report, view));
  if (view.data) parts.push_back(data_text(report, view));
  if (view.unmatched) parts.push_back(unmatched_text(report, view));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string match_json(const MatchReport& report, const MatchView& view) {
  Json fields;
  for (const size_t side : {0u, 1u}) {
    const MatchReport::Binary& binary = report.binaries[side];
    fields[side == 0 ? "old" : "new"] = {
        {"path", binary.path},           {"build_id", binary.build_id},
        {"functions", binary.counts[0]}, {"blocks", binary.counts[2]},
        {"data", binary.counts[1]},      {"instructions", binary.instructions}};
  }
  fields["matched"] = {
      {"functions", report.matched[0]}, {"blocks", report.matched[2]}, {"data", report.matched[1]}};
  Json rules = Json::array();
  for (const RuleCounts& row : report.rules) {
    const StepInfo& step = step_info(row.step);
    Json rule{{"of", kSubjects[static_cast<size_t>(step.subject)]}, {"rule", step.name}};
    if (row.level) rule["level"] = level_info(*row.level).name;
    for (const Strength strength :
         {Strength::kExact, Strength::kStrong, Strength::kFair, Strength::kWeak})
      rule[strength_name(strength)] = row.by_strength[static_cast<size_t>(strength)];
    rules.push_back(std::move(rule));
  }
  fields["rules"] = std::move(rules);
  const auto list = [&](std::string_view name, const auto& rows, const auto& render) {
    Json out = Json::array();
    for (const auto& row : rows) {
      if (view.limit != 0 && out.size() == view.limit) break;
      if (row.rule.strength >= view.min_strength) out.push_back(render(row));
    }
    fields[name] = std::move(out);
  };
  if (view.functions || view.blocks) list("function_pairs", report.functions, function_json);
  if (view.blocks) list("block_pairs", report.blocks, block_json);
  if (view.data) list("data_pairs", report.data, data_json);
  if (view.unmatched) {
    Json out = Json::array();
    for (const UnmatchedThing& thing : report.unmatched) {
      if (view.limit != 0 && out.size() == view.limit) break;
      Json row{{"side", side_word(thing.side)},
               {"what", subject_word(thing.subject)},
               {"address", thing.address},
               {"size", thing.size}};
      if (!thing.name.empty()) row["function"] = thing.name;
      out.push_back(std::move(row));
    }
    fields["unmatched"] = std::move(out);
  }
  return render_json("match", 1, fields);
}

std::string match_reason_text(const MatchReason& reason, const MatchReport& report,
                              const Style& style) {
  const std::string& path = report.binaries[static_cast<size_t>(reason.side)].path;
  const auto pair = [](const auto& row) {
    return fmt::format("{:#x} -> {:#x}", row.old_address, row.new_address);
  };
  const auto why = [&](const RuleWords& rule) {
    const auto* step = std::ranges::find(match_steps(), rule.step, &StepInfo::name).base();
    std::string out = fmt::format("{} by {}", strength_name(rule.strength), rule_text(rule));
    return fmt::format("{} {}", out, style.dim(fmt::format("({})", step->does)));
  };
  std::string out = fmt::format("{:#x} in {}\n", reason.address, escape_for_terminal(path));
  if (reason.data) {
    out += fmt::format("data      {}  {}\n", pair(*reason.data), why(reason.data->rule));
    return out;
  }
  if (reason.code.empty()) return out + "data      unmatched\n";
  if (reason.function)
    out += fmt::format("function  {}  {}  {}\n", pair(*reason.function),
                       named(reason.function->old_address, reason.function->old_name),
                       why(reason.function->rule));
  else
    out += fmt::format("function  unmatched  {}\n", escape_for_terminal(reason.name));
  if (reason.block) {
    out += fmt::format("block     {}  {}\n", pair(*reason.block), why(reason.block->rule));
    out += reason.equal_levels.empty() ? "          not the same on any level\n"
                                       : fmt::format("          the same on levels {}\n",
                                                     fmt::join(reason.equal_levels, ", "));
  } else {
    out += "block     unmatched\n";
  }
  TextTable table({{"  "}, {"old"}, {"new"}});
  for (const MatchReason::Line& line : reason.code)
    table.add_row({line.is_same            ? "  "
                   : line.old_text.empty() ? "+ "
                                           : "- ",
                   line.old_text, line.new_text});
  return out + "\n" + table.render();
}

std::string match_reason_json(const MatchReason& reason) {
  Json fields{{"side", side_word(reason.side)}, {"address", reason.address}};
  if (!reason.name.empty()) fields["function_name"] = reason.name;
  if (reason.function) fields["function"] = function_json(*reason.function);
  if (reason.block) fields["block"] = block_json(*reason.block);
  if (reason.data) fields["data"] = data_json(*reason.data);
  fields["equal_levels"] = reason.equal_levels;
  Json code = Json::array();
  for (const MatchReason::Line& line : reason.code)
    code.push_back({{"old", line.old_text}, {"new", line.new_text}, {"same", line.is_same}});
  fields["code"] = std::move(code);
  return render_json("match", 1, fields);
}

}  // namespace twinrun
