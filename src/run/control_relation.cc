// SPDX-License-Identifier: MIT
#include "run/control_relation.h"

#include "program/dominators.h"
#include "program/eh_frame.h"
#include "program/instruction.h"
#include "trace/count.h"
#include "trace/event.h"

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>

namespace twinrun {

Result<void> ControlRelation::need_jumps() {
  if (std::exchange(has_jumps_, true)) return {};
  // Two stream values one after another, the first one of a block that ends in an indirect jump.
  const Decoder decoder;
  std::vector<bool> is_indirect(dictionary_.counts().size());
  for (const BlockDef& block : dictionary_.blocks()) {
    if (block.jump != TW_JUMP_BORING || block.lengths.empty()) continue;
    const uint64_t last = block.last_instruction().value;
    const auto code = block.bytes.subspan(last - block.address.value);
    const auto decoded = decoder.decode(code, last);
    if (decoded && decoded->flow == Flow::kIndirectJump)
      is_indirect[block.id.value + block.variants - 1] = true;
  }
  boost::unordered_flat_set<uint64_t> seen;
  for (const uint32_t frame : process_.segments) {
    TRY(const SegmentData data,
        reader_.load(frame, stream_bit(TW_STREAM_BLOCKS) | stream_bit(TW_STREAM_EVENTS)));
    // Where another thread or a signal handler runs next, nothing jumped.
    std::vector<uint64_t> breaks;
    EventReader events(data.events());
    Event event;
    while (events.next(event)) {
      if (event.kind == TW_EVENT_THREAD_SWITCH || event.kind == TW_EVENT_SIGNAL)
        breaks.push_back(event.at);
    }
    auto next_break = breaks.begin();
    const ByteSpan blocks = data.blocks();
    const TwSegmentHeader& header = reader_.frames()[frame].segment;
    uint32_t before = 0;
    for (uint32_t i = 0; i < header.block_count; ++i) {
      const uint32_t value = block_at(blocks, i);
      for (; next_break != breaks.end() && *next_break <= i; ++next_break) before = 0;
      if (before != 0 && seen.insert(uint64_t{before} << 32 | value).second) {
        const BlockDef* from = dictionary_.find(before);
        const BlockDef* to = dictionary_.find(value);
        if (from != nullptr && to != nullptr)
          jumps_.try_emplace({from->last_instruction().value, to->address.value},
                             header.first_block + i);
      }
      before = value < is_indirect.size() && is_indirect[value] ? value : 0;
    }
  }
  return {};
}

Result<ControlRelation::Module*> ControlRelation::module(const MappedFile& file) {
  const auto [found, is_new] = modules_.try_emplace({file.path, file.build_id});
  Module& out = found->second;
  if (!is_new) return &out;
  const auto image = binaries_.code(file);
  const Binaries::Binary& binary = binaries_.get(file);
  if (!image || !binary.symbols) return &out;
  TRY_VOID(need_jumps());
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
  for (const auto& [jump, blocks] : jumps_) {
    const auto from = in_file(jump.from, blocks);
    const auto to = in_file(jump.to, blocks);
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
