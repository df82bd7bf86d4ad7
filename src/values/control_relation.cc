// SPDX-License-Identifier: MIT
#include "values/control_relation.h"

#include "program/dominators.h"
#include "program/eh_frame.h"

#include <algorithm>

namespace twinrun {

Result<ControlRelation::Module*> ControlRelation::module(const MappedFile& file) {
  const auto [found, is_new] = modules_.try_emplace({file.path, file.build_id});
  Module& out = found->second;
  if (!is_new) return &out;
  const auto image = binaries_.code(file);
  const Binaries::Binary& binary = binaries_.get(file);
  if (!image || !binary.symbols) return &out;
  if (!std::exchange(has_jumps_, true)) {
    TRY(jumps_, observed_jumps(reader_, process_, dictionary_));
  }
  std::vector<ObservedEdge> observed;
  const auto in_file = [&](uint64_t address, uint64_t blocks) -> std::optional<uint64_t> {
    const Mapping* mapping = maps_.find({address}, blocks);
    if (mapping == nullptr || mapping->file == Mapping::kNoFile ||
        maps_.files()[mapping->file] != file)
      return std::nullopt;
    return binary.symbols->address_of_offset(mapping->offset + (address - mapping->start.value));
  };
  const auto frames = read_eh_frame(*image);
  FunctionTable table = FunctionTable::make(*image, binary.symbols.get(), frames);
  for (const ObservedJump& jump : jumps_) {
    const auto from = in_file(jump.from, jump.block);
    const auto to = in_file(jump.to, jump.block);
    if (from && to && table.find(*from) == table.find(*to)) observed.push_back({*from, *to});
  }
  out.flow = ControlFlow::build(*image, std::move(table), frames, observed);
  return &out;
}

ControlRelation::OfFunction ControlRelation::depend(const Cfg& cfg) {
  OfFunction out;
  for (const CodeBlock& block : cfg.blocks) out.starts.push_back(block.start);
  out.branches.resize(cfg.blocks.size());
  const auto exits = cfg.exits();
  const PostDominators post = post_dominators(cfg.graph(), cfg.entry, exits);
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
  const Mapping* mapping = maps_.find({address}, blocks);
  if (mapping == nullptr || mapping->file == Mapping::kNoFile) return &known->second;
  const MappedFile& file = maps_.files()[mapping->file];
  TRY(Module * there, module(file));
  if (!there->flow) return &known->second;
  const auto in_elf = binaries_.get(file).symbols->address_of_offset(
      mapping->offset + (address - mapping->start.value));
  if (!in_elf) return &known->second;
  const auto function = there->flow->functions().find(*in_elf);
  if (!function) return &known->second;
  const uint32_t whole = there->flow->functions().whole(*function);
  const Cfg& cfg = there->flow->cfg(whole);
  const auto [made, is_first] = there->functions.try_emplace(whole);
  if (is_first) made->second = depend(cfg);
  const std::vector<uint64_t>& starts = made->second.starts;
  const auto behind = std::ranges::upper_bound(starts, *in_elf);
  if (behind == starts.begin()) return &known->second;
  const auto block = static_cast<size_t>(behind - starts.begin()) - 1;
  if (*in_elf >= cfg.blocks[block].end) return &known->second;
  for (const uint64_t branch : made->second.branches[block])
    known->second.push_back(branch + (address - *in_elf));
  return &known->second;
}

}  // namespace twinrun
