// SPDX-License-Identifier: MIT
// Procedures by name, by hash and by percentage of equal blocks.
#include "match/equal_blocks.h"
#include "match/matcher.h"
#include "match/order.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <map>
#include <string_view>

namespace twinrun {
namespace {

// Unmatched procedures of both sides that have something in common.
struct Group {
  std::vector<uint32_t> old_ones;
  std::vector<uint32_t> new_ones;
};

template <typename Key, typename KeyOf>
std::map<Key, Group> group_unmatched(const MatchContext& context, const KeyOf& key_of) {
  std::map<Key, Group> out;
  for (const Side side : kSides)
    for (uint32_t p = 0; p < context.shape(side).procedures().size(); ++p) {
      if (context.state.procedures.has(side, p)) continue;
      const Key key = key_of(side, p);
      if (key == Key{}) continue;
      Group& group = out[key];
      (side == Side::kOld ? group.old_ones : group.new_ones).push_back(p);
    }
  return out;
}

// Several procedures of one name: static functions of different files. First those with the same
// code, then in the order of the binary, if there are as many of them.
void pair_namesakes(MatchContext& context, const Group& group, StepId step, Strength one,
                    Strength several) {
  if (group.old_ones.size() == 1 && group.new_ones.size() == 1) {
    context.pair_procedures(group.old_ones[0], group.new_ones[0], step, one);
    return;
  }
  std::vector<uint32_t> left = group.new_ones;
  std::vector<uint32_t> rest;
  for (const uint32_t p : group.old_ones) {
    const uint64_t hash = context.hasher(Side::kOld).procedure_hash(p, Level::k3);
    const auto same = std::ranges::find_if(left, [&](uint32_t q) {
      return context.hasher(Side::kNew).procedure_hash(q, Level::k3) == hash;
    });
    if (same == left.end()) {
      rest.push_back(p);
      continue;
    }
    context.pair_procedures(p, *same, step, several);
    left.erase(same);
  }
  if (rest.size() != left.size()) return;
  for (size_t i = 0; i < rest.size(); ++i) context.pair_procedures(rest[i], left[i], step, several);
}

template <typename NameOf>
void match_names(MatchContext& context, StepId step, Strength one, Strength several,
                 const NameOf& name_of) {
  const auto groups =
      group_unmatched<std::string_view>(context, [&](Side side, uint32_t p) -> std::string_view {
        return name_of(context.shape(side).procedures()[p].name);
      });
  for (const auto& [name, group] : groups)
    if (!group.old_ones.empty() && !group.new_ones.empty())
      pair_namesakes(context, group, step, one, several);
}

// Of procedures with the same code, how sure is it that they are the same? The more code, the less
// chance; and some levels look at less of it.
Strength hash_strength(Level level, uint32_t instructions, bool is_unique) {
  const bool is_large = instructions >= 12;
  if (!is_unique) return is_large && level <= Level::k1 ? Strength::kFair : Strength::kWeak;
  switch (level) {
    case Level::k0:
    case Level::k1:
    case Level::k2:
      return is_large ? Strength::kExact : instructions >= 6 ? Strength::kFair : Strength::kWeak;
    case Level::k3:
      return instructions >= 24 ? Strength::kStrong : is_large ? Strength::kFair : Strength::kWeak;
    case Level::k1a: return is_large ? Strength::kFair : Strength::kWeak;
    default: return instructions >= 24 ? Strength::kFair : Strength::kWeak;
  }
}

// Whether what is matched changes hash values of the level.
bool depends_on_matches(Level level) {
  return level_info(level).targets >= LevelInfo::Targets::kBlock;
}

// Two names that differ speak against a pair, if names mean anything here.
Strength name_limit(const MatchContext& context, uint32_t p, uint32_t q) {
  const std::string& old_name = context.shape(Side::kOld).procedures()[p].name.hierarchical;
  const std::string& new_name = context.shape(Side::kNew).procedures()[q].name.hierarchical;
  const bool differ = !old_name.empty() && !new_name.empty() && old_name != new_name;
  if (!differ || !context.state.has_common_names) return Strength::kExact;
  const bool is_known = context.state.common_name(Side::kOld, p) != 0 ||
                        context.state.common_name(Side::kNew, q) != 0;
  return is_known ? Strength::kFair : Strength::kStrong;
}

bool match_equal_procedures(MatchContext& context, Level level, bool in_order) {
  const size_t before = context.state.procedures.count();
  const auto groups = group_unmatched<uint64_t>(context, [&](Side side, uint32_t p) {
    return context.hasher(side).procedure_hash(p, level);
  });
  const auto add = [&](uint32_t p, uint32_t q, bool is_unique) {
    const uint32_t size = context.shape(Side::kOld).procedures()[p].instructions;
    context.state.procedures.add(
        p, q,
        {static_cast<uint8_t>(StepId::kProcedureHash),
         static_cast<uint8_t>(static_cast<uint8_t>(level) + 1),
         std::min(hash_strength(level, size, is_unique), name_limit(context, p, q))});
  };
  const Chain chain = chain_of(context.state.procedures);
  for (const auto& [hash, group] : groups) {
    if (group.old_ones.size() == 1 && group.new_ones.size() == 1)
      add(group.old_ones[0], group.new_ones[0], true);
    else if (in_order)
      for (const auto& [p, q] : pair_in_order(chain, group.old_ones, group.new_ones))
        add(p, q, false);
  }
  return context.state.procedures.count() != before;
}

// Procedures with equal blocks, for those that are not matched yet.
class EqualBlocks {
 public:
  explicit EqualBlocks(const MatchContext& context) : context_(context) {
    for (const Side side : kSides) {
      auto& blocks = blocks_[static_cast<size_t>(side)];
      blocks.resize(context.shape(side).procedures().size());
      for (uint32_t p = 0; p < blocks.size(); ++p) {
        if (context.state.procedures.has(side, p)) continue;
        blocks[p] = hash_blocks(context.shape(side), context.hasher(side), p, kLeastSize);
        if (side == Side::kNew)
          for (const auto& [hash, size] : blocks[p]) index_[hash].push_back(p);
      }
    }
  }

