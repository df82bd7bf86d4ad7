// SPDX-License-Identifier: MIT
#include "profile/migrate.h"

#include "profile/flow_inference.h"

#include <algorithm>
#include <array>
#include <map>

namespace twinrun {
namespace {

// What it costs to deviate from a count, by the strength of the match that it came by.
constexpr std::array<uint32_t, 5> kBlockWeights{0, 8, 20, 40, 60};

class Migrator {
 public:
  Migrator(const BinaryShape& old_shape, const BinaryShape& new_shape, const MatchState& matches,
           const CodeCounts& counts, const MigrateOptions& options)
      : old_(old_shape), new_(new_shape), matches_(matches), counts_(counts), options_(options) {}

  Migration run() {
    out_.counts.is_exact = counts_.is_exact;
    for (const FunctionCounts& counts : counts_.functions) {
      weigh(counts);
      const uint32_t p = old_.procedure_of(counts.function);
      if (p == kNoMatch) continue;
      const uint32_t q = matches_.procedures.partner(Side::kOld, p);
      if (q == kNoMatch || matches_.procedures.rule(p).strength < options_.min_strength) continue;
      out_.counts.functions.push_back(function(counts, p, q));
    }
    std::ranges::sort(out_.counts.functions, {}, &FunctionCounts::function);
    add_calls();
    for (uint32_t q = 0; q < new_.procedures().size(); ++q)
      if (!matches_.procedures.has(Side::kNew, q)) ++out_.carried.new_functions;
    return std::move(out_);
  }

 private:
  void weigh(const FunctionCounts& counts) {
    const uint32_t p = old_.procedure_of(counts.function);
    bool is_executed = false;
    for (size_t b = 0; b < counts.blocks.size(); ++b) {
      if (counts.blocks[b].value == 0) continue;
      is_executed = true;
      if (p == kNoMatch) continue;
      const auto block = static_cast<uint32_t>(old_.procedures()[p].first_block + b);
      const uint64_t weight = counts.blocks[b].value * old_.blocks()[block].count;
      out_.carried.old_weight += weight;
      if (!is_matched(block)) continue;
      out_.carried.matched_weight += weight;
      const auto strength = static_cast<size_t>(matches_.blocks.rule(block).strength);
      out_.carried.by_strength[strength] += weight;
    }
    if (!is_executed) return;
    ++out_.carried.old_functions;
    if (p != kNoMatch && matches_.procedures.has(Side::kOld, p)) ++out_.carried.matched_functions;
  }

  [[nodiscard]] bool is_matched(uint32_t old_block) const {
    return matches_.blocks.has(Side::kOld, old_block) &&
           matches_.blocks.rule(old_block).strength >= options_.min_strength;
  }

  // That a sample has not met a block says little.
  [[nodiscard]] WishedCount wish(const Count& count, Strength strength) const {
    if (!count.is_known()) return {};
    const bool is_missed = count.value == 0 && !counts_.is_exact;
    return {count.value, is_missed ? 1 : kBlockWeights[static_cast<size_t>(strength)]};
  }

  FunctionCounts function(const FunctionCounts& old_counts, uint32_t p, uint32_t q) {
    const ShapeProcedure& old_procedure = old_.procedures()[p];
    const ShapeProcedure& new_procedure = new_.procedures()[q];
    const Cfg& old_cfg = old_.code().flow().cfg(old_procedure.function);
    const Cfg& new_cfg = new_.code().flow().cfg(new_procedure.function);
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> old_edges;  // those that are known
    for (size_t e = 0; e < old_cfg.edges.size(); ++e)
      if (old_counts.edges[e].is_known())
        old_edges[{old_cfg.edges[e].from, old_cfg.edges[e].to}] += old_counts.edges[e].value;

    FlowWishes wishes;
    wishes.entries = wish(old_counts.entries, Strength::kStrong);
    std::vector<uint32_t> partners;  // local numbers of the old blocks
    std::vector<Strength> strengths;
    for (uint32_t b = 0; b < new_procedure.block_count; ++b) {
      const uint32_t a = matches_.blocks.partner(Side::kNew, new_procedure.first_block + b);
      const bool counts = a != kNoMatch && is_matched(a) && old_.blocks()[a].procedure == p;
      partners.push_back(counts ? a - old_procedure.first_block : kNoMatch);
      strengths.push_back(counts ? matches_.blocks.rule(a).strength : Strength::kNone);
      wishes.blocks.push_back(counts ? wish(old_counts.blocks[partners[b]], strengths[b])
                                     : WishedCount());
    }
    for (const CfgEdge& edge : new_cfg.edges) {
      WishedCount wished;
      if (partners[edge.from] != kNoMatch && partners[edge.to] != kNoMatch)
        if (const auto it = old_edges.find({partners[edge.from], partners[edge.to]});
            it != old_edges.end()) {
          const Count count{it->second, CountSource::kMeasured, Strength::kExact};
          wished = wish(count, std::min(strengths[edge.from], strengths[edge.to]));
          wished.weight = (wished.weight + 1) / 2;
        }
      wishes.edges.push_back(wished);
    }
    return result(new_procedure.function, new_cfg, wishes, strengths);
  }

