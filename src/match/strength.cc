// SPDX-License-Identifier: MIT
#include "match/strength.h"

#include <array>

namespace twinrun {
namespace {

constexpr std::array<std::string_view, 5> kNames{"none", "weak", "fair", "strong", "exact"};

}  // namespace

std::string_view strength_name(Strength strength) { return kNames[static_cast<size_t>(strength)]; }

std::optional<Strength> parse_strength(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<Strength>(i);
  return std::nullopt;
}

}  // namespace twinrun
