// SPDX-License-Identifier: MIT
#include "report/show.h"

#include "base/escape.h"
#include "report/graph_words.h"
#include "report/json.h"
#include "report/why_words.h"

#include <fmt/format.h>

namespace twinrun {
namespace {

using Kind = CausalGraph::Node::Kind;

constexpr size_t kMoreShown = 10;  // further instructions of a node

std::string line_text(const WhyReport::Line& line, const WhyLine& words) {
  return fmt::format("  {:4}{}\n", line.finding != 0 ? fmt::format("D{}", line.finding) : " |",
                     escape_for_terminal(words.whole()));
}

/// "sum_row+0x1c in csvsum"; behind a source line, which does not tell it.
std::string code_text(const NamedInstruction& at) {
  const std::string where = at.function.empty() ? fmt::format("{:#x}", at.offset)
                                                : fmt::format("{}+{:#x}", at.function, at.offset);
  return at.module.empty() ? where : fmt::format("{} in {}", where, at.module);
}

std::string instruction_text(const NamedInstruction& at, PositionForm form) {
  std::string out = fmt::format("step {}", format_position(at.position, form));
  if (at.line != 0) out += "  " + place_of(at);
  return escape_for_terminal(fmt::format("{}  {}  {}", out, code_text(at), at.text));
}

std::string caller_text(const NamedInstruction& at) {
  return escape_for_terminal(fmt::format("called from {}  {}", place_of(at), code_text(at)));
}

std::string source_text(const OutsideSource& source) {
  std::string out = "input";
  if (!source.call.empty()) out += fmt::format(" by {}()", source.call);
  if (!source.input.empty()) out += " of " + source.input;
  if (source.offset) out += fmt::format(", byte {}", *source.offset);
  return escape_for_terminal(out);
}

/// A node in a few words: where it is.
std::string short_text(const WhyReport::Node& node) {
  if (node.kind == Kind::kInput) {
    if (node.source_b) return source_text(*node.source_b);
    return node.source_a ? source_text(*node.source_a) : "input";
  }
  if (node.kind == Kind::kAligned) return escape_for_terminal(place_of(*node.b));
  std::string out;
  if (node.a) out += "A " + place_of(*node.a);
  if (node.b) out += (out.empty() ? "B " : "  B ") + place_of(*node.b);
  return escape_for_terminal(out);
}

std::string edge_text(const WhyReport& report, const WhyReport::Edge& edge, uint32_t other) {
  std::string out = fmt::format("      N{:<4} {:8}", other, edge.is_control ? "control" : "data");
  std::string what = edge.name;
  if (!edge.place.empty() && edge.place != edge.name)
    what += what.empty() ? edge.place : fmt::format(" ({})", edge.place);
  if (edge.for_address) what += what.empty() ? "address" : " as an address";
  if (!what.empty()) out += escape_for_terminal(what) + "  ";
  if (!edge.value_a.empty() || !edge.value_b.empty())
    out += fmt::format("A: {}  B: {}  ", escape_for_terminal(edge.value_a),
                       escape_for_terminal(edge.value_b));
  return out + short_text(report.nodes[other]) + "\n";
}

std::string node_text(const WhyReport& report, uint32_t number, PositionForm form) {
  const WhyReport::Node& node = report.nodes[number];
  std::string out = fmt::format("N{}  {}", number, kind_name(node.kind));
  if (node.type != DivergenceType::kNone) out += fmt::format(", {}", type_name(node.type));
  if (node.is_target) out += ", target";
  if (node.is_decision) out += ", the runs part behind it";
  if (node.has_no_cause) out += ", no cause was found";
  if (node.is_common) out += ", both runs executed it";
  out += "\n";
  const auto side = [&](char letter, const std::optional<NamedInstruction>& at,
                        const std::optional<NamedInstruction>& caller,
                        const std::optional<OutsideSource>& source, uint64_t only) {
    if (at) out += fmt::format("  {}   {}\n", letter, instruction_text(*at, form));
    if (caller) out += fmt::format("      {}\n", caller_text(*caller));
    if (source) out += fmt::format("  {}   {}\n", letter, source_text(*source));
    if (only != 0)
      out += fmt::format("      in a stretch of {} instructions that only {} executed\n", only,
                         letter);
  };
  side('A', node.a, node.caller_a, node.source_a, node.only_a);
  side('B', node.b, node.caller_b, node.source_b, node.only_b);
  for (size_t i = 0; i < node.more.size() && i < kMoreShown; ++i)
    out += fmt::format("  {}   {}\n", node.more[i].first == RunSide::kA ? 'A' : 'B',
                       instruction_text(node.more[i].second, form));
  if (node.more.size() > kMoreShown)
    out += fmt::format("      {} more: --json\n", node.more.size() - kMoreShown);
  std::string because;
  std::string leads;
  for (const WhyReport::Edge& edge : report.edges) {
    if (edge.from == number) because += edge_text(report, edge, edge.to);
    if (edge.to == number) leads += edge_text(report, edge, edge.from);
  }
  if (!because.empty()) out += "    because of\n" + because;
  if (!leads.empty()) out += "    used by\n" + leads;
  return out;
}

}  // namespace

std::string show_text(const WhyReport& report, SourceText& sources, const Shown& shown,
                      PositionForm form) {
  const WhyWords words = why_words(report, sources);
  std::string out;
  for (const size_t line : shown.lines) out += line_text(report.answer[line], words.lines[line]);
  if (shown.lines.empty()) out += "  not told in the answer\n";
  for (const uint32_t node : shown.nodes) out += "\n" + node_text(report, node, form);
  return out;
}

std::string show_json(const WhyReport& report, SourceText& sources, const Shown& shown) {
  const auto id = [](uint32_t number) { return fmt::format("N{}", number); };
  const WhyWords words = why_words(report, sources);
  Json lines = Json::array();
  for (const size_t number : shown.lines) {
    const WhyReport::Line& line = report.answer[number];
    Json nodes = Json::array();
    for (const uint32_t node : line.nodes) nodes.push_back(id(node));
    lines.push_back({{"id", line.finding == 0 ? Json() : Json(fmt::format("D{}", line.finding))},
                     {"text", words.lines[number].whole()},
                     {"nodes", std::move(nodes)}});
  }
  Json nodes = Json::array();
  for (const uint32_t number : shown.nodes) {
    Json row = node_json(report.nodes[number], number);
    Json because = Json::array();
    Json leads = Json::array();
    for (const WhyReport::Edge& edge : report.edges) {
      if (edge.from == number) because.push_back(edge_json(edge));
      if (edge.to == number) leads.push_back(edge_json(edge));
    }
    row["because_of"] = std::move(because);
    row["used_by"] = std::move(leads);
    nodes.push_back(std::move(row));
  }
  return render_json("show", 1,
                     {{"id", fmt::format("{}{}", shown.is_finding ? 'D' : 'N', shown.number)},
                      {"verdict", words.verdict},
                      {"answer", std::move(lines)},
                      {"nodes", std::move(nodes)}});
}

}  // namespace twinrun
