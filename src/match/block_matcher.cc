// SPDX-License-Identifier: MIT
#include "match/block_matcher.h"

#include "match/block_likeness.h"
#include "match/equal_blocks.h"

#include <algorithm>
#include <map>
#include <utility>

namespace twinrun {
namespace {

// How sure a match by hash is: what the level looks at, and how much code it is.
Strength block_strength(Level level, uint32_t instructions, bool is_unique) {
  switch (level) {
    case Level::k0:
    case Level::k1:
      if (instructions <= 1) return Strength::kFair;
      return is_unique && instructions >= 3 ? Strength::kExact : Strength::kStrong;
    // Behind level 3 there is left what is rearranged.
    case Level::k2: return instructions >= 3 ? Strength::kFair : Strength::kWeak;
    case Level::k3: return instructions >= 4 ? Strength::kStrong : Strength::kFair;
    case Level::k4: return instructions >= 6 ? Strength::kFair : Strength::kWeak;
    default: return Strength::kWeak;
  }
}

// In code that is mostly different, equal small blocks say little.
constexpr uint32_t kLeastForeign = 4;

struct Limits {
  bool skip_first_phase = false;
  uint32_t least = 0;        // instructions that a block needs
  uint32_t never_cross = 0;  // blocks up to this size must not cross; ~0: none may
};

Limits limits_of(Level level) {
  switch (level) {
    case Level::k1a: return {.never_cross = ~0u};
    case Level::k3: return {.never_cross = 3};
    case Level::k3a: return {.skip_first_phase = true};
    case Level::k4:
    case Level::k5: return {.least = 3, .never_cross = 3};
    default: return {};
  }
}

bool crosses(const Chain& chain, uint32_t a, uint32_t b) {
  return chain.gap(Side::kOld, a) != chain.gap(Side::kNew, b);
}

}  // namespace

BlockMatcher::BlockMatcher(MatchContext& context, uint32_t old_procedure, uint32_t new_procedure)
    : context_(context), procedures_{old_procedure, new_procedure} {}

bool BlockMatcher::is_complete() const {
  return pairs_.size() ==
         std::min(procedure(Side::kOld).block_count, procedure(Side::kNew).block_count);
}

void BlockMatcher::add(uint32_t a, uint32_t b, StepId step, Level level, Strength strength) {
  context_.state.blocks.add(a, b,
                            {static_cast<uint8_t>(step),
                             static_cast<uint8_t>(static_cast<uint8_t>(level) + 1), strength});
  pairs_.push_back({a, b});
}

void BlockMatcher::add(uint32_t a, uint32_t b, StepId step, Strength strength) {
  context_.state.blocks.add(a, b, {static_cast<uint8_t>(step), 0, strength});
  pairs_.push_back({a, b});
}

Chain BlockMatcher::chain() const {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  pairs.reserve(pairs_.size());
  for (const auto& [a, b] : pairs_) pairs.emplace_back(a, b);
  std::ranges::sort(pairs);
  return Chain(pairs);
}

bool BlockMatcher::has_step(StepId step) const {
  return std::ranges::find(context_.options.steps, step) != context_.options.steps.end();
}

bool BlockMatcher::is_mostly_different() const {
  constexpr double kForeign = 0.4;
  std::array<HashedBlocks, 2> blocks;
  uint64_t instructions = 0;
  for (const Side side : kSides) {
    auto& of_side = blocks[static_cast<size_t>(side)];
    of_side =
        hash_blocks(shape(side), context_.hasher(side), procedures_[static_cast<size_t>(side)], 0);
    for (const auto& [hash, size] : of_side) instructions += size;
  }
  return equal_part(blocks[0], blocks[1], instructions) < kForeign;
}

void BlockMatcher::run() {
  is_foreign_ = is_mostly_different();
  // Behind the levels that look at whole blocks, before those that see little of them.
  const auto look_around = [&] {
    if (std::exchange(has_looked_around_, true) || is_complete()) return;
    if (has_step(StepId::kSwitch)) match_switches();
    if (has_step(StepId::kBlockLikeness)) match_like();
  };
  if (has_step(StepId::kBlockHash))
    for (const Level level : context_.options.block_levels) {
      if (level_info(level).last_only) look_around();
      if (!is_complete()) pass(level);
    }
  look_around();
  if (has_step(StepId::kControlFlow) && !is_complete()) follow_control_flow();
  confirm();
}

// A block is as sure as its procedure, and as its neighbours say: where none before it, or none
// behind it, is matched to one before or behind its partner, it may be a copy from elsewhere.
void BlockMatcher::confirm() {
  const Strength most = context_.state.procedures.rule(procedures_[0]).strength;
  const auto agree = [&](std::span<const ShapeEdge> olds, std::span<const ShapeEdge> news) {
    return std::ranges::any_of(olds, [&](const ShapeEdge& e) {
      const uint32_t partner = context_.state.blocks.partner(Side::kOld, e.block);
      return partner != kNoMatch &&
             std::ranges::find(news, partner, &ShapeEdge::block) != news.end();
    });
  };
  std::vector<std::pair<uint32_t, Strength>> lowered;
  for (const auto& [a, b] : pairs_) {
    const Strength strength = context_.state.blocks.rule(a).strength;
    Strength limit = most;
    if (strength >= Strength::kFair) {
      const auto down = shape(Side::kOld).successors(a);
      const auto up = shape(Side::kOld).predecessors(a);
      const bool is_below = down.empty() || agree(down, shape(Side::kNew).successors(b));
      const bool is_above = up.empty() || agree(up, shape(Side::kNew).predecessors(b));
      if (!is_below && !is_above)
        limit = std::min(limit, is_foreign_ ? Strength::kWeak : Strength::kFair);
      if (!is_below || !is_above) limit = std::min(limit, Strength::kStrong);
    }
    if (limit < strength) lowered.emplace_back(a, limit);
  }
  for (const auto& [a, strength] : lowered) context_.state.blocks.set_strength(a, strength);
}

Strength BlockMatcher::here(Strength strength) const {
  if (!is_foreign_) return strength;
  return strength >= Strength::kStrong ? Strength::kFair : Strength::kWeak;
}

void BlockMatcher::match_like() {
  constexpr double kThresholds[] = {0.5, 0.35, 0.25, 0.15};
  // With one threshold: each round costs as much as the procedure is large.
  constexpr int kMostRounds = 24;
  const BlockLikeness likeness(context_, procedures_[0], procedures_[1]);
  for (const double threshold : kThresholds)
    for (int rounds = 0, found = 1; found != 0 && rounds < kMostRounds && !is_complete();
         ++rounds) {
      found = 0;
      for (const LikePair& like : likeness.find(threshold)) {
        if (has(Side::kOld, like.a) || has(Side::kNew, like.b)) continue;
        const double most_second = is_foreign_ ? 0.4 : 0.5;
        const bool is_fair = like.likeness >= 0.4 && like.second < most_second * like.likeness;
        add(like.a, like.b, StepId::kBlockLikeness, is_fair ? Strength::kFair : Strength::kWeak);
        ++found;
      }
    }
}

void BlockMatcher::pass(Level level) {
  Hashes hashes{.level = level, .values = {}};
  for (const Side side : kSides) {
    const ShapeProcedure& p = procedure(side);
    auto& values = hashes.values[static_cast<size_t>(side)];
    values.assign(p.block_count, 0);
    for (uint32_t i = 0; i < p.block_count; ++i)
      if (!has(side, p.first_block + i))
        values[i] = context_.hasher(side).hash(p.first_block + i, level);
  }
  propagated_ = 0;
  if (!limits_of(level).skip_first_phase) {
    match_equal(hashes, true);
    propagate(hashes);
    match_equal(hashes, false);
  }
  propagate(hashes);
}

// The first phase: blocks with one hash value. Those that are alone with it on both sides; then,
// between neighbours that are matched, as many as there are.
void BlockMatcher::match_equal(const Hashes& hashes, bool unique_only) {
  struct Same {
    std::vector<uint32_t> old_ones;
    std::vector<uint32_t> new_ones;
  };
  Limits limits = limits_of(hashes.level);
  if (is_foreign_ && !has_looked_around_) limits.least = std::max(limits.least, kLeastForeign);
  std::map<uint64_t, Same> groups;
  for (const Side side : kSides) {
    const ShapeProcedure& p = procedure(side);
    for (uint32_t i = 0; i < p.block_count; ++i) {
      const uint32_t block = p.first_block + i;
      if (has(side, block) || size(side, block) < limits.least) continue;
      Same& same = groups[hash(hashes, side, block)];
      (side == Side::kOld ? same.old_ones : same.new_ones).push_back(block);
    }
  }
  const Chain links = chain();
  for (const auto& [value, same] : groups) {
    if (same.old_ones.empty() || same.new_ones.empty()) continue;
    const bool is_unique = same.old_ones.size() == 1 && same.new_ones.size() == 1;
    if (is_unique) {
      const uint32_t a = same.old_ones[0];
      const uint32_t b = same.new_ones[0];
      if (size(Side::kOld, a) <= limits.never_cross && crosses(links, a, b)) continue;
      add(a, b, StepId::kBlockHash, hashes.level,
          here(block_strength(hashes.level, size(Side::kOld, a), true)));
    } else if (!unique_only) {
      for (const auto& [a, b] : pair_in_order(links, same.old_ones, same.new_ones))
        add(a, b, StepId::kBlockHash, hashes.level,
            here(block_strength(hashes.level, size(Side::kOld, a), false)));
    }
  }
}

// The second phase: from matched blocks to their neighbours with the same hash value.
void BlockMatcher::propagate(const Hashes& hashes) {
  for (; propagated_ < pairs_.size(); ++propagated_) {
    const auto [a, b] = pairs_[propagated_];
    try_neighbours(hashes, shape(Side::kOld).successors(a), shape(Side::kNew).successors(b));
    try_neighbours(hashes, shape(Side::kOld).predecessors(a), shape(Side::kNew).predecessors(b));
  }
}

void BlockMatcher::try_neighbours(const Hashes& hashes, std::span<const ShapeEdge> olds,
                                  std::span<const ShapeEdge> news) {
  const uint32_t least = limits_of(hashes.level).least;
  for (const ShapeEdge& e : olds) {
    if (has(Side::kOld, e.block) || size(Side::kOld, e.block) < least) continue;
    const uint64_t wanted = hash(hashes, Side::kOld, e.block);
    // Of several with that value, one that is reached the same way.
    const ShapeEdge* best = nullptr;
    for (const ShapeEdge& f : news)
      if (!has(Side::kNew, f.block) && hash(hashes, Side::kNew, f.block) == wanted &&
          (best == nullptr || (best->kind != e.kind && f.kind == e.kind)))
        best = &f;
    if (best == nullptr) continue;
    const Strength strength =
        block_strength(hashes.level, size(Side::kOld, e.block), best->kind == e.kind);
    const Strength most = hashes.level <= Level::k1 ? Strength::kStrong : Strength::kFair;
    add(e.block, best->block, StepId::kNeighbour, hashes.level, here(std::min(strength, most)));
  }
}

// Compiled switches: tables of the same size, those of matched jumps first, then in their order.
void BlockMatcher::match_switches() {
  const auto& olds = cfg(Side::kOld).tables;
  const auto& news = cfg(Side::kNew).tables;
  std::vector<bool> used(news.size());
  for (const CfgTable& old_table : olds) {
    const uint32_t partner = context_.state.blocks.partner(
        Side::kOld, procedure(Side::kOld).first_block + old_table.block);
    size_t best = news.size();
    for (size_t i = 0; i < news.size(); ++i) {
      if (used[i] || news[i].targets.size() != old_table.targets.size()) continue;
      const bool is_matched = procedure(Side::kNew).first_block + news[i].block == partner;
      if (best == news.size() || is_matched) best = i;
      if (is_matched) break;
    }
    if (best == news.size()) continue;
    used[best] = true;
    match_switch(old_table, news[best]);
  }
}

void BlockMatcher::match_switch(const CfgTable& old_table, const CfgTable& new_table) {
  const uint32_t first_old = procedure(Side::kOld).first_block;
  const uint32_t first_new = procedure(Side::kNew).first_block;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> votes;
  std::map<uint32_t, uint32_t> total_old;
  std::map<uint32_t, uint32_t> total_new;
  size_t agree = 0;
  size_t disagree = 0;
  for (size_t i = 0; i < old_table.targets.size(); ++i) {
    const uint32_t a = old_table.targets[i];
    const uint32_t b = new_table.targets[i];
    if (a == CfgTable::kOutside || b == CfgTable::kOutside) continue;
    ++votes[{a, b}];
    ++total_old[a];
    ++total_new[b];
    if (const uint32_t partner = context_.state.blocks.partner(Side::kOld, first_old + a);
        partner != kNoMatch)
      ++(partner == first_new + b ? agree : disagree);
  }
  // Another version's cases can have other numbers; what is matched already tells.
  if (disagree > agree) return;
  std::vector<std::pair<uint32_t, std::pair<uint32_t, uint32_t>>> ranked;
  ranked.reserve(votes.size());
  for (const auto& [pair, count] : votes) ranked.emplace_back(count, pair);
  std::ranges::stable_sort(ranked, std::greater(), [](const auto& r) { return r.first; });
  for (const auto& [count, pair] : ranked) {
    const auto [a, b] = pair;
    if (has(Side::kOld, first_old + a) || has(Side::kNew, first_new + b)) continue;
    if (2 * count <= total_old[a] && 2 * count <= total_new[b]) continue;
    const bool is_certain = count == total_old[a] && count == total_new[b] && disagree == 0;
    add(first_old + a, first_new + b, StepId::kSwitch,
        is_certain && !is_foreign_ ? Strength::kStrong : Strength::kFair);
  }
}

// Down and up from matched blocks: what is left where both sides go on in the same way.
void BlockMatcher::follow_control_flow() {
  const uint32_t a = procedure(Side::kOld).entry;
  const uint32_t b = procedure(Side::kNew).entry;
  if (!has(Side::kOld, a) && !has(Side::kNew, b)) add(a, b, StepId::kControlFlow, Strength::kWeak);
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const auto [p, q] = pairs_[i];
    follow(shape(Side::kOld).successors(p), shape(Side::kNew).successors(q));
    follow(shape(Side::kOld).predecessors(p), shape(Side::kNew).predecessors(q));
  }
}

