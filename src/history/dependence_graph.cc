// SPDX-License-Identifier: MIT
#include "history/dependence_graph.h"

#include <algorithm>

namespace twinrun {
namespace {

using Lists = std::vector<std::vector<uint32_t>>;

Lists successors(uint32_t nodes, std::span<const DependenceGraph::Edge> edges) {
  Lists out(nodes);
  for (const auto& [from, to] : edges)
    if (from != to) out[from].push_back(to);
  for (std::vector<uint32_t>& list : out) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return out;
}

}  // namespace

DependenceGraph::DependenceGraph(uint32_t nodes, std::span<const Edge> edges)
    : parents_(nodes), children_(nodes) {
  const Lists all = successors(nodes, edges);
  enum class State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> state(nodes, State::kNew);
  struct Step {
    uint32_t node;
    size_t next;
  };
  std::vector<Step> way;
  order_.reserve(nodes);
  for (uint32_t start = 0; start < nodes; ++start) {
    if (state[start] != State::kNew) continue;
    way.push_back({start, 0});
    state[start] = State::kOpen;
    while (!way.empty()) {
      Step& step = way.back();
      if (step.next == all[step.node].size()) {
        state[step.node] = State::kDone;
        order_.push_back(step.node);
        way.pop_back();
        continue;
      }
      const uint32_t from = step.node;
      const uint32_t to = all[from][step.next++];
      if (state[to] == State::kOpen) continue;  // leads back
      children_[from].push_back(to);
      parents_[to].push_back(from);
      if (state[to] == State::kDone) continue;
      state[to] = State::kOpen;
      way.push_back({to, 0});
    }
  }
  std::ranges::reverse(order_);
  for (std::vector<uint32_t>& list : parents_) std::ranges::sort(list);
}

uint32_t DependenceGraph::depth() const {
  std::vector<uint32_t> of(nodes());
  uint32_t out = 0;
  for (const uint32_t node : order_) {
    for (const uint32_t parent : parents_[node]) of[node] = std::max(of[node], of[parent] + 1);
    out = std::max(out, of[node]);
  }
  return out;
}

}  // namespace twinrun
