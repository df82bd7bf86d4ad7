// SPDX-License-Identifier: MIT
#include "report/paths.h"

#include "base/escape.h"
#include "base/text.h"
#include "report/json.h"
#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace twinrun {
namespace {

constexpr int kPathsVersion = 1;
using Align = TextTable::Align;

std::string plural(uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string listed(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += escape_for_terminal(word);
  }
  return out;
}

/// A row has to fit on a line; JSON has all of it.
std::string shortened(const std::string& text) {
  constexpr size_t kMost = 60;
  if (text.size() <= kMost) return text;
  const size_t cut = text.rfind(' ', kMost);
  return text.substr(0, cut == std::string::npos ? kMost : cut) + " ...";
}

std::string key_text(const PathFunctionKey& key) {
  const std::string name = escape_for_terminal(key.function);
  return key.module.empty() ? name : escape_for_terminal(key.module) + "!" + name;
}

Json key_json(const PathFunctionKey& key) {
  return {{"function", key.function}, {"module", key.module}, {"number", key.number}};
}

std::string more(size_t all, size_t limit) {
  return all <= limit ? "" : fmt::format("{} more: --limit\n", all - limit);
}

Position position_of(const PathRow& row, PathPosition step) {
  return {{row.process}, row.thread, {step}};
}

std::string rows_text(const PathsAsked::Run& run) {
  const std::vector<PathRow>& rows = run.answers.rows;
  if (rows.size() == 1) {
    const PathRow& row = rows[0];
    const std::string first = format_position(position_of(row, row.found.first), run.form);
    if (row.found.count == 1) return fmt::format("at {}\n", first);
    return fmt::format("first at {}, last at {}\n", first,
                       format_position(position_of(row, row.found.last), run.form));
  }
  TextTable table({{"COUNT", Align::kRight}, {"FIRST", Align::kRight}, {"LAST", Align::kRight}});
  for (const PathRow& row : rows)
    table.add_row({format_count(row.found.count),
                   format_position(position_of(row, row.found.first), run.form),
                   format_position(position_of(row, row.found.last), run.form)});
  return table.render();
}

std::string stats_text(const PathAnswers& answers) {
  return fmt::format(
      "{} events; terminals expanded {}, rules visited {}, chunks opened {}\n"
      "prepared in {:.1f} us, answered in {:.1f} us\n",
      answers.events, answers.stats.terminals_expanded, answers.stats.rules_visited,
      answers.stats.chunks_opened, answers.preparing_us, answers.asking_us);
}

std::string run_text(const PathsAsked& asked, const PathsAsked::Run& run) {
  const PathAnswers& found = run.answers;
  const std::string what = fmt::format("'{}' in {}", escape_for_terminal(asked.path),
                                       escape_for_terminal(asked.function));
  if (!run.not_executed.empty())
    return fmt::format("never executed: {}\n{}\n", what, escape_for_terminal(run.not_executed));
  std::string out;
  if (found.count == 0) {
    out = fmt::format("never executed: {}\n", what);
    if (!found.impossible.empty())
      out += fmt::format("no run can: {}\n", escape_for_terminal(found.impossible));
  } else {
    out = fmt::format("{} of {}\n", plural(found.count, "execution", "executions"), what);
    out += rows_text(run);
    if (!found.plain.empty()) out += fmt::format("blocks: {}\n", listed(found.plain, " | "));
    if (!found.interrupted_by.empty())
      out += fmt::format("interrupted by calls of {}\n", listed(found.interrupted_by, ", "));
  }
  if (!found.contexts.empty()) {
    TextTable table({{"COUNT", Align::kRight}, {"CALLED BY"}});
    for (size_t i = 0; i < std::min<size_t>(found.contexts.size(), asked.limit); ++i)
      table.add_row({format_count(found.contexts[i].count),
                     found.contexts[i].callers.empty() ? "nothing"
                                                       : listed(found.contexts[i].callers, " < ")});
    out += table.render() + more(found.contexts.size(), asked.limit);
  }
  if (!found.all.empty()) {
    for (const Position& position : found.all) out += format_position(position, run.form) + "\n";
    out += more(found.count, found.all.size());
  }
  out += found.by_index
             ? "answered by the index: nothing was decompressed\n"
             : fmt::format("looked at {} events\n", format_count(found.stats.terminals_expanded));
  if (asked.stats) out += stats_text(found);
  return out;
}

Json run_json(const PathsAsked::Run& run) {
  const PathAnswers& found = run.answers;
  Json rows = Json::array();
  for (const PathRow& row : found.rows)
    rows.push_back({{"process", row.process},
                    {"thread", row.thread.value},
                    {"stack", row.stack},
                    {"count", row.found.count},
                    {"first", row.found.first},
                    {"last", row.found.last}});
  Json contexts = Json::array();
  for (const PathContext& context : found.contexts)
    contexts.push_back({{"count", context.count}, {"callers", context.callers}});
  Json all = Json::array();
  for (const Position& position : found.all)
    all.push_back({{"process", position.process.value},
                   {"thread", position.thread.value},
                   {"step", position.step.value}});
  Json out{{"recording", run.name},
           {"function", found.function},
           {"module", found.module},
           {"count", found.count},
           {"rows", rows},
           {"blocks", found.plain},
           {"interrupted_by", found.interrupted_by},
           {"contexts", contexts},
           {"all", all},
           {"by_index", found.by_index},
           {"events", found.events},
           {"terminals_expanded", found.stats.terminals_expanded},
           {"rules_visited", found.stats.rules_visited},
           {"chunks_opened", found.stats.chunks_opened}};
  if (!found.impossible.empty()) out["impossible"] = found.impossible;
  if (!run.not_executed.empty()) out["not_executed"] = run.not_executed;
  return out;
}

}  // namespace

