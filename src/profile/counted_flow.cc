// SPDX-License-Identifier: MIT
#include "profile/counted_flow.h"

#include "profile/address_profile.h"

#include <map>

namespace twinrun {

std::vector<bool> jump_targets(const Cfg& cfg) {
  std::vector<bool> out(cfg.blocks.size());
  for (const CfgEdge& edge : cfg.edges)
    if (edge.kind != EdgeKind::kFallThrough && edge.kind != EdgeKind::kCallReturn)
      out[edge.to] = true;
  for (uint32_t b = 0; b < cfg.blocks.size(); ++b)
    if (cfg.blocks[b].landing_pad || cfg.blocks[b].entered || b == cfg.entry) out[b] = true;
  return out;
}

CountedFlow counted_flow(const ModuleCode& binary, const CodeCounts& counts) {
  CountedFlow out;
  std::map<uint64_t, uint64_t> called;
  for (const CallCount& call : counts.calls) {
    out.calls.push_back({call.site, call.site, call.callee, call.count, true});
    called[call.callee] = add_counts(called[call.callee], call.count);
  }
  for (const FunctionCounts& function : counts.functions) {
    const Cfg& cfg = binary.flow().cfg(function.function);
    const std::vector<bool> targets = jump_targets(cfg);
    for (size_t e = 0; e < cfg.edges.size(); ++e) {
      const CfgEdge& edge = cfg.edges[e];
      if (function.edges[e].value == 0 || edge.kind == EdgeKind::kException) continue;
      const CodeBlock& from = cfg.blocks[edge.from];
      const bool is_next =
          edge.kind == EdgeKind::kFallThrough || edge.kind == EdgeKind::kCallReturn;
      const bool is_choice = from.ends == BlockEnd::kConditionalJump;
      out.edges.push_back({from.last, from.start, cfg.blocks[edge.to].start,
                           function.edges[e].value, !is_next,
                           !is_next || is_choice || targets[edge.to]});
    }
    for (uint32_t b = 0; b < cfg.blocks.size(); ++b)
      if (function.blocks[b].value > 0)
        out.blocks.push_back(
            {cfg.blocks[b].last, cfg.blocks[b].start, 0, function.blocks[b].value});
    if (cfg.blocks.empty()) continue;
    const uint64_t entry = cfg.blocks[cfg.entry].start;
    const auto found = called.find(entry);
    const uint64_t explained = found == called.end() ? 0 : found->second;
    if (function.entries.value > explained)
      out.entries.push_back(
          {AddressProfile::kElsewhere, 0, entry, function.entries.value - explained, true});
  }
  return out;
}

}  // namespace twinrun
