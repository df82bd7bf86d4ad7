// SPDX-License-Identifier: MIT
#include "profile/code_index.h"

#include <algorithm>

namespace twinrun {

CodeIndex::CodeIndex(const ModuleCode& binary) : binary_(binary) {
  const uint32_t functions = binary.flow().functions().size();
  first_entry_.resize(functions);
  uint32_t total = 0;
  for (uint32_t f = 0; f < functions; ++f) {
    first_entry_[f] = total;
    const Cfg& graph = binary.flow().cfg(f);
    for (uint32_t b = 0; b < graph.blocks.size(); ++b)
      entries_.push_back({graph.blocks[b].start, {f, b}, {}});
    total += static_cast<uint32_t>(graph.blocks.size());
  }
  std::ranges::stable_sort(entries_, {}, &Entry::start);
  by_function_.resize(entries_.size());
  for (uint32_t i = 0; i < entries_.size(); ++i)
    by_function_[first_entry_[entries_[i].spot.function] + entries_[i].spot.block] = i;
}

void CodeIndex::decode(Entry& entry) {
  const CodeBlock& b = block(entry.spot);
  for (uint64_t at = b.start; at < b.end;) {
    const auto instruction = decoder_.decode(binary_.image().at(at), at);
    if (!instruction) break;
    entry.instructions.push_back(*instruction);
    at = instruction->end();
  }
}

bool CodeIndex::holds(Entry& entry, uint64_t address) {
  if (address >= block(entry.spot).end) return false;
  const auto& all = instructions(entry.spot);
  const auto at = std::ranges::lower_bound(all, address, {}, &Instruction::address);
  return at != all.end() && at->address == address;
}

std::optional<CodeIndex::Spot> CodeIndex::find(uint64_t address) {
  // Blocks overlap only where code jumps into the middle of an instruction: then the one that holds
  // the address can be a few before.
  constexpr int kOverlaps = 4;
  auto at = std::ranges::upper_bound(entries_, address, {}, &Entry::start);
  for (int i = 0; i < kOverlaps && at != entries_.begin(); ++i)
    if (holds(*--at, address)) return at->spot;
  return std::nullopt;
}

std::optional<CodeIndex::Spot> CodeIndex::starting_at(uint64_t address) const {
  const auto at = std::ranges::lower_bound(entries_, address, {}, &Entry::start);
  if (at == entries_.end() || at->start != address) return std::nullopt;
  return at->spot;
}

std::optional<uint32_t> CodeIndex::ending_at(uint32_t function, uint64_t end) const {
  const auto& blocks = cfg(function).blocks;
  auto at = std::ranges::lower_bound(blocks, end, {}, &CodeBlock::start);
  constexpr int kOverlaps = 4;
  for (int i = 0; i < kOverlaps && at != blocks.begin(); ++i)
    if ((--at)->end == end) return static_cast<uint32_t>(at - blocks.begin());
  return std::nullopt;
}

const std::vector<Instruction>& CodeIndex::instructions(const Spot& spot) {
  Entry& entry = entries_[by_function_[first_entry_[spot.function] + spot.block]];
  if (entry.instructions.empty()) decode(entry);
  return entry.instructions;
}

Instruction CodeIndex::last(const Spot& spot) {
  const auto& all = instructions(spot);
  if (!all.empty()) return all.back();
  Instruction none;
  none.address = block(spot).start;
  return none;
}

std::span<const CfgEdge> edges_from(const Cfg& cfg, uint32_t block) {
  const auto begin = std::ranges::lower_bound(cfg.edges, block, {}, &CfgEdge::from);
  const auto end = std::ranges::upper_bound(begin, cfg.edges.end(), block, {}, &CfgEdge::from);
  return {begin, end};
}

}  // namespace twinrun