std::string paths_text(const PathsAsked& asked) {
  if (asked.runs.size() == 1) return run_text(asked, asked.runs[0]);
  std::string out;
  size_t executed = 0;
  for (const PathsAsked::Run& run : asked.runs) {
    executed += run.answers.count > 0 ? 1 : 0;
    out += fmt::format("{}:\n{}\n", escape_for_terminal(run.name), run_text(asked, run));
  }
  return out +
         (executed == 0
              ? fmt::format("executed in none of {} recordings\n", asked.runs.size())
              : fmt::format("executed in {} of {} recordings\n", executed, asked.runs.size()));
}

std::string paths_json(const PathsAsked& asked) {
  Json runs = Json::array();
  uint64_t count = 0;
  for (const PathsAsked::Run& run : asked.runs) {
    runs.push_back(run_json(run));
    count += run.answers.count;
  }
  return render_json("paths", kPathsVersion,
                     {{"kind", "search"},
                      {"in", asked.function},
                      {"path", asked.path},
                      {"count", count},
                      {"runs", runs}});
}

std::string hot_paths_text(const HotPaths& hot, size_t limit) {
  if (hot.paths.empty()) return "no paths\n";
  TextTable table(
      {{"SHARE", Align::kRight}, {"COUNT", Align::kRight}, {"FUNCTION"}, {"BLOCKS"}, {"LINES"}});
  for (size_t i = 0; i < std::min(hot.paths.size(), limit); ++i) {
    const HotPath& path = hot.paths[i];
    std::string blocks;
    for (const uint32_t block : path.blocks)
      blocks += fmt::format("{}b{}", blocks.empty() ? "" : " ", block);
    table.add_row(
        {fmt::format("{:.1f}%", 100.0 * static_cast<double>(path.instructions) /
                                    static_cast<double>(std::max<uint64_t>(hot.instructions, 1))),
         format_count(path.count), key_text(path.function), shortened(blocks),
         escape_for_terminal(shortened(path.lines))});
  }
  return table.render() + more(hot.paths.size(), limit);
}

