// SPDX-License-Identifier: MIT
// Data by contents, by position and by what refers to it.
#include "match/matcher.h"
#include "match/order.h"

#include <algorithm>
#include <map>

namespace twinrun {
namespace {

void pair_data(MatchContext& context, uint32_t a, uint32_t b, StepId step, Strength strength) {
  context.state.data.add(a, b, {static_cast<uint8_t>(step), 0, strength});
}

bool is_same_kind(const MatchContext& context, uint32_t a, uint32_t b) {
  const auto section = [&](Side side, uint32_t d) {
    const BinaryShape& shape = context.shape(side);
    return shape.data_sections()[shape.data()[d].section];
  };
  const auto old_section = section(Side::kOld, a);
  const auto new_section = section(Side::kNew, b);
  return old_section.is_writable == new_section.is_writable &&
         old_section.has_bytes == new_section.has_bytes;
}

// By how much the sizes differ, as a part of the larger one.
double size_difference(const MatchContext& context, uint32_t a, uint32_t b) {
  const auto old_size = static_cast<double>(context.shape(Side::kOld).data()[a].size);
  const auto new_size = static_cast<double>(context.shape(Side::kNew).data()[b].size);
  return std::abs(old_size - new_size) / std::max({old_size, new_size, 1.0});
}

}  // namespace

void match_data_by_hash(MatchContext& context) {
  struct Same {
    std::vector<uint32_t> old_ones;
    std::vector<uint32_t> new_ones;
  };
  std::map<uint64_t, Same> groups;
  for (const Side side : kSides) {
    const auto& data = context.shape(side).data();
    for (uint32_t d = 0; d < data.size(); ++d) {
      if (data[d].hash == 0 || context.state.data.has(side, d)) continue;
      Same& same = groups[data[d].hash];
      (side == Side::kOld ? same.old_ones : same.new_ones).push_back(d);
    }
  }
  constexpr uint64_t kLarge = 8;
  for (const auto& [hash, same] : groups)
    if (same.old_ones.size() == 1 && same.new_ones.size() == 1) {
      const ShapeData& data = context.shape(Side::kOld).data()[same.old_ones[0]];
      pair_data(context, same.old_ones[0], same.new_ones[0], StepId::kDataHash,
                data.only_addresses   ? Strength::kFair
                : data.size >= kLarge ? Strength::kExact
                                      : Strength::kStrong);
    }
  const Chain chain = chain_of(context.state.data);
  for (const auto& [hash, same] : groups)
    if (same.old_ones.size() + same.new_ones.size() > 2)
      for (const auto& [a, b] : pair_in_order(chain, same.old_ones, same.new_ones))
        pair_data(context, a, b, StepId::kDataHash, Strength::kFair);
}

void match_data_by_position(MatchContext& context) {
  const auto& old_data = context.shape(Side::kOld).data();
  const Pairing& pairs = context.state.data;
  // Between two matched blocks with matched neighbours: as many on both sides, each of about the
  // same size as the other.
  for (uint32_t a = 0; a + 1 < old_data.size(); ++a) {
    if (!pairs.has(Side::kOld, a) || pairs.has(Side::kOld, a + 1)) continue;
    uint32_t last = a + 1;
    while (last < old_data.size() && !pairs.has(Side::kOld, last)) ++last;
    if (last == old_data.size()) break;
    const uint32_t first_new = pairs.partner(Side::kOld, a);
    const uint32_t last_new = pairs.partner(Side::kOld, last);
    if (last_new <= first_new || last_new - first_new != last - a) continue;
    bool fits = true;
    for (uint32_t i = 1; i < last - a && fits; ++i)
      fits = !pairs.has(Side::kNew, first_new + i) && is_same_kind(context, a + i, first_new + i) &&
             size_difference(context, a + i, first_new + i) <= context.options.data_size_threshold;
    if (!fits) continue;
    bool is_same_size = true;
    for (uint32_t i = 1; i < last - a && is_same_size; ++i)
      is_same_size = size_difference(context, a + i, first_new + i) == 0;
    const Strength strength = !is_same_size   ? Strength::kWeak
                              : last - a == 2 ? Strength::kStrong
                                              : Strength::kFair;
    for (uint32_t i = 1; i < last - a; ++i)
      pair_data(context, a + i, first_new + i, StepId::kDataPosition, strength);
  }
}

void match_data_by_reference(MatchContext& context) {
  // Votes of instructions in matched blocks: the n-th of the one and of the other that refer to
  // data, if they do the same.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> counts;
  const BinaryShape& old_shape = context.shape(Side::kOld);
  const BinaryShape& new_shape = context.shape(Side::kNew);
  for (uint32_t p = 0; p < old_shape.blocks().size(); ++p) {
    const uint32_t q = context.state.blocks.partner(Side::kOld, p);
    if (q == kNoMatch || context.state.blocks.rule(p).strength < Strength::kFair) continue;
    std::vector<const ShapeInstruction*> olds;
    std::vector<const ShapeInstruction*> news;
    const auto collect = [](const BinaryShape& shape, uint32_t block, auto& out) {
      for (const ShapeInstruction& i : shape.instructions_of(shape.blocks()[block]))
        if (i.target_kind == TargetKind::kData) out.push_back(&i);
    };
    collect(old_shape, p, olds);
    collect(new_shape, q, news);
    if (olds.size() != news.size()) continue;
    for (size_t i = 0; i < olds.size(); ++i) {
      if (olds[i]->opcode != news[i]->opcode) continue;
      const uint32_t a = olds[i]->target;
      const uint32_t b = news[i]->target;
      const uint64_t old_offset = olds[i]->reference - old_shape.data()[a].address;
      const uint64_t new_offset = news[i]->reference - new_shape.data()[b].address;
      if (old_offset == new_offset) ++counts[{a, b}];
    }
  }
  // The most votes win; a tie decides nothing.
  std::vector<std::pair<uint32_t, std::pair<uint32_t, uint32_t>>> ranked;
  std::map<uint32_t, uint32_t> total_old;
  std::map<uint32_t, uint32_t> total_new;
  for (const auto& [pair, count] : counts) {
    ranked.emplace_back(count, pair);
    total_old[pair.first] += count;
    total_new[pair.second] += count;
  }
  std::ranges::stable_sort(ranked, std::greater(), [](const auto& r) { return r.first; });
  for (const auto& [count, pair] : ranked) {
    const auto [a, b] = pair;
    if (context.state.data.has(Side::kOld, a) || context.state.data.has(Side::kNew, b)) continue;
    if (2 * count <= total_old[a] || 2 * count <= total_new[b] || !is_same_kind(context, a, b))
      continue;
    const bool is_unanimous = count == total_old[a] && count == total_new[b];
    pair_data(context, a, b, StepId::kDataReference,
              is_unanimous && count >= 2 ? Strength::kStrong
              : is_unanimous             ? Strength::kFair
                                         : Strength::kWeak);
  }
}

}  // namespace twinrun
