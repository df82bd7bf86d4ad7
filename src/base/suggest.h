// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
/// O(|a| * |b|) time.
size_t edit_distance(std::string_view a, std::string_view b);

/// The candidates a user may have meant by `typed`, nearest first, ties by name; empty when none is
/// near enough to be worth saying.
std::vector<std::string> suggest(std::string_view typed, std::span<const std::string> candidates);

/// "did you mean 'record'?", or empty.
std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates);

}  // namespace twinrun
