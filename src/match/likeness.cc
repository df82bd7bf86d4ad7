// SPDX-License-Identifier: MIT
// Procedures without names, by what is rare about them: code, data, numbers, imported functions,
// and who of the matched ones calls them or is called. Each round pairs those that are each other's
// best choice by far; what it pairs makes their callers and callees known for the next one.
#include "match/matcher.h"
#include "match/mix.h"
#include "match/traits.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cmath>

namespace twinrun {
namespace {

// What is in common must be at least this part of all that is rare about the two, round by round.
constexpr double kLikenessThresholds[] = {0.7, 0.5, 0.35, 0.25, 0.16};
// The best choice must be better than the next one by this factor.
constexpr double kMargin = 1.2;
constexpr uint32_t kMostCommon = 100;  // procedures; what more of them have is not rare
constexpr double kNeighbourBonus = 0.12;
constexpr int kMostLikenessRounds =
    24;  // with one threshold: each costs as much as the binaries are large
constexpr double kNamedThreshold = 0.3;
constexpr double kKnownThreshold = 0.5;

// Numbers that are everywhere.
bool is_small(int64_t number) { return number > -32 && number < 32; }

class LikenessMatcher {
 public:
  explicit LikenessMatcher(MatchContext& context) : context_(context) {
    for (const Side side : kSides) {
      auto& traits = fixed_[static_cast<size_t>(side)];
      traits.resize(context.shape(side).procedures().size());
      for (uint32_t p = 0; p < traits.size(); ++p)
        if (is_open(side, p)) traits[p] = fixed_traits(side, p);
      unmatched_ += std::ranges::count_if(traits, [](const auto& t) { return !t.empty(); });
    }
    weigh();
  }

  void run() {
    for (const double threshold : kLikenessThresholds)
      for (int rounds = 0; rounds < kMostLikenessRounds && round(threshold);) ++rounds;
  }

 private:
  [[nodiscard]] bool is_open(Side side, uint32_t p) const {
    return !context_.state.procedures.has(side, p);
  }

  [[nodiscard]] Traits fixed_traits(Side side, uint32_t p) const {
    const BinaryShape& shape = context_.shape(side);
    const ShapeProcedure& procedure = shape.procedures()[p];
    Traits out;
    const auto add = [&](uint64_t kind, uint64_t value, double weight) {
      out.push_back({Mix(kind).add(value).value(), weight});
    };
    for (uint32_t i = 0; i < procedure.block_count; ++i) {
      const uint32_t number = procedure.first_block + i;
      const ShapeBlock& block = shape.blocks()[number];
      if (block.substance >= 3) add(1, context_.hasher(side).hash(number, Level::k3), 1.0);
      if (block.substance >= 4) add(2, context_.hasher(side).hash(number, Level::k5), 0.5);
      for (const ShapeInstruction& in : shape.instructions_of(block)) {
        if (in.has_immediate && !is_small(in.immediate))
          add(3, Mix(in.group).add(static_cast<uint64_t>(in.immediate)).value(), 0.7);
        if (in.has_displacement && !is_small(in.displacement))
          add(4, static_cast<uint64_t>(int64_t{in.displacement}), 0.3);
        if (in.target_kind == TargetKind::kData && shape.data()[in.target].hash != 0)
          add(5, shape.data()[in.target].hash, 1.5);
        if (in.target_kind == TargetKind::kBlock && in.flow == Flow::kCall) {
          const ShapeProcedure& callee = shape.procedures()[shape.blocks()[in.target].procedure];
          if (callee.is_stub) add(6, Mix(7).add(hash_text(callee.name.symbol)).value(), 1.0);
        }
      }
    }
    number_repeated(out);
    return out;
  }

  static uint64_t hash_text(std::string_view text) {
    Mix mix;
    for (const char c : text) mix.add(static_cast<uint8_t>(c));
    return mix.value();
  }

  // Rare traits weigh more; common ones are dropped.
  void weigh() {
    boost::unordered_flat_map<uint64_t, uint32_t> frequency;
    for (const auto& side : fixed_)
      for (const auto& traits : side)
        for (const Trait& trait : traits) ++frequency[trait.hash];
    for (auto& side : fixed_)
      for (auto& traits : side) {
        std::erase_if(traits, [&](Trait& trait) {
          const uint32_t common = frequency[trait.hash];
          trait.weight *= rarity(common);
          return common > kMostCommon;
        });
      }
  }

  [[nodiscard]] double rarity(uint32_t frequency) const {
    return std::log2(1 + 2 * static_cast<double>(unmatched_) / (frequency + 1.0));
  }

