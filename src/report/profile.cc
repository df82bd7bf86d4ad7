// SPDX-License-Identifier: MIT
#include "report/profile.h"

#include "base/escape.h"
#include "base/text.h"
#include "report/json.h"
#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace twinrun {
namespace {

std::string_view source_name(CountSource source) {
  switch (source) {
    case CountSource::kUnknown: return "unknown";
    case CountSource::kInferred: return "inferred";
    case CountSource::kMatched: return "matched";
    case CountSource::kMeasured: break;
  }
  return "measured";
}

Json count_json(const Count& count) {
  if (!count.is_known()) return {{"count", nullptr}, {"source", source_name(count.source)}};
  return {{"count", count.value},
          {"source", source_name(count.source)},
          {"strength", strength_name(count.strength)}};
}

Json joined(Json fields, const Count& count) {
  fields.update(count_json(count));
  return fields;
}

std::string share(double value) { return fmt::format("{:.4f}", value); }

constexpr std::array kStrengths{Strength::kExact, Strength::kStrong, Strength::kFair,
                                Strength::kWeak};

std::string carried_text(const CarriedCounts& carried) {
  const auto part = [&](uint64_t weight) {
    const auto whole = static_cast<double>(std::max<uint64_t>(carried.old_weight, 1));
    return fmt::format("{:.1f}%", 100 * static_cast<double>(weight) / whole);
  };
  std::vector<std::string> parts;
  parts.reserve(std::size(kStrengths));
  for (const Strength strength : kStrengths)
    parts.push_back(fmt::format("{} {}", strength_name(strength),
                                part(carried.by_strength[static_cast<size_t>(strength)])));
  return fmt::format(
      "carried over: {} of {} executed functions, {} of the executed instructions ({}); {} new "
      "functions have no counts\n",
      carried.matched_functions, carried.old_functions, part(carried.matched_weight),
      fmt::join(parts, ", "), carried.new_functions);
}

Json carried_json(const CarriedCounts& carried) {
  Json out{{"old_functions", carried.old_functions},
           {"matched_functions", carried.matched_functions},
           {"old_instructions", carried.old_weight},
           {"matched_instructions", carried.matched_weight}};
  for (const Strength strength : kStrengths)
    out[strength_name(strength)] = carried.by_strength[static_cast<size_t>(strength)];
  out["unknown_functions"] = carried.new_functions;
  return out;
}

}  // namespace

ProfileSummary summarize(const ModuleCode& binary, const CodeCounts& counts) {
  ProfileSummary out;
  out.binary = binary.path();
  out.is_exact = counts.is_exact;
  for (const FunctionCounts& function : counts.functions) {
    uint64_t executed = 0;
    for (const Count& block : function.blocks) {
      if (block.value > 0) ++executed;
      out.block_executions += block.value;
    }
    if (executed == 0) continue;
    ++out.functions;
    out.blocks += function.blocks.size();
    out.executed_blocks += executed;
  }
  for (const CallCount& call : counts.calls) out.calls += call.count;
  return out;
}

std::string profile_text(const ProfileSummary& summary, const Style& style) {
  std::string out;
  for (const ProfileSummary::Input& input : summary.inputs) {
    out += fmt::format("{}: {}, {} counts", style.bold(escape_for_terminal(input.path)),
                       input.format, format_count(input.fit.weight));
    if (input.fit.misfit > 0)
      out += fmt::format(", of which {} ({:.2f}%) do not fit the binary",
                         format_count(input.fit.misfit), 100 * input.fit.misfit_share());
    if (input.fit.unplaced > 0)
      out += fmt::format(", {} to where no edge is known", format_count(input.fit.unplaced));
    if (input.fit.disagreeing_blocks > 0)
      out += fmt::format(", {} blocks left before their end", input.fit.disagreeing_blocks);
    out += "\n";
  }
  if (summary.carried) out += carried_text(*summary.carried);
  out += fmt::format("{}: {} functions, {} of their {} blocks executed {}{} times, {} calls\n",
                     escape_for_terminal(summary.binary), summary.functions,
                     summary.executed_blocks, summary.blocks, summary.is_exact ? "" : "about ",
                     format_count(summary.block_executions), format_count(summary.calls));
  if (!summary.output.empty())
    out += fmt::format("written to {} as {}\n", escape_for_terminal(summary.output),
                       summary.output_format);
  return out;
}

