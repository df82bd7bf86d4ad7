// SPDX-License-Identifier: MIT
#include "profile/flow_inference.h"

#include "base/check.h"

#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <limits>

namespace twinrun {
namespace {

using Graph = lemon::SmartDigraph;

// Costs beside those of the wishes. What nothing is known of costs a little, so that flow does not
// wander; entering or leaving a function where the code does not say so costs most.
constexpr int64_t kUnknownBlock = 2;
constexpr int64_t kUnknownEdge = 1;
constexpr int64_t kException = 20;
constexpr int64_t kUnforeseen = 400;
constexpr int64_t kNoLimit = int64_t{1} << 48;

class Circulation {
 public:
  explicit Circulation(const Cfg& cfg) : cfg_(cfg), capacity_(graph_), cost_(graph_) {
    const auto count = static_cast<uint32_t>(cfg.blocks.size());
    graph_.reserveNode(static_cast<int>(2 * count + 2));
    for (uint32_t i = 0; i < 2 * count + 2; ++i) graph_.addNode();
  }

  InferredFlow solve(const FlowWishes& wishes) {
    const auto count = static_cast<uint32_t>(cfg_.blocks.size());
    const Arcs entries = add(source(), in(cfg_.entry), wishes.entries, kUnknownEdge);
    std::vector<Arcs> blocks;
    blocks.reserve(count);
    std::vector<Arcs> edges;
    edges.reserve(cfg_.edges.size());
    for (uint32_t b = 0; b < count; ++b)
      blocks.push_back(add(in(b), out(b), wishes.blocks[b], kUnknownBlock));
    for (size_t e = 0; e < cfg_.edges.size(); ++e) {
      const CfgEdge& edge = cfg_.edges[e];
      edges.push_back(add(out(edge.from), in(edge.to), wishes.edges[e],
                          edge.kind == EdgeKind::kException ? kException : kUnknownEdge));
    }
    for (uint32_t b = 0; b < count; ++b) {
      const CodeBlock& block = cfg_.blocks[b];
      const bool is_call = block.ends == BlockEnd::kCall || block.ends == BlockEnd::kIndirectCall;
      if (block.leaves || block.unknown_target || block.ends == BlockEnd::kReturn)
        arc(out(b), sink(), kNoLimit, 0);
      else if (is_call || block.some_targets)
        arc(out(b), sink(), kNoLimit, kUnforeseen);
      if (block.landing_pad || block.entered) arc(source(), in(b), kNoLimit, kUnforeseen);
    }
    arc(sink(), source(), kNoLimit, 0);

    lemon::NetworkSimplex<Graph, int64_t, int64_t> simplex(graph_);
    simplex.upperMap(capacity_).costMap(cost_);
    InferredFlow out;
    out.blocks.resize(count);
    out.edges.resize(cfg_.edges.size());
    if (simplex.run() != simplex.OPTIMAL) return out;  // costs of unlimited arcs are not negative
    const auto flow = [&](const Arcs& arcs) {
      uint64_t sum = 0;
      for (const auto& a : {arcs.wished, arcs.more})
        if (a != lemon::INVALID) sum += static_cast<uint64_t>(simplex.flow(a));
      return sum;
    };
    out.entries = flow(entries);
    for (uint32_t b = 0; b < count; ++b) out.blocks[b] = flow(blocks[b]);
    for (size_t e = 0; e < cfg_.edges.size(); ++e) out.edges[e] = flow(edges[e]);
    return out;
  }

 private:
  struct Arcs {
    Graph::Arc wished = lemon::INVALID;
    Graph::Arc more = lemon::INVALID;
  };

  [[nodiscard]] Graph::Node in(uint32_t block) const {
    return graph_.nodeFromId(static_cast<int>(2 * block));
  }
  [[nodiscard]] Graph::Node out(uint32_t block) const {
    return graph_.nodeFromId(static_cast<int>(2 * block + 1));
  }
  [[nodiscard]] Graph::Node source() const {
    return graph_.nodeFromId(static_cast<int>(2 * cfg_.blocks.size()));
  }
  [[nodiscard]] Graph::Node sink() const {
    return graph_.nodeFromId(static_cast<int>(2 * cfg_.blocks.size() + 1));
  }

  Graph::Arc arc(Graph::Node from, Graph::Node to, int64_t capacity, int64_t cost) {
    const Graph::Arc added = graph_.addArc(from, to);
    capacity_[added] = capacity;
    cost_[added] = cost;
    return added;
  }

  // Up to the wished count each unit is a gain, behind it a loss.
  Arcs add(Graph::Node from, Graph::Node to, const WishedCount& wish, int64_t unknown) {
    Arcs arcs;
    if (!wish.is_known()) {
      arcs.more = arc(from, to, kNoLimit, unknown);
      return arcs;
    }
    const auto count = static_cast<int64_t>(std::min<uint64_t>(wish.count, kNoLimit - 1));
    if (count > 0) arcs.wished = arc(from, to, count, -int64_t{wish.weight});
    arcs.more = arc(from, to, kNoLimit, wish.weight);
    return arcs;
  }

  const Cfg& cfg_;
  Graph graph_;
  Graph::ArcMap<int64_t> capacity_;
  Graph::ArcMap<int64_t> cost_;
};

}  // namespace

InferredFlow infer_flow(const Cfg& cfg, const FlowWishes& wishes) {
  CHECK(wishes.blocks.size() == cfg.blocks.size() && wishes.edges.size() == cfg.edges.size());
  return Circulation(cfg).solve(wishes);
}

}  // namespace twinrun