  // Calls from and to procedures that are matched.
  void add_calls(Side side, uint32_t p, Traits& out) const {
    const BinaryShape& shape = context_.shape(side);
    const auto add = [&](std::span<const uint32_t> others, uint64_t kind, bool of_callers) {
      std::vector<uint32_t> known;
      for (const uint32_t other : others)
        if (context_.state.procedures.has(side, other)) known.push_back(other);
      std::ranges::sort(known);
      uint64_t times = 0;
      for (size_t i = 0; i < known.size(); ++i) {
        times = i > 0 && known[i] == known[i - 1] ? times + 1 : 0;
        const size_t degree =
            of_callers ? shape.callees(known[i]).size() : shape.callers(known[i]).size();
        if (degree > 4 * size_t{kMostCommon}) continue;
        const uint64_t identity = context_.state.procedures.identity(side, known[i]);
        out.push_back({Mix(kind).add(identity).add(times).value(),
                       1.5 * rarity(static_cast<uint32_t>(degree))});
      }
    };
    add(shape.callees(p), 8, false);
    add(shape.callers(p), 9, true);
  }

  // The neighbours in the binary are matched to each other.
  [[nodiscard]] double neighbours(uint32_t a, uint32_t b) const {
    const Pairing& pairs = context_.state.procedures;
    double out = 0;
    if (a > 0 && b > 0 && pairs.partner(Side::kOld, a - 1) == b - 1) out += kNeighbourBonus;
    if (a + 1 < pairs.size(Side::kOld) && b + 1 < pairs.size(Side::kNew) &&
        pairs.partner(Side::kOld, a + 1) == b + 1)
      out += kNeighbourBonus;
    return out;
  }

  bool round(double threshold) {
    std::array<std::vector<Traits>, 2> traits;
    for (const Side side : kSides) {
      auto& of_side = traits[static_cast<size_t>(side)];
      of_side = fixed_[static_cast<size_t>(side)];
      for (uint32_t p = 0; p < of_side.size(); ++p)
        if (is_open(side, p))
          add_calls(side, p, of_side[p]);
        else
          of_side[p].clear();
    }
    const auto pairs = choose_alike(traits[0], traits[1],
                                    {.threshold = threshold, .margin = kMargin, .enough = kEnough},
                                    [&](uint32_t p, uint32_t q) { return neighbours(p, q); });
    bool found = false;
    for (const LikePair& pair : pairs) {
      if (pair.likeness < name_threshold(pair.a, pair.b)) continue;
      context_.pair_procedures(pair.a, pair.b, StepId::kLikeness,
                               strength(pair.a, pair.likeness, pair.second));
      found = true;
    }
    return found;
  }

  // A procedure that is not found by its name is a new one, as a rule, or was renamed; one whose
  // name the other binary knows is not another one.
  [[nodiscard]] double name_threshold(uint32_t p, uint32_t q) const {
    const bool are_named = !context_.shape(Side::kOld).procedures()[p].name.empty() &&
                           !context_.shape(Side::kNew).procedures()[q].name.empty();
    if (!are_named || !context_.state.has_common_names) return 0;
    const bool is_known = context_.state.common_name(Side::kOld, p) != 0 ||
                          context_.state.common_name(Side::kNew, q) != 0;
    return is_known ? kKnownThreshold : kNamedThreshold;
  }

  [[nodiscard]] Strength strength(uint32_t p, double score, double second) const {
    const uint32_t size = context_.shape(Side::kOld).procedures()[p].instructions;
    if (score >= 0.7 && second < 0.3 * score && size >= 24) return Strength::kStrong;
    return score >= 0.35 && second < 0.6 * score ? Strength::kFair : Strength::kWeak;
  }

  static constexpr double kEnough = 12;  // some two rare traits

  MatchContext& context_;
  std::array<std::vector<Traits>, 2> fixed_;
  int64_t unmatched_ = 0;
};

}  // namespace

void match_by_likeness(MatchContext& context) { LikenessMatcher(context).run(); }

// What is left: alone between two neighbours that are matched to each other's neighbours.
void match_between(MatchContext& context) {
  const Pairing& pairs = context.state.procedures;
  const auto& olds = context.shape(Side::kOld).procedures();
  const auto& news = context.shape(Side::kNew).procedures();
  for (uint32_t p = 1; p + 1 < olds.size(); ++p) {
    if (pairs.has(Side::kOld, p) || !pairs.has(Side::kOld, p - 1) || !pairs.has(Side::kOld, p + 1))
      continue;
    const uint32_t q = pairs.partner(Side::kOld, p - 1) + 1;
    if (q + 1 >= news.size() || pairs.has(Side::kNew, q) ||
        pairs.partner(Side::kOld, p + 1) != q + 1)
      continue;
    if (context.state.common_name(Side::kOld, p) != 0 ||
        context.state.common_name(Side::kNew, q) != 0)
      continue;
    const double small = std::min(olds[p].instructions, news[q].instructions);
    const double large = std::max(olds[p].instructions, news[q].instructions);
    if (small < 0.5 * large) continue;
    context.pair_procedures(p, q, StepId::kBetween, Strength::kWeak);
  }
}

}  // namespace twinrun