std::string hot_paths_json(const HotPaths& hot, size_t limit) {
  Json paths = Json::array();
  for (size_t i = 0; i < std::min(hot.paths.size(), limit); ++i) {
    const HotPath& path = hot.paths[i];
    Json one = key_json(path.function);
    one["blocks"] = path.blocks;
    one["lines"] = path.lines;
    one["count"] = path.count;
    one["instructions"] = path.instructions;
    paths.push_back(std::move(one));
  }
  return render_json("paths", kPathsVersion,
                     {{"kind", "hot"},
                      {"instructions", hot.instructions},
                      {"different", hot.paths.size()},
                      {"paths", paths}});
}

namespace {

std::string difference_rows(std::string_view title, const std::vector<PathDifference>& list,
                            size_t limit) {
  if (list.empty()) return {};
  TextTable table({{"A", Align::kRight}, {"B", Align::kRight}, {"FUNCTION"}, {"PATH"}});
  for (size_t i = 0; i < std::min(list.size(), limit); ++i) {
    const PathDifference& one = list[i];
    const bool has_lines = one.lines.find(':') != std::string::npos;
    std::string path =
        has_lines ? escape_for_terminal(shortened(one.lines)) : shortened(one.blocks);
    if (has_lines && !one.blocks.empty()) path += "  (" + shortened(one.blocks) + ")";
    table.add_row({format_count(one.a), format_count(one.b), key_text(one.function), path});
  }
  return fmt::format("{} ({}):\n", title, list.size()) + table.render() + more(list.size(), limit) +
         "\n";
}

std::string functions_line(std::string_view title, const std::vector<PathFunctionKey>& keys) {
  constexpr size_t kMost = 8;
  if (keys.empty()) return {};
  std::string out = fmt::format("{} ({}): ", title, keys.size());
  for (size_t i = 0; i < std::min(keys.size(), kMost); ++i)
    out += (i > 0 ? ", " : "") + key_text(keys[i]);
  return out + (keys.size() > kMost ? ", ...\n" : "\n");
}

Json difference_json(const std::vector<PathDifference>& list, size_t limit) {
  Json out = Json::array();
  for (size_t i = 0; i < std::min(list.size(), limit); ++i) {
    Json one = key_json(list[i].function);
    one["blocks"] = list[i].blocks;
    one["lines"] = list[i].lines;
    one["a"] = list[i].a;
    one["b"] = list[i].b;
    out.push_back(std::move(one));
  }
  return out;
}

Json keys_json(const std::vector<PathFunctionKey>& keys) {
  Json out = Json::array();
  for (const PathFunctionKey& key : keys) out.push_back(key_json(key));
  return out;
}

std::string possible_text(uint64_t possible) {
  return possible == ~uint64_t{0} ? "more than 2^64" : format_count(possible);
}

}  // namespace

std::string path_diff_text(const PathDifferences& diff, size_t limit) {
  std::string out = difference_rows("paths of A only", diff.only_a, limit) +
                    difference_rows("paths of B only", diff.only_b, limit) +
                    difference_rows("executed more or less often", diff.changed, limit);
  out += functions_line("functions that only A executes", diff.functions_a);
  out += functions_line("functions that only B executes", diff.functions_b);
  out += functions_line("not compared, because their code differs and has no lines",
                        diff.not_compared);
  return out + fmt::format("{} executed equally often\n", plural(diff.same, "path", "paths"));
}

std::string path_diff_json(const PathDifferences& diff, size_t limit) {
  return render_json("paths", kPathsVersion,
                     {{"kind", "diff"},
                      {"only_a", difference_json(diff.only_a, limit)},
                      {"only_b", difference_json(diff.only_b, limit)},
                      {"changed", difference_json(diff.changed, limit)},
                      {"only_a_count", diff.only_a.size()},
                      {"only_b_count", diff.only_b.size()},
                      {"changed_count", diff.changed.size()},
                      {"functions_a", keys_json(diff.functions_a)},
                      {"functions_b", keys_json(diff.functions_b)},
                      {"not_compared", keys_json(diff.not_compared)},
                      {"same", diff.same}});
}

