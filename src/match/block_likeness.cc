// SPDX-License-Identifier: MIT
// Blocks that two compilers made of the same source share no opcodes and no registers, but they
// call the same procedures, refer to the same data, compare with the same numbers and use the same
// members of structures.
#include "match/block_likeness.h"

#include "match/mix.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cmath>

namespace twinrun {
namespace {

constexpr size_t kMostBlocks = 96;  // blocks of one procedure
constexpr double kBlockMargin = 1.15;
constexpr double kAround = 0.3;       // what a neighbour's trait is worth
constexpr double kEnoughInBlock = 3;  // about one rare trait

size_t index(Side side) { return static_cast<size_t>(side); }

}  // namespace

BlockLikeness::BlockLikeness(const MatchContext& context, uint32_t old_procedure,
                             uint32_t new_procedure)
    : context_(context), procedures_{old_procedure, new_procedure} {
  for (const Side side : kSides) {
    const ShapeProcedure& p = procedure(side);
    for (uint32_t i = 0; i < p.block_count; ++i)
      own_[index(side)].push_back(own_traits(side, p.first_block + i));
  }
}

const ShapeProcedure& BlockLikeness::procedure(Side side) const {
  return context_.shape(side).procedures()[procedures_[index(side)]];
}

std::vector<LikePair> BlockLikeness::find(double threshold) const {
  std::array<std::vector<Traits>, 2> traits;
  boost::unordered_flat_map<uint64_t, uint32_t> frequency;
  for (const Side side : kSides) {
    const ShapeProcedure& p = procedure(side);
    for (uint32_t i = 0; i < p.block_count; ++i) {
      traits[index(side)].push_back(
          !context_.state.blocks.has(side, p.first_block + i) ? all_traits(side, i) : Traits());
      for (const Trait& trait : traits[index(side)].back()) ++frequency[trait.hash];
    }
  }
  const double blocks = procedure(Side::kOld).block_count + procedure(Side::kNew).block_count;
  for (auto& side : traits)
    for (Traits& block : side)
      std::erase_if(block, [&](Trait& trait) {
        const uint32_t common = frequency[trait.hash];
        trait.weight *= std::log2(1 + blocks / (common + 1.0));
        return common > 2 * kMostBlocks;
      });
  auto out =
      choose_alike(traits[0], traits[1],
                   {.threshold = threshold, .margin = kBlockMargin, .enough = kEnoughInBlock});
  for (LikePair& pair : out) {
    pair.a += procedure(Side::kOld).first_block;
    pair.b += procedure(Side::kNew).first_block;
  }
  std::ranges::stable_sort(out, std::greater(), &LikePair::likeness);
  return out;
}

Traits BlockLikeness::own_traits(Side side, uint32_t number) const {
  constexpr ShapeRegister kStack = 4;
  const BinaryShape& shape = context_.shape(side);
  const ShapeBlock& block = shape.blocks()[number];
  Traits out;
  const auto add = [&](uint64_t kind, uint64_t value, double weight) {
    out.push_back({Mix(kind).add(value).value(), weight});
  };
  for (const ShapeInstruction& in : shape.instructions_of(block)) {
    if (in.is_padding) continue;
    const auto registers = std::span(in.registers).first(in.register_count);
    const bool uses_stack = std::ranges::find(registers, kStack) != registers.end();
    if (in.has_immediate && !uses_stack && in.immediate != 0)
      add(1, static_cast<uint64_t>(in.immediate), 1);
    if (in.has_displacement && !uses_stack && in.displacement != 0)
      add(2, static_cast<uint64_t>(int64_t{in.displacement}), 1);
    if (in.target_kind == TargetKind::kData) {
      const uint32_t matched = context_.state.data.identity(side, in.target);
      if (matched != kNoMatch)
        add(3, matched, 2);
      else if (shape.data()[in.target].hash != 0)
        add(4, shape.data()[in.target].hash, 2);
    }
    if (in.target_kind == TargetKind::kBlock &&
        shape.blocks()[in.target].procedure != block.procedure) {
      const uint32_t matched =
          context_.state.procedures.identity(side, shape.blocks()[in.target].procedure);
      if (matched != kNoMatch) add(5, matched, 2.5);
    }
    if (in.flow == Flow::kNone) add(6, in.group, 0.3);
  }
  add(7, static_cast<uint64_t>(block.ends), 0.3);
  number_repeated(out);
  return out;
}

// With those of the neighbours, and which neighbours are matched.
Traits BlockLikeness::all_traits(Side side, uint32_t local) const {
  const BinaryShape& shape = context_.shape(side);
  const uint32_t first = procedure(side).first_block;
  const auto& own = own_[index(side)];
  Traits out = own[local];
  const auto add = [&](std::span<const ShapeEdge> edges, uint64_t way) {
    if (edges.size() > 8) return;
    for (const ShapeEdge& e : edges) {
      for (const Trait& trait : own[e.block - first])
        out.push_back({Mix(way).add(trait.hash).value(), kAround * trait.weight});
      if (const uint32_t matched = context_.state.blocks.identity(side, e.block);
          matched != kNoMatch)
        out.push_back({Mix(way + 2).add(matched).value(), 1.2});
    }
  };
  add(shape.successors(first + local), 10);
  add(shape.predecessors(first + local), 11);
  return out;
}

}  // namespace twinrun
