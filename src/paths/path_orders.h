// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_grams.h"

#include <array>
#include <cstdint>
#include <map>

namespace twinrun {

/// Which order the grams of each function have when there is room for so many only: functions that
/// have many, for what is executed in them, get a smaller one. The same limit for all functions
/// leaves open six to nine times as many paths (perl, sqlite3).
class PathOrders {
 public:
  /// Settled grams of functions that have not been added yet.
  void add(const PathGrams& grams);
  /// At most so many grams, or one for each segment. Never more than before.
  void choose(size_t most_grams);

  [[nodiscard]] uint32_t of(uint32_t function) const;
  /// With the orders that have been chosen; about as many: those with equal hashes count once.
  [[nodiscard]] size_t grams() const { return grams_; }
  [[nodiscard]] size_t segments() const { return segments_; }

 private:
  struct OfFunction {
    std::array<size_t, PathGrams::kMostOrder + 1> grams{};  // with each order
    uint64_t executed = 0;                                  // segments
    uint32_t order = PathGrams::kMostOrder;
  };
  [[nodiscard]] static uint32_t order_at(const OfFunction& function, uint64_t price);

  std::map<uint32_t, OfFunction> functions_;
  size_t grams_ = 0;
  size_t segments_ = 0;
};

}  // namespace twinrun