  struct Candidate {
    uint32_t a = 0;
    uint32_t b = 0;
    double part = 0;
  };
  // Pairs that share a block which few procedures have, best first.
  template <typename Filter>
  [[nodiscard]] std::vector<Candidate> candidates(double threshold, const Filter& filter) const {
    std::vector<Candidate> out;
    const auto& olds = blocks_[0];
    for (uint32_t p = 0; p < olds.size(); ++p) {
      if (context_.state.procedures.has(Side::kOld, p)) continue;
      std::vector<uint32_t> others;
      for (const auto& [hash, size] : olds[p])
        if (const auto it = index_.find(hash); it != index_.end() && it->second.size() <= kMostSame)
          others.insert(others.end(), it->second.begin(), it->second.end());
      std::ranges::sort(others);
      others.erase(std::unique(others.begin(), others.end()), others.end());
      for (const uint32_t q : others) {
        if (context_.state.procedures.has(Side::kNew, q) || !filter(p, q)) continue;
        const uint64_t instructions = context_.shape(Side::kOld).procedures()[p].instructions +
                                      context_.shape(Side::kNew).procedures()[q].instructions;
        const double part = equal_part(olds[p], blocks_[1][q], instructions);
        if (part >= threshold) out.push_back({p, q, part});
      }
    }
    std::ranges::stable_sort(out, std::greater(), &Candidate::part);
    return out;
  }

 private:
  static constexpr uint32_t kLeastSize = 3;
  static constexpr size_t kMostSame = 32;
  const MatchContext& context_;
  std::array<std::vector<HashedBlocks>, 2> blocks_;
  boost::unordered_flat_map<uint64_t, std::vector<uint32_t>> index_;
};

}  // namespace

void match_by_name(MatchContext& context) {
  // With the compiler's suffixes first, then without.
  match_names(context, StepId::kName, Strength::kExact, Strength::kStrong,
              [](const ProcedureName& name) -> const std::string& { return name.symbol; });
  match_names(context, StepId::kName, Strength::kStrong, Strength::kFair,
              [](const ProcedureName& name) -> const std::string& { return name.extended; });
}

void match_by_hierarchical_name(MatchContext& context) {
  match_names(context, StepId::kHierarchicalName, Strength::kStrong, Strength::kFair,
              [](const ProcedureName& name) -> const std::string& { return name.hierarchical; });
}

void match_by_hash(MatchContext& context) {
  // First those that are alone with their hash value, on all levels: what is matched tells apart
  // callers of it that look the same otherwise. Then the rest, by their order.
  for (const bool in_order : {false, true})
    for (const Level level : context.options.procedure_levels)
      while (match_equal_procedures(context, level, in_order) && depends_on_matches(level)) {
      }
}

void match_by_similar_name(MatchContext& context) {
  const EqualBlocks equal(context);
  const auto name = [&](Side side, uint32_t p) -> const std::string& {
    return context.shape(side).procedures()[p].name.hierarchical;
  };
  const auto candidates =
      equal.candidates(context.options.similar_block_threshold, [&](uint32_t p, uint32_t q) {
        return name_likeness(name(Side::kOld, p), name(Side::kNew, q)) >=
               context.options.name_threshold;
      });
  for (const auto& [p, q, part] : candidates)
    if (!context.state.procedures.has(Side::kOld, p) &&
        !context.state.procedures.has(Side::kNew, q))
      context.pair_procedures(p, q, StepId::kSimilarName,
                              part >= 0.7 ? Strength::kFair : Strength::kWeak);
}

void match_by_percentage(MatchContext& context) {
  const EqualBlocks equal(context);
  const auto candidates =
      equal.candidates(context.options.block_threshold, [](uint32_t, uint32_t) { return true; });
  for (const auto& [p, q, part] : candidates) {
    if (context.state.procedures.has(Side::kOld, p) || context.state.procedures.has(Side::kNew, q))
      continue;
    const uint32_t size = context.shape(Side::kOld).procedures()[p].instructions;
    context.pair_procedures(p, q, StepId::kBlockPercentage,
                            part >= 0.8 && size >= 40 ? Strength::kFair : Strength::kWeak);
  }
}

}  // namespace twinrun