std::string never_paths_text(const NeverPaths& never, size_t limit) {
  std::string out;
  if (!never.edges.empty()) {
    TextTable table({{"EXECUTED", Align::kRight}, {"FUNCTION"}, {"NEVER TAKEN"}, {"BLOCKS"}});
    for (size_t i = 0; i < std::min(never.edges.size(), limit); ++i) {
      const NeverTaken& edge = never.edges[i];
      table.add_row(
          {format_count(edge.executions), key_text(edge.function),
           edge.from_line.empty() && edge.to_line.empty()
               ? ""
               : escape_for_terminal(edge.from_line) + " > " + escape_for_terminal(edge.to_line),
           fmt::format("b{} b{}", edge.from, edge.to)});
    }
    out += table.render() + more(never.edges.size(), limit) + "\n";
  }
  TextTable functions({{"TAKEN", Align::kRight}, {"POSSIBLE", Align::kRight}, {"FUNCTION"}});
  std::vector<NeverFunction> sorted = never.functions;
  std::ranges::stable_sort(sorted, std::greater{}, &NeverFunction::taken);
  for (size_t i = 0; i < std::min(sorted.size(), limit); ++i)
    functions.add_row({format_count(sorted[i].taken), possible_text(sorted[i].possible),
                       key_text(sorted[i].function)});
  if (!sorted.empty()) out += functions.render() + more(sorted.size(), limit);
  if (never.not_compared > 0)
    out += fmt::format("{} left out: their code differs between the recordings, or is not known\n",
                       plural(never.not_compared, "function", "functions"));
  return out.empty() ? "no functions\n" : out;
}

std::string never_paths_json(const NeverPaths& never, size_t limit) {
  Json edges = Json::array();
  for (size_t i = 0; i < std::min(never.edges.size(), limit); ++i) {
    const NeverTaken& edge = never.edges[i];
    Json one = key_json(edge.function);
    one["from"] = edge.from;
    one["to"] = edge.to;
    one["from_line"] = edge.from_line;
    one["to_line"] = edge.to_line;
    one["executions"] = edge.executions;
    edges.push_back(std::move(one));
  }
  Json functions = Json::array();
  for (const NeverFunction& function : never.functions) {
    Json one = key_json(function.function);
    one["taken"] = function.taken;
    if (function.possible != ~uint64_t{0}) one["possible"] = function.possible;
    functions.push_back(std::move(one));
  }
  return render_json("paths", kPathsVersion,
                     {{"kind", "never"},
                      {"edges_count", never.edges.size()},
                      {"edges", edges},
                      {"functions", functions},
                      {"not_compared", never.not_compared}});
}

std::string block_counts_text(const std::vector<BlockCount>& blocks, size_t limit) {
  if (blocks.empty()) return "no blocks\n";
  TextTable table(
      {{"COUNT", Align::kRight}, {"FUNCTION"}, {"BLOCK"}, {"ADDRESS"}, {"NEXT"}, {"LINES"}});
  for (size_t i = 0; i < std::min(blocks.size(), limit); ++i) {
    const BlockCount& one = blocks[i];
    std::string next;
    for (const uint32_t block : one.block->next)
      next += fmt::format("{}b{}", next.empty() ? "" : " ", block);
    table.add_row({format_count(one.count), key_text(one.function), fmt::format("b{}", one.number),
                   fmt::format("{:#x}", one.block->address), next, escape_for_terminal(one.lines)});
  }
  return table.render() + more(blocks.size(), limit);
}

std::string block_counts_json(const std::vector<BlockCount>& blocks) {
  Json rows = Json::array();
  for (const BlockCount& one : blocks) {
    Json row = key_json(one.function);
    row["block"] = one.number;
    row["address"] = one.block->address;
    row["end"] = one.block->end;
    row["instructions"] = one.block->instructions;
    row["next"] = one.block->next;
    row["lines"] = one.lines;
    row["count"] = one.count;
    rows.push_back(std::move(row));
  }
  return render_json("paths", kPathsVersion, {{"kind", "blocks"}, {"blocks", rows}});
}

}  // namespace twinrun
