// SPDX-License-Identifier: MIT
#include "cli/seconds.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace twinrun {

Result<double> parse_seconds(std::string_view flag, const std::string& text, std::string help) {
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, seconds, std::chars_format::fixed);
  if (status != std::errc() || stop != end || !std::isfinite(seconds) || seconds < 0) {
    return std::unexpected(
        Error{"C003", fmt::format("{}: '{}' is no time", flag, text), std::move(help), {}});
  }
  return seconds;
}

}  // namespace twinrun