  FunctionCounts result(uint32_t function, const Cfg& cfg, const FlowWishes& wishes,
                        const std::vector<Strength>& strengths) const {
    FunctionCounts out{.function = function};
    const auto carried = [](const WishedCount& from, Strength strength) {
      return from.is_known() ? Count{from.count, CountSource::kMatched, strength} : Count{};
    };
    out.entries = carried(wishes.entries, Strength::kStrong);
    for (size_t b = 0; b < wishes.blocks.size(); ++b)
      out.blocks.push_back(carried(wishes.blocks[b], strengths[b]));
    for (size_t e = 0; e < wishes.edges.size(); ++e)
      out.edges.push_back(carried(
          wishes.edges[e], std::min(strengths[cfg.edges[e].from], strengths[cfg.edges[e].to])));
    if (!options_.infer) return out;
    const InferredFlow flow = infer_flow(cfg, wishes);
    const auto take = [](Count& count, uint64_t value) {
      if (count.is_known() && count.value == value) return;
      count = {value, CountSource::kInferred, Strength::kNone};
    };
    take(out.entries, flow.entries);
    for (size_t b = 0; b < out.blocks.size(); ++b) take(out.blocks[b], flow.blocks[b]);
    for (size_t e = 0; e < out.edges.size(); ++e) take(out.edges[e], flow.edges[e]);
    return out;
  }

  // Direct calls happen as often as their blocks; indirect ones go where those of the matched block
  // went.
  void add_calls() {
    std::map<uint64_t, std::vector<const CallCount*>> old_calls;  // by site
    for (const CallCount& call : counts_.calls) old_calls[call.site].push_back(&call);
    for (const FunctionCounts& counts : out_.counts.functions) {
      const ShapeProcedure& procedure = new_.procedures()[new_.procedure_of(counts.function)];
      for (uint32_t b = 0; b < procedure.block_count; ++b) {
        const uint64_t count = counts.blocks[b].value;
        const ShapeBlock& block = new_.blocks()[procedure.first_block + b];
        if (count == 0 || block.count == 0) continue;
        const ShapeInstruction& last = new_.instructions_of(block).back();
        const uint64_t site = new_.address_of(block, block.count - 1);
        if (last.flow == Flow::kCall) {
          if (last.target_kind == TargetKind::kBlock)
            out_.counts.calls.push_back({site, last.reference, count});
        } else if (last.flow == Flow::kIndirectCall) {
          add_indirect_calls(old_calls, procedure.first_block + b, site, count);
        }
      }
    }
    std::ranges::sort(out_.counts.calls);
  }

  void add_indirect_calls(const std::map<uint64_t, std::vector<const CallCount*>>& old_calls,
                          uint32_t new_block, uint64_t site, uint64_t count) {
    const uint32_t old_block = matches_.blocks.partner(Side::kNew, new_block);
    if (old_block == kNoMatch || old_.blocks()[old_block].count == 0) return;
    const ShapeBlock& block = old_.blocks()[old_block];
    const auto it = old_calls.find(old_.address_of(block, block.count - 1));
    if (it == old_calls.end()) return;
    uint64_t total = 0;
    for (const CallCount* call : it->second) total += call->count;
    for (const CallCount* call : it->second) {
      const auto callee = old_.block_at(call->callee);
      if (!callee || total == 0) continue;
      const uint32_t p = old_.blocks()[*callee].procedure;
      const uint32_t q = matches_.procedures.partner(Side::kOld, p);
      if (q == kNoMatch || old_.procedures()[p].entry != *callee) continue;
      const auto share =
          static_cast<uint64_t>(static_cast<double>(call->count) / static_cast<double>(total) *
                                static_cast<double>(count));
      if (share != 0) out_.counts.calls.push_back({site, new_.procedures()[q].address, share});
    }
  }

  const BinaryShape& old_;
  const BinaryShape& new_;
  const MatchState& matches_;
  const CodeCounts& counts_;
  const MigrateOptions& options_;
  Migration out_;
};

}  // namespace

Migration migrate_counts(const BinaryShape& old_shape, const BinaryShape& new_shape,
                         const MatchState& matches, const CodeCounts& old_counts,
                         const MigrateOptions& options) {
  return Migrator(old_shape, new_shape, matches, old_counts, options).run();
}

}  // namespace twinrun
