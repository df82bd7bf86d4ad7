// SPDX-License-Identifier: MIT
#include "profile/score.h"

#include "profile/address_profile.h"
#include "profile/code_index.h"
#include "profile/counted_flow.h"

#include <algorithm>
#include <map>
#include <vector>

namespace twinrun {
namespace {

bool is_branch_edge(const CfgEdge& edge) {
  return edge.kind != EdgeKind::kCallReturn && edge.kind != EdgeKind::kException;
}

// One function in both profiles; counts are empty where a profile does not mention it.
struct ScoredFunction {
  const Cfg* cfg = nullptr;
  const FunctionCounts* counts = nullptr;
  const FunctionCounts* fresh = nullptr;
  std::vector<bool> is_block;  // begins one that does not end at calls

  static uint64_t block(const FunctionCounts* side, size_t b) {
    return side == nullptr ? 0 : side->blocks[b].value;
  }
  static uint64_t edge(const FunctionCounts* side, size_t e) {
    return side == nullptr ? 0 : side->edges[e].value;
  }
  static bool is_executed(const FunctionCounts* side) {
    return side != nullptr &&
           std::ranges::any_of(side->blocks, [](const Count& c) { return c.value > 0; });
  }
};

// The agreement of two distributions, one pair of counts after another.
class Overlap {
 public:
  void total(uint64_t a, uint64_t b) {
    a_ += static_cast<double>(a);
    b_ += static_cast<double>(b);
  }
  void add(uint64_t a, uint64_t b) {
    if (a_ > 0 && b_ > 0)
      sum_ += std::min(static_cast<double>(a) / a_, static_cast<double>(b) / b_);
  }
  [[nodiscard]] double sum() const { return sum_; }

 private:
  double a_ = 0;
  double b_ = 0;
  double sum_ = 0;
};

void predict(const ScoredFunction& f, ProfileScore& score) {
  const auto& edges = f.cfg->edges;
  for (uint32_t b = 0; b < f.cfg->blocks.size(); ++b) {
    std::vector<size_t> ways;
    for (const CfgEdge& edge : edges_from(*f.cfg, b))
      if (is_branch_edge(edge)) ways.push_back(static_cast<size_t>(&edge - edges.data()));
    if (ways.size() != 2) continue;
    const uint64_t fresh[2] = {ScoredFunction::edge(f.fresh, ways[0]),
                               ScoredFunction::edge(f.fresh, ways[1])};
    const uint64_t other[2] = {ScoredFunction::edge(f.counts, ways[0]),
                               ScoredFunction::edge(f.counts, ways[1])};
    const uint64_t executions = add_counts(fresh[0], fresh[1]);
    if (executions == 0) continue;
    size_t chosen = edges[ways[0]].kind == EdgeKind::kFallThrough ? 0 : 1;
    if (other[0] != other[1]) {
      chosen = other[0] > other[1] ? 0 : 1;
      score.with_information += executions;
    }
    score.branches += executions;
    score.best_hits += std::max(fresh[0], fresh[1]);
    score.hits += fresh[chosen];
  }
}

void cover(const ScoredFunction& f, ProfileScore& score) {
  ++score.functions;
  for (size_t b = 0; b < f.is_block.size(); ++b) {
    if (!f.is_block[b]) continue;
    ++score.blocks;
    const bool fresh = ScoredFunction::block(f.fresh, b) > 0;
    const bool other = ScoredFunction::block(f.counts, b) > 0;
    if (fresh && other) ++score.both;
    if (fresh && !other) ++score.only_fresh;
    if (!fresh && other) ++score.only_other;
  }
}

double overlap_of_blocks(const std::vector<ScoredFunction>& functions) {
  Overlap out;
  const auto each = [&](const auto& use) {
    for (const ScoredFunction& f : functions)
      for (size_t b = 0; b < f.is_block.size(); ++b)
        if (f.is_block[b])
          use(ScoredFunction::block(f.counts, b), ScoredFunction::block(f.fresh, b));
  };
  each([&](uint64_t a, uint64_t b) { out.total(a, b); });
  each([&](uint64_t a, uint64_t b) { out.add(a, b); });
  return out.sum();
}

double overlap_of_edges(const std::vector<ScoredFunction>& functions) {
  Overlap out;
  const auto each = [&](const auto& use) {
    for (const ScoredFunction& f : functions)
      for (size_t e = 0; e < f.cfg->edges.size(); ++e)
        if (is_branch_edge(f.cfg->edges[e]))
          use(ScoredFunction::edge(f.counts, e), ScoredFunction::edge(f.fresh, e));
  };
  each([&](uint64_t a, uint64_t b) { out.total(a, b); });
  each([&](uint64_t a, uint64_t b) { out.add(a, b); });
  return out.sum();
}

double overlap_in_functions(const std::vector<ScoredFunction>& functions) {
  double total = 0;
  double sum = 0;
  for (const ScoredFunction& f : functions) {
    double weight = 0;
    for (size_t b = 0; b < f.is_block.size(); ++b)
      if (f.is_block[b]) weight += static_cast<double>(ScoredFunction::block(f.fresh, b));
    total += weight;
    sum += weight * overlap_of_blocks({f});
  }
  return total > 0 ? sum / total : 0;
}

}  // namespace

ProfileScore score_counts(const ModuleCode& binary, const CodeCounts& counts,
                          const CodeCounts& fresh) {
  std::map<uint32_t, ScoredFunction> by_number;
  for (const FunctionCounts& f : counts.functions) by_number[f.function].counts = &f;
  for (const FunctionCounts& f : fresh.functions) by_number[f.function].fresh = &f;
  std::vector<ScoredFunction> functions;
  for (auto& [number, f] : by_number) {
    if (!ScoredFunction::is_executed(f.counts) && !ScoredFunction::is_executed(f.fresh)) continue;
    f.cfg = &binary.flow().cfg(number);
    // Behind a call begins a block only when something else leads there, too.
    f.is_block = jump_targets(*f.cfg);
    for (const CfgEdge& edge : f.cfg->edges)
      if (edge.kind == EdgeKind::kFallThrough) f.is_block[edge.to] = true;
    functions.push_back(std::move(f));
  }
  ProfileScore out;
  out.block_overlap = overlap_of_blocks(functions);
  out.edge_overlap = overlap_of_edges(functions);
  out.function_overlap = overlap_in_functions(functions);
  for (const ScoredFunction& f : functions) {
    predict(f, out);
    cover(f, out);
  }
  return out;
}

}  // namespace twinrun
