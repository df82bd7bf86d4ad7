// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_automaton.h"

#include <cstdint>
#include <vector>

namespace twinrun {

/// What is known of the blocks that a rule has at one nesting level, for one path P of m blocks.
struct LevelFlags {
  static constexpr int32_t kNoFactor = -1;

  int32_t prefix = 0;  // length of the longest prefix of P that these blocks end with
  int32_t suffix = 0;  // length of the longest suffix of P that they begin with
  /// Where P has exactly these blocks, and how many they are; kNoFactor: nowhere.
  int32_t internal = 0;
  int32_t internal_length = 0;
  uint64_t occurrences = 0;  // of P in them, if they are of the path's function
};

/// How flags combine (the preprocessing of P that Figure 4 begins with). Tables of O(m^2); joining
/// takes O(m) at worst, a table look-up for nearly all.
class PathFlags {
 public:
  explicit PathFlags(const PathQuery& query);

  [[nodiscard]] const PathAutomaton& automaton() const { return automaton_; }
  [[nodiscard]] LevelFlags of_block(uint32_t block) const;
  /// Of the blocks of `left`, then those of `right`.
  [[nodiscard]] LevelFlags join(const LevelFlags& left, const LevelFlags& right) const;
  /// The suffix flag of that alone: of `right` nothing else is needed.
  [[nodiscard]] int32_t join_suffix(const LevelFlags& left, int32_t right) const;
  /// The automaton's state after these blocks.
  [[nodiscard]] int32_t after(int32_t state, const LevelFlags& right) const;
  /// Occurrences that begin in front of some blocks, where the state is `state`, and end in them:
  /// what the blocks begin with is known by their suffix flag.
  [[nodiscard]] uint32_t crossing(int32_t state, int32_t suffix) const {
    return state <= 0 || suffix == 0 ? 0 : crossing_[index(state, suffix)];
  }

 private:
  [[nodiscard]] size_t index(int32_t row, int32_t column) const {
    return static_cast<size_t>(row) * static_cast<size_t>(m_ + 1) + static_cast<size_t>(column);
  }
  /// P has at `at` the same `length` blocks as at `other`.
  [[nodiscard]] bool same(int32_t at, int32_t other, int32_t length) const {
    return common_[index(at, other)] >= length;
  }

  PathAutomaton automaton_;
  std::vector<uint32_t> path_;
  int32_t m_;
  std::vector<int32_t> border_;  // of each prefix: its longest proper one that is a suffix
  std::vector<int32_t>
      suffix_border_;               // of each suffix, by length: the longest that it begins with
  std::vector<int32_t> common_;     // [i][j]: blocks that P has in common from i and from j on
  std::vector<uint32_t> crossing_;  // [state][suffix]
};

}  // namespace twinrun
