// SPDX-License-Identifier: MIT
#include "explain/answer/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace twinrun {
namespace {

using Key = std::tuple<std::string, uint32_t, std::string>;

bool has_line(const WhyReport& report, const WhyReport::Node& node) {
  const NamedInstruction* at = site_of(node);
  return at != nullptr && at->line != 0 && report.is_own(at->module);
}

bool is_module(const Key& key) {
  const auto& [name, line, function] = key;
  return line == 0 && function.empty() && !name.empty();
}

/// Which line of the graph of lines each node belongs to.
class LineKeys {
 public:
  explicit LineKeys(const WhyReport& report)
      : report_(report),
        has_lines_(std::ranges::any_of(
            report.nodes, [&](const WhyReport::Node& node) { return has_line(report, node); })) {}

  /// What a library does by itself, not called by the program, is one place; and what a program
  /// does of which nothing is known but addresses, when more is known of another.
  [[nodiscard]] Key key_of(const NamedInstruction& at) const {
    if (!report_.is_own(at.module)) return {at.module, 0, ""};
    if (at.line != 0) return {at.file, at.line, ""};
    if (!at.function.empty()) return {"", 0, at.function};
    return has_lines_ ? Key{at.module, 0, ""} : Key{"", 0, fmt::format("{:#x}", at.pc)};
  }

  /// Calls found(node, side, place, number of its line) for every place of every node; lines are
  /// numbered as they are met.
  template <typename Found>
  void for_each(const Found& found) const {
    std::map<Key, uint32_t> numbers;
    for (uint32_t i = 0; i < report_.nodes.size(); ++i) {
      const WhyReport::Node& node = report_.nodes[i];
      const auto add = [&](RunSide side, const NamedInstruction* at) {
        if (at == nullptr) return;
        const auto [known, is_new] =
            numbers.try_emplace(key_of(*at), static_cast<uint32_t>(numbers.size()));
        found(i, side, *at, known->second);
      };
      add(RunSide::kB, site_of(node, RunSide::kB));
      add(RunSide::kA, site_of(node, RunSide::kA));
      for (const auto& [side, at] : node.more) add(side, &at);
    }
  }

 private:
  const WhyReport& report_;
  bool has_lines_;
};

// How much of a node's weight goes along an edge, before all of them are made to add up.
constexpr double kOnlyA = 0.1;    // to what only the run did that is right
constexpr double kCommon = 0.2;   // to what both did alike
constexpr double kAddress = 0.5;  // to what only said where
// And how much of it arrives.
constexpr double kNextLine = 0.85;
constexpr double kSameLine = 0.995;
constexpr double kFurtherTarget = 0.2;
constexpr double kNothing = 1e-6;
constexpr int kRounds = 200;
constexpr size_t kSuspectsMost = 10;
constexpr size_t kManyLines = 24;

}  // namespace

const NamedInstruction* site_of(const WhyReport::Node& node, RunSide side) {
  const auto& caller = side == RunSide::kA ? node.caller_a : node.caller_b;
  const auto& own = side == RunSide::kA ? node.a : node.b;
  if (caller) return &*caller;
  return own ? &*own : nullptr;
}

const NamedInstruction* site_of(const WhyReport::Node& node) {
  const NamedInstruction* b = site_of(node, RunSide::kB);
  return b != nullptr ? b : site_of(node, RunSide::kA);
}

bool same_site(const NamedInstruction& x, const NamedInstruction& y) {
  if (x.line != 0 || y.line != 0) return x.line == y.line && x.file == y.file;
  return x.module == y.module && x.function == y.function;
}

void weigh_nodes(WhyReport& report) {
  using Node = WhyReport::Node;
  const auto share = [&](const WhyReport::Edge& edge) {
    const Node& to = report.nodes[edge.to];
    double out = edge.for_address ? kAddress : 1;
    if (to.a && !to.b) out *= kOnlyA;
    if (to.is_common) out *= kCommon;
    return out;
  };
  const auto arrives = [&](const WhyReport::Edge& edge) {
    const NamedInstruction* x = site_of(report.nodes[edge.from]);
    const NamedInstruction* y = site_of(report.nodes[edge.to]);
    return x != nullptr && y != nullptr && same_site(*x, *y) ? kSameLine : kNextLine;
  };
  std::vector<double> sum(report.nodes.size(), 0);
  for (const WhyReport::Edge& edge : report.edges) sum[edge.from] += share(edge);
  std::vector<double> part;
  part.reserve(report.edges.size());
  for (const WhyReport::Edge& edge : report.edges)
    part.push_back(share(edge) / sum[edge.from] * arrives(edge));
  std::vector<double> now(report.nodes.size(), 0);
  double first = 1;
  for (size_t i = 0; i < report.nodes.size(); ++i) {
    if (report.nodes[i].is_target) now[i] = std::exchange(first, kFurtherTarget);
  }
  for (size_t i = 0; i < now.size(); ++i) report.nodes[i].weight = now[i];
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> next(report.nodes.size(), 0);
    for (size_t i = 0; i < report.edges.size(); ++i)
      next[report.edges[i].to] += now[report.edges[i].from] * part[i];
    double left = 0;
    for (size_t i = 0; i < next.size(); ++i) {
      report.nodes[i].weight += next[i];
      left += next[i];
    }
    if (left < kNothing) break;
    now = std::move(next);
  }
}

