// SPDX-License-Identifier: MIT
#include "values/control_relation.h"

#include "program/dominators.h"
#include "run/code_space.h"

#include <algorithm>

namespace twinrun {

ControlRelation::OfFunction ControlRelation::depend(const Cfg& cfg) {
  OfFunction out(cfg.blocks.size());
  const PostDominators post = cfg.post_dominators(PostDominance::kNoExceptions);
  const auto relation = control_dependence(post);
  if (!relation) return out;
  for (uint32_t i = 0; i < cfg.blocks.size(); ++i) {
    std::vector<uint64_t>& branches = out[i];
    for (const ControlDependence::Entry& entry : relation->of(i))
      if (entry.branch < cfg.blocks.size()) branches.push_back(cfg.blocks[entry.branch].last);
    std::ranges::sort(branches);
    branches.erase(std::ranges::unique(branches).begin(), branches.end());
  }
  return out;
}

Result<const std::vector<uint64_t>*> ControlRelation::branches(uint64_t address, uint64_t blocks) {
  const auto [known, is_new] = known_.try_emplace(address);
  if (!is_new) return &known->second;
  const ModuleAddress at = process_.module_address({address}, blocks);
  if (!at.is_in_elf) return &known->second;
  TRY(ProcessCode* const code, process_.facet<ProcessCode>());
  const ControlFlow* flow = code->space.flow(process_, *at.file);
  const auto function = flow == nullptr ? std::nullopt : flow->functions().find(at.address.value);
  if (!function) return &known->second;
  const Cfg& cfg = flow->cfg(flow->functions().whole(*function));
  const auto [made, is_first] = functions_.try_emplace(&cfg);
  if (is_first) made->second = depend(cfg);
  const auto behind = std::ranges::upper_bound(cfg.blocks, at.address.value, {}, &CodeBlock::start);
  if (behind == cfg.blocks.begin() || at.address.value >= std::prev(behind)->end)
    return &known->second;
  for (const uint64_t branch : made->second[static_cast<size_t>(behind - cfg.blocks.begin()) - 1])
    known->second.push_back(branch + (address - at.address.value));
  return &known->second;
}

}  // namespace twinrun
