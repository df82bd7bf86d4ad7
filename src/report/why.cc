// SPDX-License-Identifier: MIT
#include "report/why.h"

#include "base/escape.h"
#include "explain/answer/statements.h"
#include "report/graph_words.h"
#include "report/json.h"
#include "report/typed.h"
#include "report/why_words.h"

#include <algorithm>
#include <cmath>

namespace twinrun {
namespace {

using Kind = CausalGraph::Node::Kind;

std::string_view target_name(Target::Kind kind) {
  switch (kind) {
    case Target::Kind::kCrash: return "crash";
    case Target::Kind::kHang: return "hang";
    case Target::Kind::kExit: return "exit";
    case Target::Kind::kOutput: return "output";
    case Target::Kind::kDivergence: return "divergence";
    case Target::Kind::kPlace: return "place";
    case Target::Kind::kValue: return "value";
  }
  return "";
}

std::string_view outcome_name(WhyReport::Outcome outcome) {
  switch (outcome) {
    case WhyReport::Outcome::kSame: return "same";
    case WhyReport::Outcome::kNoise: return "noise";
    case WhyReport::Outcome::kDifferent: return "different";
  }
  return "";
}

std::string_view misuse_name(Misuse::Kind kind) {
  switch (kind) {
    case Misuse::Kind::kFreed: return "freed";
    case Misuse::Kind::kReused: return "reused";
    case Misuse::Kind::kOutside: return "outside";
    case Misuse::Kind::kReturnAddress: return "return-address";
    case Misuse::Kind::kUninitialised: return "uninitialised";
    case Misuse::Kind::kDoubleFree: return "double-free";
    case Misuse::Kind::kBadFree: return "bad-free";
    case Misuse::Kind::kNull: return "null";
    case Misuse::Kind::kWild: return "wild";
  }
  return "";
}

std::string_view access_name(Misuse::Access access) {
  switch (access) {
    case Misuse::Access::kRead: return "read";
    case Misuse::Access::kWrite: return "write";
    case Misuse::Access::kJump: return "jump";
    case Misuse::Access::kFree: return "free";
  }
  return "";
}

Json misuse_json(const Misuse& of, const std::string& text) {
  Json out{{"kind", misuse_name(of.kind)},
           {"access", access_name(of.access)},
           {"run", of.side == RunSide::kA ? "a" : "b"},
           {"text", text},
           {"at", place_json(of.at)},
           {"in_both", of.is_in_both}};
  if (!of.by.empty()) out["by"] = of.by;
  if (of.node) out["node"] = fmt::format("N{}", *of.node);
  if (of.size != 0) {
    out["size"] = of.size;
    out["offset"] = of.offset;
  }
  if (!of.name.empty()) out["name"] = of.name;
  for (const auto& [key, site] : {std::pair("allocated", &of.allocated),
                                  {"freed", &of.freed},
                                  {"reused", &of.reused},
                                  {"let_in", &of.let_in}})
    if (*site) out[key] = place_json(**site);
  for (const auto& [key, sites] : {std::pair("pointer", &of.passed),
                                   {"callers", &of.callers},
                                   {"allocated_for", &of.allocated_for},
                                   {"freed_for", &of.freed_for},
                                   {"bounds", &of.bounds}}) {
    if (sites->empty()) continue;
    out[key] = Json::array();
    for (const NamedInstruction& site : *sites) out[key].push_back(place_json(site));
  }
  return out;
}

/// A line of the answer in one piece, and in its parts.
Json answer_row(const WhyReport& report, const WhyReport::Line& line, const WhyLine& parts) {
  Json row{{"id", line.finding == 0 ? Json() : Json(fmt::format("D{}", line.finding))},
           {"text", parts.whole()}};
  for (const auto& [key, text] : {std::pair("run", &parts.run),
                                  {"place", &parts.place},
                                  {"source", &parts.text},
                                  {"name", &parts.name},
                                  {"remark", &parts.remark}})
    if (!text->empty()) row[key] = *text;
  if (parts.has_values()) {
    add_value(row, "value_a", parts.value_a);
    add_value(row, "value_b", parts.value_b);
  }
  Json nodes = Json::array();
  Json places = Json::array();
  for (const uint32_t number : line.nodes) {
    nodes.push_back(fmt::format("N{}", number));
    const WhyReport::Node& node = report.nodes[number];
    const auto add = [&](const char* run, const std::optional<NamedInstruction>& at) {
      if (at && at->line != 0)
        places.push_back({{"run", run}, {"file", at->file}, {"line", at->line}});
    };
    if (line.run != RunSide::kB) add("a", node.caller_a ? node.caller_a : node.a);
    if (line.run != RunSide::kA) add("b", node.caller_b ? node.caller_b : node.b);
  }
  row["nodes"] = std::move(nodes);
  row["places"] = std::move(places);
  if (line.kind == WhyReport::Line::Kind::kAside) row["aside"] = true;
  if (line.is_first_wrong) row["first_wrong"] = true;
  if (!parts.is_telling) row["telling"] = false;
  return row;
}

/// How a run ended, beside the words for it.
Json ended_json(const std::optional<HowEnded>& end) {
  using How = HowEnded::Kind;
  if (!end) return {};
  switch (end->kind) {
    case How::kExited: return {{"how", "exited"}, {"status", end->status}};
    case How::kCrashed: return {{"how", "crashed"}, {"signal", end->status}};
    case How::kKilled: return {{"how", "killed"}, {"signal", end->status}};
    case How::kStopped:
      return {{"how", "stopped"}, {"signal", end->status == 0 ? Json() : Json(end->status)}};
    case How::kOtherBegan: return {{"how", "exec"}};
  }
  return {};
}

}  // namespace

std::string why_json(const WhyReport& report, SourceText& sources) {
  const WhyWords words = why_words(report, sources);
  const auto side = [](const WhyReport::Side& from, const std::string& end) {
    Json out{{"recording", from.path},
             {"command", from.command},
             {"end", end},
             {"ended", ended_json(from.end)},
             {"instructions", from.instructions}};
    if (!from.says.empty()) out["says"] = from.says;
    if (!from.prefix_note.empty()) out["prefix"] = from.prefix_note;
    if (!from.from.empty()) out["from"] = from.from;
    return out;
  };
  Json answer = Json::array();
  auto left_out = report.left_out.begin();
  for (size_t i = 0; i < report.answer.size(); ++i) {
    const WhyReport::Line& line = report.answer[i];
    Json row = answer_row(report, line, words.lines[i]);
    Json left = Json::array();
    for (uint64_t left_here = line.copies + line.between; left_here != 0; --left_here, ++left_out)
      left.push_back(
          answer_row(report, *left_out, words.left_out[left_out - report.left_out.begin()]));
    if (!left.empty()) row["left_out"] = std::move(left);
    answer.push_back(std::move(row));
  }
  Json nodes = Json::array();
  for (size_t i = 0; i < report.nodes.size(); ++i) {
    const WhyReport::Node& node = report.nodes[i];
    if (node.is_enhanced) continue;
    nodes.push_back(node_json(node, i));
  }
  Json edges = Json::array();
  for (const WhyReport::Edge& edge : report.edges) {
    if (report.nodes[edge.from].is_enhanced || report.nodes[edge.to].is_enhanced) continue;
    edges.push_back(edge_json(edge));
  }
  Json statements = Json::array();
  for (size_t i = 0; i < report.statements.size(); ++i) {
    const WhyReport::Statement& statement = report.statements[i];
    Json row{{"id", fmt::format("S{}", i)},
             {"module", statement.at.module},
             {"function", statement.at.function}};
    if (statement.at.line != 0) {
      row["file"] = statement.at.file;
      row["line"] = statement.at.line;
    }
    row["run"] = statement.in_a && statement.in_b ? "both" : statement.in_a ? "a" : "b";
    // Four digits are enough to rank by, and the same everywhere.
    row["weight"] = std::round(statement.weight * 1e4) / 1e4;
    row["suspicion"] = std::round(statement.suspicion * 1e4) / 1e4;
    row["times"] = {{"a", statement.times_a}, {"b", statement.times_b}};
    if (statement.is_beside) row["beside"] = true;
    if (statement.is_after) row["after"] = true;
    if (statement.has_new_way) row["new_way"] = true;
    row["basic"] = statement.is_basic;
    row["different"] = statement.is_different;
    if (statement.is_decision) row["decides"] = true;
    statements.push_back(std::move(row));
  }
  Json target{{"kind", target_name(report.target_kind)},
              {"text", words.target},
              {"a", words.target_a},
              {"b", words.target_b}};
  Json fields{{"result", outcome_name(report.outcome)},
              {"a", side(report.a, words.end_a)},
              {"b", side(report.b, words.end_b)},
              {"program", report.programs.empty() ? "" : report.programs[0]},
              {"programs", report.programs},
              {"verdict", words.verdict},
              {"sentences", words.sentences}};
  fields["target"] = report.outcome == WhyReport::Outcome::kSame ? Json() : std::move(target);
  fields["inputs"] = words.inputs;
  const auto lines_json = [](const std::vector<WhyLine>& lines) {
    Json out = Json::array();
    for (const WhyLine& line : lines) {
      Json row{{"place", line.place}, {"text", line.text}};
      if (!line.run.empty()) row["what"] = line.run;
      if (!line.remark.empty()) row["remark"] = line.remark;
      if (line.line != 0) {
        row["file"] = line.file;
        row["line"] = line.line;
      }
      out.push_back(std::move(row));
    }
    return out;
  };
  fields["details"] = lines_json(words.details);
  fields["look_first"] = lines_json(words.suspects);
  fields["answer"] = std::move(answer);
  fields["hidden"] = report.hidden;
  fields["graph"] = {{"nodes", std::move(nodes)}, {"edges", std::move(edges)}, {"cut", report.cut}};
  Json statement_edges = Json::array();
  for (const WhyReport::StatementEdge& edge : report.statement_edges)
    statement_edges.push_back({{"from", fmt::format("S{}", edge.from)},
                               {"to", fmt::format("S{}", edge.to)},
                               {"kind", edge.is_control ? "control" : "data"}});
  fields["statements"] = std::move(statements);
  Json suspects = Json::array();
  for (const uint32_t one : suspects_of(report)) suspects.push_back(fmt::format("S{}", one));
  fields["suspects"] = std::move(suspects);
  fields["statement_edges"] = std::move(statement_edges);
  fields["basic_statements"] = report.basic_statements;
  fields["statements_left_out"] = report.statements_left_out;
  fields["alignment"] = {{"aligned", report.aligned},
                         {"only_a", report.only_a},
                         {"only_b", report.only_b},
                         {"divergences", report.divergences}};
  Json misuses = Json::array();
  for (size_t i = 0; i < report.misuses.size(); ++i)
    misuses.push_back(misuse_json(report.misuses[i], words.misuses[i]));
  fields["misuse"] = std::move(misuses);
  fields["notes"] = words.notes;
  return render_json("why", 1, fields);
}

std::string why_dot(const WhyReport& report) {
  const auto quoted = [](const std::string& text) {
    std::string out = "\"";
    for (const char c : escape_for_terminal(text)) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + '"';
  };
  std::string out = "digraph why {\n  node [shape=box, fontname=monospace];\n";
  for (size_t i = 0; i < report.nodes.size(); ++i) {
    const WhyReport::Node& node = report.nodes[i];
    if (node.is_enhanced) continue;
    std::string label;
    if (node.kind == Kind::kInput) {
      for (const auto* source : {&node.source_a, &node.source_b})
        if (*source) label = fmt::format("{} {}", (*source)->call, (*source)->input);
    } else if (node.kind == Kind::kAligned) {
      label = fmt::format("{}  {}", place_of(*node.b), node.b->text);
    } else {
      if (node.a) label += fmt::format("A {}  {}  ", place_of(*node.a), node.a->text);
      if (node.b) label += fmt::format("B {}  {}", place_of(*node.b), node.b->text);
    }
    out += fmt::format("  N{} [label={}{}];\n", i, quoted(fmt::format("N{}  {}", i, label)),
                       node.kind == Kind::kInput       ? ", shape=ellipse"
                       : node.kind == Kind::kUnaligned ? ", style=dashed"
                       : node.is_target                ? ", peripheries=2"
                                                       : "");
  }
  for (const WhyReport::Edge& edge : report.edges) {
    if (report.nodes[edge.from].is_enhanced || report.nodes[edge.to].is_enhanced) continue;
    const std::string& name = edge.name.empty() ? edge.place : edge.name;
    const std::string label =
        edge.is_control ? "control"
                        : fmt::format("{}  A: {}  B: {}", name, edge.value_a, edge.value_b);
    out += fmt::format("  N{} -> N{} [label={}{}];\n", edge.from, edge.to, quoted(label),
                       edge.is_control ? ", style=dotted" : "");
  }
  return out + "}\n";
}

}  // namespace twinrun
