// SPDX-License-Identifier: MIT
#pragma once

#include "match/binary_shape.h"
#include "match/strength.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace twinrun {

/// The two binaries: what is carried over from, and to.
enum class Side : uint8_t { kOld, kNew };
inline constexpr std::array<Side, 2> kSides{Side::kOld, Side::kNew};

/// How a match was found: an act of the method, or one of those added to it, and its level.
struct MatchRule {
  uint8_t step = 0;   // a row of match_steps()
  uint8_t level = 0;  // a Level plus 1; 0: none
  Strength strength = Strength::kNone;
  bool operator==(const MatchRule&) const = default;
};

/// Pairs of one kind of things, one to one.
class Pairing {
 public:
  void resize(size_t old_size, size_t new_size) {
    partners_[0].assign(old_size, kNoMatch);
    partners_[1].assign(new_size, kNoMatch);
    rules_.assign(old_size, {});
  }
  void add(uint32_t old_index, uint32_t new_index, MatchRule rule) {
    partners_[0][old_index] = new_index;
    partners_[1][new_index] = old_index;
    rules_[old_index] = rule;
    ++count_;
  }
  void remove(uint32_t old_index) {
    partners_[1][partners_[0][old_index]] = kNoMatch;
    partners_[0][old_index] = kNoMatch;
    --count_;
  }
  void set_strength(uint32_t old_index, Strength strength) {
    rules_[old_index].strength = strength;
  }
  /// kNoMatch: none.
  [[nodiscard]] uint32_t partner(Side side, uint32_t index) const {
    return partners_[static_cast<size_t>(side)][index];
  }
  [[nodiscard]] bool has(Side side, uint32_t index) const {
    return partner(side, index) != kNoMatch;
  }
  /// A name that both partners share; kNoMatch: unmatched.
  [[nodiscard]] uint32_t identity(Side side, uint32_t index) const {
    const uint32_t found = partner(side, index);
    return found == kNoMatch || side == Side::kNew ? found : index;
  }
  [[nodiscard]] const MatchRule& rule(uint32_t old_index) const { return rules_[old_index]; }
  [[nodiscard]] size_t size(Side side) const { return partners_[static_cast<size_t>(side)].size(); }
  [[nodiscard]] size_t count() const { return count_; }

 private:
  std::array<std::vector<uint32_t>, 2> partners_;
  std::vector<MatchRule> rules_;
  size_t count_ = 0;
};

/// What is matched so far.
struct MatchState {
  Pairing procedures;
  Pairing blocks;
  Pairing data;
  /// Of each procedure, a number for its name that the other binary knows it by, too; 0: none.
  std::array<std::vector<uint32_t>, 2> common_names;
  bool has_common_names = false;  // most procedures of the old binary have one

  [[nodiscard]] uint32_t common_name(Side side, uint32_t procedure) const {
    return common_names[static_cast<size_t>(side)][procedure];
  }
};

}  // namespace twinrun
