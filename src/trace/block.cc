// SPDX-License-Identifier: MIT
#include "trace/block.h"

#include <algorithm>
#include <numeric>

namespace twinrun {
namespace {

std::unexpected<Error> malformed(const char* what) {
  return fail("T006", "a block definition is malformed: {}", what);
}

}  // namespace

Addr BlockDef::last_instruction() const {
  if (lengths.empty()) return address;
  return {address.value + bytes.size() - lengths.back()};
}

uint32_t BlockDef::begun(uint32_t variant) const {
  if (variant + 1 >= variants) return instructions();
  ByteReader in(exits);
  for (uint32_t i = 0; i < variant; ++i) in.varint();
  return static_cast<uint32_t>(in.varint());
}

Result<BlockDef> parse_block(ByteSpan payload) {
  ByteReader in(payload);
  BlockDef out;
  const uint64_t id = in.varint();
  const uint64_t variants = in.varint();
  out.address = {in.varint()};
  out.flags = static_cast<uint32_t>(in.varint());
  out.jump = static_cast<uint32_t>(in.varint());
  const uint64_t instructions = in.varint();
  if (in.failed()) return malformed("it is cut short");
  if (id == 0 || variants == 0 || id >= kBlockValueMax || variants >= kBlockValueMax - id)
    return malformed("its id is out of range");
  if (instructions > kBlockInstructionsMax) return malformed("it has too many instructions");
  out.id = {static_cast<uint32_t>(id)};
  out.variants = static_cast<uint32_t>(variants);
  out.lengths = in.take(instructions);
  out.bytes = in.take(std::accumulate(out.lengths.begin(), out.lengths.end(), uint64_t{0}));
  // Each side exit takes a byte at least, so this also bounds the variants.
  const size_t exits_at = in.position();
  for (uint64_t i = 1; i < variants && !in.failed(); ++i)
    if (in.varint() > instructions) return malformed("a side exit is behind its end");
  if (in.failed()) return malformed("it is cut short");
  out.exits = payload.subspan(exits_at, in.position() - exits_at);
  if (out.has_ir()) out.ir = in.take(in.left());
  return out;
}

Result<void> CountTable::add(const BlockDef& block) {
  const uint32_t first = block.id.value;
  if (first > entries_.size() + kBlockValueGap) return malformed("its id leaves a gap");
  if (entries_.size() < first + block.variants) entries_.resize(first + block.variants);
  ByteReader exits(block.exits);
  for (uint32_t variant = 0; variant < block.variants; ++variant) {
    Entry& entry = entries_[first + variant];
    if (entry.special != kUndefined) return malformed("its id is taken");
    entry.count =
        variant + 1 < block.variants ? static_cast<uint32_t>(exits.varint()) : block.instructions();
    entry.special = 0;
    if (block.is_rep() && block.variants > 1)
      entry.special = kRep | (variant == 0 ? kZeroExit : 0) |
                      (static_cast<uint32_t>(block.last_instruction().value) & kPlace);
  }
  return {};
}

Result<void> CountTable::add_definitions(ByteSpan defs) {
  DefinitionReader in(defs);
  Definition def;
  while (in.next(def)) {
    if (def.kind != TW_DEF_BLOCK) continue;
    TRY(const BlockDef block, parse_block(def.payload));
    TRY_VOID(add(block));
  }
  if (in.failed()) return malformed("it is cut short");
  return {};
}

void CountTable::inherit(const CountTable& parent, uint32_t limit) {
  const size_t count = std::min<size_t>(limit, parent.entries_.size());
  entries_.assign(parent.entries_.begin(), parent.entries_.begin() + count);
}

Result<void> Dictionary::add(std::shared_ptr<const Bytes> defs) {
  DefinitionReader in(*defs);
  owned_.push_back(std::move(defs));
  Definition def;
  while (in.next(def)) {
    if (def.kind == TW_DEF_HELPER) {
      ByteReader payload(def.payload);
      const uint64_t number = payload.varint();
      const std::string_view name = payload.string();
      if (payload.failed()) return fail("T006", "a helper definition is malformed");
      helpers_[number] = name;
      continue;
    }
    if (def.kind == TW_DEF_JUMP) {
      ByteReader payload(def.payload);
      const uint64_t from = payload.varint();
      const uint64_t to = payload.varint();
      const uint64_t block = payload.varint();
      if (payload.failed() || from > UINT32_MAX || to > UINT32_MAX)
        return fail("T006", "the definition of a jump is malformed");
      jumps_.push_back({static_cast<uint32_t>(from), static_cast<uint32_t>(to), block});
      continue;
    }
    if (def.kind != TW_DEF_BLOCK) continue;
    TRY(const BlockDef block, parse_block(def.payload));
    TRY_VOID(counts_.add(block));
    blocks_.push_back(block);
    if (by_value_.size() < counts_.size()) by_value_.resize(counts_.size());
    std::fill_n(by_value_.begin() + block.id.value, block.variants,
                static_cast<uint32_t>(blocks_.size()));
  }
  if (in.failed()) return malformed("it is cut short");
  return {};
}

void Dictionary::inherit(const Dictionary& parent, uint32_t block_limit, uint32_t helper_limit) {
  owned_ = parent.owned_;
  for (const BlockDef& block : parent.blocks_)
    if (block.id.value < block_limit) blocks_.push_back(block);
  for (const auto& [number, name] : parent.helpers_)
    if (number < helper_limit) helpers_.emplace(number, name);
  for (const Jump& jump : parent.jumps_)
    if (jump.from < block_limit && jump.to < block_limit) jumps_.push_back(jump);
  for (uint32_t i = 0; i < blocks_.size(); ++i) {
    // The parent accepted these definitions, so its child does.
    if (!counts_.add(blocks_[i])) continue;
    if (by_value_.size() < counts_.size()) by_value_.resize(counts_.size());
    std::fill_n(by_value_.begin() + blocks_[i].id.value, blocks_[i].variants, i + 1);
  }
}

std::string_view Dictionary::helper(uint64_t number) const {
  const auto it = helpers_.find(number);
  return it == helpers_.end() ? std::string_view() : it->second;
}

}  // namespace twinrun
