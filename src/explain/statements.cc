// SPDX-License-Identifier: MIT
#include "explain/statements.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace twinrun {
namespace {

using Kind = CausalGraph::Node::Kind;
using Key = std::tuple<std::string, uint32_t, std::string, std::string>;

Key key_of(const NamedInstruction& at) {
  if (at.line != 0) return {at.file, at.line, "", ""};
  return {"", 0, at.module, at.function};
}

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
  return key_of(x) == key_of(y);
}

void find_statements(WhyReport& report, size_t most) {
  std::map<Key, uint32_t> number;
  std::vector<WhyReport::Statement> all;
  std::vector<std::vector<uint32_t>> of_node(report.nodes.size());
  for (uint32_t i = 0; i < report.nodes.size(); ++i) {
    const WhyReport::Node& node = report.nodes[i];
    const auto add = [&](RunSide side, const NamedInstruction* at) {
      if (at == nullptr) return;
      const auto [known, is_new] =
          number.try_emplace(key_of(*at), static_cast<uint32_t>(all.size()));
      if (is_new) all.push_back({.at = *at, .distance = ~0u});
      WhyReport::Statement& statement = all[known->second];
      (side == RunSide::kA ? statement.in_a : statement.in_b) = true;
      statement.is_different |= !node.is_common;
      statement.is_decision |= node.is_decision;
      if (statement.nodes.empty() || statement.nodes.back() != i) statement.nodes.push_back(i);
      if (std::ranges::find(of_node[i], known->second) == of_node[i].end())
        of_node[i].push_back(known->second);
    };
    add(RunSide::kA, site_of(node, RunSide::kA));
    add(RunSide::kB, site_of(node, RunSide::kB));
    for (const auto& [side, at] : node.more) add(side, &at);
  }
  // How far each is from the target: what both runs did alike is further away.
  constexpr uint32_t kSame = 0;
  constexpr uint32_t kDifferent = 2;
  constexpr uint32_t kCommon = 3;
  std::vector<std::vector<uint32_t>> out(report.nodes.size());
  for (uint32_t i = 0; i < report.edges.size(); ++i) out[report.edges[i].from].push_back(i);
  std::vector<uint32_t> cost(report.nodes.size(), ~0u);
  using Item = std::pair<uint32_t, uint32_t>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  // Further targets come behind the one that is told.
  constexpr uint32_t kFurther = 8;
  uint32_t start = 0;
  for (uint32_t i = 0; i < report.nodes.size(); ++i) {
    if (!report.nodes[i].is_target) continue;
    cost[i] = start;
    queue.emplace(start, i);
    start = kFurther;
  }
  while (!queue.empty()) {
    const auto [so_far, node] = queue.top();
    queue.pop();
    if (so_far > cost[node]) continue;
    for (const uint32_t e : out[node]) {
      const uint32_t to = report.edges[e].to;
      const NamedInstruction* x = site_of(report.nodes[node]);
      const NamedInstruction* y = site_of(report.nodes[to]);
      const bool is_same = x != nullptr && y != nullptr && same_site(*x, *y);
      const uint32_t next = so_far + (is_same                      ? kSame
                                      : report.nodes[to].is_common ? kCommon
                                                                   : kDifferent);
      if (next >= cost[to]) continue;
      cost[to] = next;
      queue.emplace(next, to);
    }
  }
  for (uint32_t i = 0; i < report.nodes.size(); ++i) {
    for (const uint32_t s : of_node[i]) all[s].distance = std::min(all[s].distance, cost[i]);
  }
  std::erase_if(all, [](const WhyReport::Statement& s) { return s.distance == ~0u; });
  std::ranges::stable_sort(all, {}, &WhyReport::Statement::distance);
  if (all.size() > most) all.resize(most);
  report.statements = std::move(all);
}

}  // namespace twinrun
