// SPDX-License-Identifier: MIT
// Random graphs and slow definitions for the tests of graph algorithms.
#pragma once

#include "program/digraph.h"

#include <cstdlib>
#include <random>
#include <vector>

namespace twinrun {

struct RandomGraph {
  Digraph graph;
  std::vector<Digraph::Node> exits;
};

/// 1 to `most_nodes` nodes; sparse or dense, with self loops, unreachable parts and loops that
/// nothing leaves. Half of them are nearly chains, as code is.
inline RandomGraph random_graph(std::mt19937& random, uint32_t most_nodes) {
  const uint32_t nodes = 1 + random() % most_nodes;
  std::vector<Digraph::Edge> edges;
  if (random() % 2 == 0)
    for (uint32_t node = 0; node + 1 < nodes; ++node)
      if (random() % 8 != 0) edges.push_back({node, node + 1});
  const uint32_t extra = random() % (2 * nodes + 1);
  for (uint32_t i = 0; i < extra; ++i) {
    const auto from = static_cast<uint32_t>(random() % nodes);
    edges.push_back({from, random() % 10 == 0 ? from : static_cast<uint32_t>(random() % nodes)});
  }
  RandomGraph out{Digraph(nodes, edges), {}};
  for (uint32_t node = 0; node < nodes; ++node)
    if (random() % 6 == 0) out.exits.push_back(node);
  return out;
}

/// What `from` reaches on paths without `without`; nothing when it is `without` itself.
inline std::vector<bool> reached_without(const Digraph& graph, Digraph::Node from,
                                         Digraph::Node without) {
  std::vector<bool> seen(graph.size());
  if (from == without) return seen;
  std::vector<Digraph::Node> work{from};
  seen[from] = true;
  while (!work.empty()) {
    const Digraph::Node node = work.back();
    work.pop_back();
    for (const Digraph::Node to : graph.successors(node)) {
      if (to == without || seen[to]) continue;
      seen[to] = true;
      work.push_back(to);
    }
  }
  return seen;
}

}  // namespace twinrun
