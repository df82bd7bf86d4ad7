// SPDX-License-Identifier: MIT
#include "values/control_relation.h"

#include "program/dominators.h"

#include <algorithm>

namespace twinrun {

Result<ControlRelation::Module*> ControlRelation::module(const MappedFile& file) {
  const auto [found, is_new] = modules_.try_emplace(module_key(file));
  Module& out = found->second;
  if (!is_new) return &out;
  const auto code = process_.binaries().module(file);
  if (!code) return &out;
  if (!std::exchange(has_jumps_, true)) {
    TRY(jumps_, observed_jumps(process_.reader(), process_.process(), process_.dictionary()));
  }
  const std::span<const uint64_t> called = called_.of(file);
  ObservedCode observed{.called = {called.begin(), called.end()}, .edges = {}};
  for (const ObservedJump& jump : jumps_) {
    const ModuleAddress from = process_.module_address({jump.from}, jump.block);
    const ModuleAddress to = process_.module_address({jump.to}, jump.block);
    const auto is_here = [&](const ModuleAddress& at) {
      return at.is_in_elf && module_key(*at.file) == module_key(file);
    };
    if (is_here(from) && is_here(to))
      observed.edges.push_back({from.address.value, to.address.value});
  }
  out.flow = observed_flow(**code, std::move(observed));
  return &out;
}

ControlRelation::OfFunction ControlRelation::depend(const Cfg& cfg) {
  OfFunction out;
  for (const CodeBlock& block : cfg.blocks) out.starts.push_back(block.start);
  out.branches.resize(cfg.blocks.size());
  const PostDominators post = cfg.post_dominators(PostDominance::kNoExceptions);
  const auto relation = control_dependence(post);
  if (!relation) return out;
  for (uint32_t i = 0; i < cfg.blocks.size(); ++i) {
    std::vector<uint64_t>& branches = out.branches[i];
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
  TRY(Module * there, module(*at.file));
  if (!there->flow) return &known->second;
  const auto function = there->flow->functions().find(at.address.value);
  if (!function) return &known->second;
  const uint32_t whole = there->flow->functions().whole(*function);
  const Cfg& cfg = there->flow->cfg(whole);
  const auto [made, is_first] = there->functions.try_emplace(whole);
  if (is_first) made->second = depend(cfg);
  const std::vector<uint64_t>& starts = made->second.starts;
  const auto behind = std::ranges::upper_bound(starts, at.address.value);
  if (behind == starts.begin()) return &known->second;
  const auto block = static_cast<size_t>(behind - starts.begin()) - 1;
  if (at.address.value >= cfg.blocks[block].end) return &known->second;
  for (const uint64_t branch : made->second.branches[block])
    known->second.push_back(branch + (address - at.address.value));
  return &known->second;
}

}  // namespace twinrun
