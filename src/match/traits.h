// SPDX-License-Identifier: MIT
// What things of two binaries have in common, when they are not equal.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace twinrun {

/// Something that can be said of a procedure or a block, and how much it says.
struct Trait {
  uint64_t hash = 0;
  double weight = 0;
};
using Traits = std::vector<Trait>;

/// Sorts, and makes the second of a kind another trait than the first.
void number_repeated(Traits& traits);

/// Two things that are each other's best choice by far.
struct LikePair {
  uint32_t a = 0;
  uint32_t b = 0;
  double likeness = 0;  // 0..1, and the bonus
  double second = 0;    // of the next best choice of either
};

struct LikenessLimits {
  double threshold = 0;  // what a pair needs at least
  double margin = 1;     // and times the next best choice of either
  double enough = 0;     // weight in common below which a pair counts less
};

/// By the weight of common traits, as a part of all traits of the two. In the order of the old
/// ones; empty traits are nobody's choice. O(pairs of equal traits).
std::vector<LikePair> choose_alike(std::span<const Traits> olds, std::span<const Traits> news,
                                   const LikenessLimits& limits,
                                   const std::function<double(uint32_t, uint32_t)>& bonus = {});

}  // namespace twinrun
