// SPDX-License-Identifier: MIT
#include "report/cfg.h"

#include "base/escape.h"
#include "report/json.h"
#include "report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace twinrun {
namespace {

using Align = TextTable::Align;

std::string counted(uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string successor_text(const FunctionFlow::Successor& s, bool has_counts) {
  std::string out = s.to ? fmt::format("{:#x}", *s.to) : "exit";
  if (s.to && s.kind != "next") out += fmt::format(" {}", s.kind);
  if (s.to && has_counts) out += s.count ? fmt::format(" ({})", *s.count) : " (?)";
  return out;
}

std::string loop_text(const FunctionFlow::Block& block) {
  if (block.loop_depth == 0) return "-";
  return fmt::format("{}{}{}", block.loop_depth, block.loop_header ? " head" : "",
                     block.irreducible ? " irreducible" : "");
}

std::string head_text(const FunctionFlow& flow, const Style& style) {
  std::string out = style.bold(escape_for_terminal(flow.name));
  if (!flow.module.empty()) out += fmt::format(" in {}", escape_for_terminal(flow.module));
  for (const FunctionFlow::Part& part : flow.parts)
    out += fmt::format(", {:#x}..{:#x}", part.address, part.address + part.size);
  out += fmt::format(
      "\n{}, {}{}, {}, known by {}\n", counted(flow.blocks.size(), "block", "blocks"),
      counted(flow.loops, "loop", "loops"),
      flow.irreducible_loops == 0 ? std::string()
                                  : fmt::format(" ({} irreducible)", flow.irreducible_loops),
      flow.returns ? "returns" : "does not return", flow.source);
  if (!flow.aliases.empty()) {
    out += "also called";
    for (const std::string& alias : flow.aliases) out += " " + escape_for_terminal(alias);
    out += "\n";
  }
  if (flow.has_counts)
    out += fmt::format(
        "{} of {} executed\n",
        std::ranges::count_if(flow.blocks,
                              [](const FunctionFlow::Block& b) { return b.count.value_or(0) > 0; }),
        counted(flow.blocks.size(), "block", "blocks"));
  if (flow.unexplained > 0)
    out += fmt::format("{} contradict the code of the file\n",
                       counted(flow.unexplained, "observed edge", "observed edges"));
  for (const std::string& other : flow.others)
    out += fmt::format("another one of that name: {}\n", escape_for_terminal(other));
  return out;
}

}  // namespace

std::string cfg_text(const FunctionFlow& flow, size_t limit, const Style& style) {
  const bool has_lines =
      std::ranges::any_of(flow.blocks, [](const auto& block) { return !block.line.empty(); });
  std::vector<TextTable::Column> columns{{"BLOCK"}, {"INSTR", Align::kRight}};
  if (flow.has_counts) columns.push_back({"COUNT", Align::kRight});
  if (has_lines) columns.push_back({"LINE"});
  for (const char* title : {"LOOP", "POST-DOM", "ENDS", "SUCCESSORS"}) columns.push_back({title});
  TextTable table(std::move(columns));
  const size_t shown = limit == 0 ? flow.blocks.size() : std::min(limit, flow.blocks.size());
  for (size_t i = 0; i < shown; ++i) {
    const FunctionFlow::Block& block = flow.blocks[i];
    std::vector<std::string> cells{fmt::format("{:#x}..{:#x}", block.start, block.end),
                                   fmt::format("{}", block.instructions)};
    if (flow.has_counts) cells.push_back(fmt::format("{}", block.count.value_or(0)));
    if (has_lines) cells.push_back(escape_for_terminal(block.line));
    cells.push_back(loop_text(block));
    cells.push_back(block.post_dominator ? fmt::format("{:#x}", *block.post_dominator) : "exit");
    cells.push_back(block.notes.empty()
                        ? std::string(block.ends)
                        : fmt::format("{}: {}", block.ends, fmt::join(block.notes, ", ")));
    std::string successors;
    for (const FunctionFlow::Successor& s : block.successors)
      successors += (successors.empty() ? "" : ", ") + successor_text(s, flow.has_counts);
    cells.push_back(std::move(successors));
    table.add_row(std::move(cells));
  }
  std::string out = head_text(flow, style) + "\n" + table.render();
  if (shown < flow.blocks.size())
    out += fmt::format("{} more: --all\n", flow.blocks.size() - shown);
  return out;
}

std::string cfg_calls_text(const FunctionFlow& flow, const Style& style) {
  std::vector<TextTable::Column> columns{{""}, {"SITE"}, {"KIND"}};
  if (flow.has_counts) columns.push_back({"COUNT", Align::kRight});
  columns.push_back({"FUNCTION"});
  TextTable table(std::move(columns));
  const auto add = [&](const std::vector<FunctionFlow::CallSite>& sites, const char* direction) {
    for (const FunctionFlow::CallSite& call : sites) {
      std::vector<std::string> cells{direction, fmt::format("{:#x}", call.site),
                                     std::string(call.kind)};
      if (flow.has_counts) cells.push_back(fmt::format("{}", call.count.value_or(0)));
      cells.push_back(escape_for_terminal(call.function));
      table.add_row(std::move(cells));
    }
  };
  add(flow.callees, "calls");
  add(flow.callers, "called by");
  return head_text(flow, style) + "\n" + table.render();
}

namespace {

Json calls_of(const std::vector<FunctionFlow::CallSite>& sites) {
  Json out = Json::array();
  for (const FunctionFlow::CallSite& call : sites)
    out.push_back({{"function", call.function},
                   {"site", call.site},
                   {"kind", call.kind},
                   {"count", call.count ? Json(*call.count) : Json()}});
  return out;
}

}  // namespace

std::string cfg_json(const FunctionFlow& flow) {
  Json parts = Json::array();
  for (const FunctionFlow::Part& part : flow.parts)
    parts.push_back({{"address", part.address}, {"size", part.size}, {"name", part.name}});
  Json blocks = Json::array();
  for (const FunctionFlow::Block& block : flow.blocks) {
    Json successors = Json::array();
    for (const FunctionFlow::Successor& s : block.successors)
      successors.push_back({{"to", s.to ? Json(*s.to) : Json()},
                            {"kind", s.kind},
                            {"count", s.count ? Json(*s.count) : Json()}});
    blocks.push_back(
        {{"start", block.start},
         {"end", block.end},
         {"instructions", block.instructions},
         {"line", block.line.empty() ? Json() : Json(block.line)},
         {"file", block.file.empty() ? Json() : Json(block.file)},
         {"line_number", block.line_number == 0 ? Json() : Json(block.line_number)},
         {"ends", block.ends},
         {"notes", block.notes},
         {"count", block.count ? Json(*block.count) : Json()},
         {"loop_depth", block.loop_depth},
         {"loop_header", block.loop_header},
         {"irreducible", block.irreducible},
         {"post_dominator", block.post_dominator ? Json(*block.post_dominator) : Json()},
         {"successors", successors}});
  }
  return render_json("cfg", 1,
                     {{"module", flow.module},
                      {"function", flow.name},
                      {"aliases", flow.aliases},
                      {"source", flow.source},
                      {"returns", flow.returns},
                      {"entry", flow.entry},
                      {"parts", parts},
                      {"loops", flow.loops},
                      {"irreducible_loops", flow.irreducible_loops},
                      {"unexplained_edges", flow.unexplained},
                      {"others", flow.others},
                      {"callees", calls_of(flow.callees)},
                      {"callers", calls_of(flow.callers)},
                      {"blocks", blocks}});
}

namespace {

// The inside of a quoted string of the DOT language.
std::string dot_escaped(std::string_view text) {
  std::string out;
  for (const char c : escape_for_terminal(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string cfg_dot(const FunctionFlow& flow) {
  std::string out = fmt::format("digraph \"{}\" {{\n", dot_escaped(flow.name));
  out += "  node [shape=box, fontname=monospace];\n";
  bool leaves = false;
  for (const FunctionFlow::Block& block : flow.blocks) {
    std::string label = fmt::format("{:#x}..{:#x}", block.start, block.end);
    if (!block.line.empty()) label += "\\n" + dot_escaped(block.line);
    if (block.count) label += fmt::format("\\n{} times", *block.count);
    for (const std::string_view note : block.notes) label += fmt::format("\\n{}", note);
    out += fmt::format("  \"{:#x}\" [label=\"{}\"{}];\n", block.start, label,
                       block.start == flow.entry ? ", penwidth=2" : "");
  }
  for (const FunctionFlow::Block& block : flow.blocks)
    for (const FunctionFlow::Successor& s : block.successors) {
      leaves = leaves || !s.to;
      std::string label = s.kind == "next" || s.kind == "exit" ? "" : std::string(s.kind);
      if (s.count) label += fmt::format("{}{}", label.empty() ? "" : " ", *s.count);
      out += fmt::format("  \"{:#x}\" -> {} [label=\"{}\"];\n", block.start,
                         s.to ? fmt::format("\"{:#x}\"", *s.to) : "exit", label);
    }
  if (leaves) out += "  exit [shape=oval];\n";
  return out + "}\n";
}

}  // namespace twinrun