void BlockMatcher::follow(std::span<const ShapeEdge> olds, std::span<const ShapeEdge> news) {
  for (const ShapeEdge& e : olds) {
    if (has(Side::kOld, e.block)) continue;
    const auto kin = [&](std::span<const ShapeEdge> edges) {
      return std::ranges::count(edges, e.kind, &ShapeEdge::kind);
    };
    // The only way of its kind on both sides: a table's entries have no order that holds.
    if (kin(olds) != 1 || kin(news) != 1) continue;
    const auto f = std::ranges::find(news, e.kind, &ShapeEdge::kind);
    if (has(Side::kNew, f->block)) continue;
    const ShapeBlock& old_block = shape(Side::kOld).blocks()[e.block];
    const ShapeBlock& new_block = shape(Side::kNew).blocks()[f->block];
    if (old_block.ends != new_block.ends || old_block.landing_pad != new_block.landing_pad)
      continue;
    add(e.block, f->block, StepId::kControlFlow, Strength::kWeak);
  }
}

void match_blocks(MatchContext& context) {
  const Pairing& procedures = context.state.procedures;
  context.has_matched_blocks.resize(procedures.size(Side::kOld));
  for (uint32_t p = 0; p < procedures.size(Side::kOld); ++p) {
    const uint32_t q = procedures.partner(Side::kOld, p);
    if (q == kNoMatch || context.has_matched_blocks[p]) continue;
    BlockMatcher(context, p, q).run();
    context.has_matched_blocks[p] = true;
  }
}

}  // namespace twinrun
