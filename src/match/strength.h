// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace twinrun {

/// How sure a match is; the greater, the surer. docs/cli/match.md says which rules give which, and
/// test/truth/match measures how often each is right.
enum class Strength : uint8_t { kNone, kWeak, kFair, kStrong, kExact };

/// "none", "weak", "fair", "strong", "exact".
std::string_view strength_name(Strength strength);
std::optional<Strength> parse_strength(std::string_view name);

}  // namespace twinrun
