// SPDX-License-Identifier: MIT
#include "profile/profile_text.h"

#include <charconv>

namespace twinrun {
namespace {

std::optional<uint64_t> parse_digits(std::string_view text, int base) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

bool ProfileLines::next() {
  if (rest_.empty()) return false;
  const size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  return true;
}

void ProfileWords::skip_blanks() {
  while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
}

std::string_view ProfileWords::next() {
  skip_blanks();
  size_t size = 0;
  while (size < rest_.size() && !is_blank(rest_[size])) ++size;
  const std::string_view word = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return word;
}

bool ProfileWords::at_end() {
  skip_blanks();
  return rest_.empty();
}

std::optional<uint64_t> parse_decimal(std::string_view text) { return parse_digits(text, 10); }

std::optional<uint64_t> parse_hex(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  return parse_digits(text, 16);
}

std::string excerpt(std::string_view text) {
  constexpr size_t kMost = 40;
  return text.size() <= kMost ? fmt::format("'{}'", text)
                              : fmt::format("'{}...'", text.substr(0, kMost));
}

}  // namespace twinrun
