// SPDX-License-Identifier: MIT
// The paper's matching of dependent nodes (section 3.2, Figure 9).
//
// Each node of A begins with all of B as possible counterparts (roots: what match_roots() found),
// and passes over the graph take away what its relatives contradict. Forward: a counterpart of n
// depends, directly or not, on a counterpart of each of n's nearest ancestors that have any.
// Backward: it leads to a counterpart of one of n's nearest descendants that have any. Ancestors
// and descendants rather than parents and children, and a node among its own, because compilers
// add, merge and remove copies, spills and moves: a chain on one side is one node on the other
// (Figure 8). Sets only shrink, so it ends; in practice after two or three iterations.
//
// Sets are rows of bits: |A| * |B| / 8 bytes for the matches, and |B|^2 / 4 for the ancestors and
// descendants of B's nodes. An iteration costs one "or" of a row for each counterpart of each
// nearest relative. Signatures are compared once for each pair.
#include "history/match_graphs.h"

#include <boost/dynamic_bitset.hpp>

#include <algorithm>

namespace twinrun {
namespace {

using Bits = boost::dynamic_bitset<uint64_t>;

template <typename Visit>
void for_each_bit(const Bits& bits, Visit&& visit) {
  for (size_t at = bits.find_first(); at != Bits::npos; at = bits.find_next(at))
    visit(static_cast<uint32_t>(at));
}

/// Each node's descendants and itself, or ancestors and itself.
std::vector<Bits> closures(const DependenceGraph& graph, bool descendants) {
  std::vector<Bits> out(graph.nodes(), Bits(graph.nodes()));
  const auto add = [&](uint32_t node) {
    out[node].set(node);
    for (const uint32_t next : descendants ? graph.children(node) : graph.parents(node))
      out[node] |= out[next];
  };
  const auto order = graph.topological();
  if (descendants)
    std::ranges::for_each(order.rbegin(), order.rend(), add);
  else
    std::ranges::for_each(order, add);
  return out;
}

class GraphMatcher {
 public:
  GraphMatcher(const DependenceGraph& a, const DependenceGraph& b, const RootMatches& roots,
               const SameSignature& same, NoRelatives no_relatives)
      : a_(a),
        no_relatives_(no_relatives),
        ancestors_(closures(b, false)),
        descendants_(closures(b, true)),
        match_(a.nodes(), Bits(b.nodes())),
        all_(b.nodes()) {
    all_.set();
    for (uint32_t n = 0; n < a.nodes(); ++n) {
      if (a.is_root(n)) continue;
      for (uint32_t of_b = 0; of_b < b.nodes(); ++of_b) match_[n].set(of_b, same(n, of_b));
    }
    for (const auto& [of_a, of_b] : roots.pairs) match_[of_a].set(of_b);
  }

  GraphMatches run() {
    GraphMatches out;
    for (bool changes = true; changes;) {
      changes = forward();
      changes |= backward();
      out.set_sizes.push_back(mean_size());
    }
    for (const Bits& match : match_) {
      out.of_a.emplace_back();
      for_each_bit(match, [&](uint32_t node) { out.of_a.back().push_back(node); });
    }
    return out;
  }

 private:
  bool forward() {
    bool changes = false;
    for (const uint32_t n : a_.topological()) {
      if (a_.is_root(n)) continue;
      const std::vector<uint32_t> nearest = nearest_relatives(n, false);
      if (nearest.empty() && no_relatives_ == NoRelatives::kAnything) continue;
      Bits candidates = nearest.empty() ? Bits(all_.size()) : all_;
      for (const uint32_t ancestor : nearest) candidates &= joined(match_[ancestor], descendants_);
      changes |= keep(n, candidates);
    }
    return changes;
  }

  bool backward() {
    bool changes = false;
    const auto order = a_.topological();
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
      if (a_.is_leaf(*n)) continue;
      const std::vector<uint32_t> nearest = nearest_relatives(*n, true);
      if (nearest.empty() && no_relatives_ == NoRelatives::kAnything) continue;
      Bits candidates(all_.size());
      for (const uint32_t descendant : nearest)
        candidates |= joined(match_[descendant], ancestors_);
      changes |= keep(*n, candidates);
    }
    return changes;
  }

  /// iAnc or iDes: on each way the first one that has a counterpart.
  std::vector<uint32_t> nearest_relatives(uint32_t of, bool descendants) const {
    std::vector<uint32_t> out;
    std::vector<uint32_t> open{of};
    std::vector<bool> is_seen(a_.nodes());
    while (!open.empty()) {
      const uint32_t node = open.back();
      open.pop_back();
      for (const uint32_t next : descendants ? a_.children(node) : a_.parents(node)) {
        if (is_seen[next]) continue;
        is_seen[next] = true;
        (match_[next].any() ? out : open).push_back(next);
      }
    }
    return out;
  }

  static Bits joined(const Bits& nodes, const std::vector<Bits>& rows) {
    Bits out(nodes.size());
    for_each_bit(nodes, [&](uint32_t node) { out |= rows[node]; });
    return out;
  }

  bool keep(uint32_t node, const Bits& candidates) {
    if (match_[node].is_subset_of(candidates)) return false;
    match_[node] &= candidates;
    return true;
  }

  [[nodiscard]] double mean_size() const {
    size_t sum = 0;
    size_t count = 0;
    for (const Bits& match : match_) {
      sum += match.count();
      count += match.any() ? 1 : 0;
    }
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
  }

  const DependenceGraph& a_;
  NoRelatives no_relatives_;
  std::vector<Bits> ancestors_;    // of B's nodes, with themselves
  std::vector<Bits> descendants_;  // the same
  std::vector<Bits> match_;        // of A's nodes
  Bits all_;
};

}  // namespace

std::vector<uint32_t> GraphMatches::unmatched_b(uint32_t nodes_of_b) const {
  std::vector<bool> is_matched(nodes_of_b);
  for (const std::vector<uint32_t>& match : of_a)
    for (const uint32_t node : match) is_matched[node] = true;
  std::vector<uint32_t> out;
  for (uint32_t node = 0; node < nodes_of_b; ++node)
    if (!is_matched[node]) out.push_back(node);
  return out;
}

GraphMatches match_graphs(const DependenceGraph& a, const DependenceGraph& b,
                          const RootMatches& roots, const SameSignature& same,
                          NoRelatives no_relatives) {
  return GraphMatcher(a, b, roots, same, no_relatives).run();
}

}  // namespace twinrun