std::string profile_json(const ProfileSummary& summary) {
  Json inputs = Json::array();
  for (const ProfileSummary::Input& input : summary.inputs)
    inputs.push_back({{"path", input.path},
                      {"format", input.format},
                      {"weight", input.fit.weight},
                      {"misfit", input.fit.misfit},
                      {"unplaced", input.fit.unplaced},
                      {"disagreeing_blocks", input.fit.disagreeing_blocks}});
  Json fields{{"inputs", inputs},
              {"binary", summary.binary},
              {"output", summary.output},
              {"output_format", summary.output_format},
              {"exact", summary.is_exact},
              {"functions", summary.functions},
              {"blocks", summary.blocks},
              {"executed_blocks", summary.executed_blocks},
              {"block_executions", summary.block_executions},
              {"calls", summary.calls}};
  if (summary.carried) fields["carried"] = carried_json(*summary.carried);
  return render_json("profile", 1, fields);
}

std::string profile_score_text(const ProfileScore& score) {
  TextTable table({{"MEASURE"}, {"", TextTable::Align::kRight}, {""}});
  table.add_row({"blocks", share(score.block_overlap), "agreement of block counts"});
  table.add_row({"edges", share(score.edge_overlap), "agreement of edge counts"});
  table.add_row({"functions", share(score.function_overlap),
                 "agreement of block counts inside of functions"});
  table.add_row({"branches", share(score.branch_ratio()),
                 fmt::format("of the branches that a fresh profile predicts; {} of {} executions "
                             "with information",
                             format_count(score.with_information), format_count(score.branches))});
  table.add_row({"coverage", share(score.coverage()),
                 fmt::format("{} of {} blocks in {} functions are executed in one profile only",
                             score.only_fresh + score.only_other, score.blocks, score.functions)});
  return table.render();
}

std::string profile_score_json(const ProfileScore& score) {
  return render_json("profile-score", 1,
                     {{"block_overlap", score.block_overlap},
                      {"edge_overlap", score.edge_overlap},
                      {"function_overlap", score.function_overlap},
                      {"branch_ratio", score.branch_ratio()},
                      {"branches", score.branches},
                      {"branch_best_hits", score.best_hits},
                      {"branch_hits", score.hits},
                      {"branches_with_information", score.with_information},
                      {"coverage", score.coverage()},
                      {"functions", score.functions},
                      {"blocks", score.blocks},
                      {"executed_in_both", score.both},
                      {"executed_only_fresh", score.only_fresh},
                      {"executed_only_other", score.only_other}});
}

std::string profile_counts_json(const ModuleCode& binary, const CodeCounts& counts) {
  Json functions = Json::array();
  for (const FunctionCounts& function : counts.functions) {
    const Cfg& cfg = binary.flow().cfg(function.function);
    const CodeFunction& named = binary.flow().functions()[function.function];
    Json blocks = Json::array();
    for (size_t b = 0; b < cfg.blocks.size(); ++b)
      blocks.push_back(joined({{"start", cfg.blocks[b].start},
                               {"end", cfg.blocks[b].end},
                               {"instructions", cfg.blocks[b].instructions}},
                              function.blocks[b]));
    Json edges = Json::array();
    for (size_t e = 0; e < cfg.edges.size(); ++e)
      edges.push_back(joined({{"from", cfg.edges[e].from},
                              {"to", cfg.edges[e].to},
                              {"kind", edge_kind_name(cfg.edges[e].kind)}},
                             function.edges[e]));
    functions.push_back({{"name", named.label()},
                         {"address", named.address},
                         {"entries", count_json(function.entries)},
                         {"blocks", blocks},
                         {"edges", edges}});
  }
  Json calls = Json::array();
  for (const CallCount& call : counts.calls)
    calls.push_back({{"site", call.site}, {"callee", call.callee}, {"count", call.count}});
  return render_json("profile-counts", 1,
                     {{"binary", binary.path()},
                      {"build_id", hex_text(binary.build_id())},
                      {"exact", counts.is_exact},
                      {"functions", functions},
                      {"calls", calls}});
}

}  // namespace twinrun
