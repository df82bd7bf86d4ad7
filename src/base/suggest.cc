// SPDX-License-Identifier: MIT
#include "base/suggest.h"

#include "base/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace twinrun {

size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the optimal string alignment table: two before, one before, current.
  std::vector<size_t> older(b.size() + 1);
  std::vector<size_t> previous(b.size() + 1);
  std::vector<size_t> current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], older[j - 2] + 1);
      }
    }
    std::swap(older, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

std::vector<std::string> suggest(std::string_view typed, std::span<const std::string> candidates) {
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    const size_t limit = std::max<size_t>(1, std::max(typed.size(), candidate.size()) / 3);
    const size_t distance = edit_distance(typed, candidate);
    const bool is_start = typed.size() >= 3 && candidate.starts_with(typed);
    if (distance <= limit || is_start) near.emplace_back(is_start ? 1 : distance, candidate);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::vector<std::string> out;
  for (auto& [distance, name] : near) {
    if (distance > near.front().first || out.size() == 3) break;
    out.push_back(std::move(name));
  }
  return out;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates) {
  std::string out;
  for (const std::string& name : suggest(typed, candidates)) {
    out += fmt::format("{}'{}'", out.empty() ? "did you mean " : " or ", escape_for_terminal(name));
  }
  if (!out.empty()) out += "?";
  return out;
}

}  // namespace twinrun