void find_statements(WhyReport& report) {
  weigh_nodes(report);
  std::vector<WhyReport::Statement>& all = report.statements;
  LineKeys keys(report);
  keys.for_each([&](uint32_t i, RunSide side, const NamedInstruction& at, uint32_t number) {
    const WhyReport::Node& node = report.nodes[i];
    if (number == all.size()) all.push_back({.at = at, .is_after = true});
    WhyReport::Statement& statement = all[number];
    (side == RunSide::kA ? statement.in_a : statement.in_b) = true;
    statement.is_basic |= !node.is_enhanced;
    statement.is_different |= !node.is_common;
    statement.is_decision |= node.is_decision;
    statement.is_beside |= node.is_beside;
    statement.is_apart |= node.b && !node.a && !node.is_common;
    statement.is_after &= node.is_after;
    if (!statement.nodes.empty() && statement.nodes.back() == i) return;
    statement.nodes.push_back(i);
    statement.weight += node.weight;
  });
  report.basic_statements =
      static_cast<size_t>(std::ranges::count_if(all, &WhyReport::Statement::is_basic));
}

std::vector<GraphLine> lines_of_graph(const WhyReport& report) {
  LineKeys keys(report);
  std::map<Key, uint32_t> statements;
  for (uint32_t i = 0; i < report.statements.size(); ++i)
    statements.emplace(keys.key_of(report.statements[i].at), i);
  std::vector<GraphLine> out;
  std::map<uint32_t, size_t> known;  // by the number among all lines
  keys.for_each([&](uint32_t i, RunSide side, const NamedInstruction& at, uint32_t number) {
    if (report.nodes[i].is_enhanced) return;
    const auto [found, is_new] = known.try_emplace(number, out.size());
    if (is_new) {
      const Key key = keys.key_of(at);
      const auto judged = statements.find(key);
      out.push_back({.at = at, .is_whole_module = is_module(key)});
      if (judged != statements.end()) out.back().statement = judged->second;
    }
    GraphLine& line = out[found->second];
    (side == RunSide::kA ? line.in_a : line.in_b) = true;
    line.is_decision |= report.nodes[i].is_decision;
    if (line.nodes.empty() || line.nodes.back() != i) line.nodes.push_back(i);
  });
  return out;
}

std::vector<uint32_t> suspects_of(const WhyReport& report) {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < report.statements.size(); ++i) {
    const NamedInstruction& at = report.statements[i].at;
    if (at.line != 0 && report.is_own(at.module)) out.push_back(i);
  }
  if (out.size() < kManyLines) return {};
  out.resize(kSuspectsMost);
  return out;
}

void link_statements(WhyReport& report, size_t most) {
  std::vector<WhyReport::Statement>& all = report.statements;
  report.statements_left_out = all.size() - std::min(all.size(), most);
  if (all.size() > most) all.resize(most);
  std::vector<std::vector<uint32_t>> of_node(report.nodes.size());
  for (uint32_t i = 0; i < all.size(); ++i)
    for (const uint32_t node : all[i].nodes) of_node[node].push_back(i);
  std::map<std::pair<uint32_t, uint32_t>, bool> edges;
  for (const WhyReport::Edge& edge : report.edges) {
    for (const uint32_t from : of_node[edge.from]) {
      for (const uint32_t to : of_node[edge.to]) {
        if (from == to) continue;
        const auto [known, is_new] = edges.try_emplace({from, to}, edge.is_control);
        known->second = known->second && edge.is_control;
      }
    }
  }
  for (const auto& [ends, is_control] : edges)
    report.statement_edges.push_back({ends.first, ends.second, is_control});
}

}  // namespace twinrun
