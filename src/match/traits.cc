// SPDX-License-Identifier: MIT
#include "match/traits.h"

#include "match/binary_shape.h"
#include "match/mix.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>

namespace twinrun {
namespace {

struct BestChoice {
  uint32_t other = kNoMatch;
  double score = 0;
  double second = 0;

  void offer(uint32_t candidate, double value) {
    if (value > score) {
      second = score;
      score = value;
      other = candidate;
    } else {
      second = std::max(second, value);
    }
  }
};

}  // namespace

void number_repeated(Traits& traits) {
  std::ranges::sort(traits, {}, &Trait::hash);
  uint64_t last = 0;
  uint64_t times = 0;
  for (Trait& trait : traits) {
    times = trait.hash == last ? times + 1 : 0;
    last = trait.hash;
    if (times != 0) trait.hash = Mix(trait.hash).add(times).value();
  }
}

std::vector<LikePair> choose_alike(std::span<const Traits> olds, std::span<const Traits> news,
                                   const LikenessLimits& limits,
                                   const std::function<double(uint32_t, uint32_t)>& bonus) {
  boost::unordered_flat_map<uint64_t, std::vector<uint32_t>> places;
  std::vector<double> totals(news.size());
  for (uint32_t b = 0; b < news.size(); ++b)
    for (const Trait& trait : news[b]) {
      places[trait.hash].push_back(b);
      totals[b] += trait.weight;
    }
  std::vector<BestChoice> old_choices(olds.size());
  std::vector<BestChoice> new_choices(news.size());
  std::vector<double> common(news.size());
  std::vector<uint32_t> seen;
  for (uint32_t a = 0; a < olds.size(); ++a) {
    double total = 0;
    seen.clear();
    for (const Trait& trait : olds[a]) {
      total += trait.weight;
      const auto it = places.find(trait.hash);
      if (it == places.end()) continue;
      for (const uint32_t b : it->second) {
        if (common[b] == 0) seen.push_back(b);
        common[b] += trait.weight;
      }
    }
    for (const uint32_t b : seen) {
      const double all = std::max(total + totals[b] - common[b], common[b]);
      // That little has in common with little says nothing.
      double score = common[b] / all * std::min(1.0, common[b] / limits.enough);
      common[b] = 0;
      if (bonus) score += bonus(a, b);
      old_choices[a].offer(b, score);
      new_choices[b].offer(a, score);
    }
  }
  std::vector<LikePair> out;
  for (uint32_t a = 0; a < old_choices.size(); ++a) {
    const BestChoice& choice = old_choices[a];
    if (choice.other == kNoMatch || choice.score < limits.threshold) continue;
    const BestChoice& back = new_choices[choice.other];
    const double second = std::max(choice.second, back.second);
    if (back.other != a || choice.score < limits.margin * second) continue;
    out.push_back({a, choice.other, choice.score, second});
  }
  return out;
}

}  // namespace twinrun
