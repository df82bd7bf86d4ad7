// SPDX-License-Identifier: MIT
#include "base/text.h"

#include "base/escape.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace twinrun {
namespace {

std::string scaled(double value, double step, std::string_view units, std::string_view suffix) {
  size_t unit = 0;
  // 999.5 would print as "1000".
  while (value >= step * 0.9995 && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  const std::string digits =
      unit == 0 || value >= 99.95 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
  if (unit == 0) return digits;
  return fmt::format("{} {}{}", digits, units[unit], suffix);
}

}  // namespace

std::string format_count(uint64_t count) {
  if (count < 1000) return fmt::format("{}", count);
  return scaled(static_cast<double>(count), 1000, " kMGTPE", "");
}

std::string format_size(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  return scaled(static_cast<double>(bytes), 1024, " KMGTPE", "iB");
}

std::string format_duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string cut_text(std::string text, size_t most) {
  // Characters, not bytes: those that go on in UTF-8 begin with the bits 10.
  const auto begins = [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; };
  if (static_cast<size_t>(std::ranges::count_if(text, begins)) <= most) return text;
  const size_t kept = most - std::min<size_t>(most, 3);
  size_t characters = 0;
  size_t end = 0;
  for (; end < text.size(); ++end)
    if (begins(text[end]) && characters++ == kept) break;
  text.resize(end);
  return text + "...";
}

std::string hex_text(ByteSpan bytes) {
  std::string out;
  for (const uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

Result<uint64_t> parse_size(std::string_view text) {
  const auto bad = [&] {
    return std::unexpected(Error{"C003",
                                 fmt::format("'{}' is no size", escape_for_terminal(text)),
                                 "write a number of bytes with an optional suffix: 4096, 64K, 1.5G",
                                 {}});
  };
  double value = 0;
  const auto [end, status] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (status != std::errc() || value < 0) return bad();
  std::string_view suffix(end, text.data() + text.size() - end);
  if (suffix.ends_with("iB")) {
    suffix.remove_suffix(2);
    if (suffix.empty()) return bad();
  } else if (suffix.ends_with("B")) {
    suffix.remove_suffix(1);
  }
  constexpr std::string_view kUnits = "KMGT";
  if (suffix.size() > 1) return bad();
  if (suffix.size() == 1) {
    const size_t unit =
        kUnits.find(suffix[0] >= 'a' ? static_cast<char>(suffix[0] - 32) : suffix[0]);
    if (unit == std::string_view::npos) return bad();
    value = std::ldexp(value, static_cast<int>(10 * (unit + 1)));
  }
  if (!(value < 9.2e18)) return bad();
  return static_cast<uint64_t>(value);
}

}  // namespace twinrun
