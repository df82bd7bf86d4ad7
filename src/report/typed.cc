// SPDX-License-Identifier: MIT
#include "report/typed.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace twinrun {
namespace {

/// All of the text as a number; nothing when some of it is left over.
template <typename Number, typename... How>
std::optional<Number> all_of(std::string_view text, How... how) {
  Number number{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [behind, error] = std::from_chars(begin, end, number, how...);
  if (error != std::errc{} || behind != end) return std::nullopt;
  return number;
}

/// "97" of "97 'a'" and "0x4010" of `0x4010 "text"`: what stands behind says the same in other
/// words.
std::string_view number_part(std::string_view text) {
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos || blank + 1 == text.size()) return text;
  const char next = text[blank + 1];
  return next == '\'' || next == '"' ? text.substr(0, blank) : text;
}

/// "0644" is octal in some texts, and in no other anything.
bool has_leading_zero(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

}  // namespace

Json moment_json(const Position& at) {
  return {{"process", at.process.value}, {"thread", at.thread.value}, {"step", at.step.value}};
}

Json typed_value(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  if (text == "NULL") return 0;
  const std::string_view number = number_part(text);
  if (number.starts_with("0x")) {
    const auto value = all_of<uint64_t>(number.substr(2), 16);
    return value ? Json(*value) : Json();
  }
  if (has_leading_zero(number)) return {};
  if (const auto value = all_of<uint64_t>(number)) return *value;
  if (const auto value = all_of<int64_t>(number)) return *value;
  // More digits than 64 bits have are no less a number, but rounding would be a lie.
  if (number.find_first_of(".e") == std::string_view::npos) return {};
  const auto value = all_of<double>(number);
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

void add_value(Json& row, const std::string& key, const std::string& text) {
  row[key] = text;
  if (Json typed = typed_value(text); !typed.is_null()) row[key + "_typed"] = std::move(typed);
}

void add_address(Json& row, const std::string& key, uint64_t address) {
  row[key] = fmt::format("{:#x}", address);
  row[key + "_number"] = address;
}

Json bytes_json(std::string_view text) {
  const size_t colon = text.find(':');
  if (text.starts_with("0x") && colon != std::string_view::npos) {
    const auto address = all_of<uint64_t>(text.substr(2, colon - 2), 16);
    const auto size = all_of<uint64_t>(text.substr(colon + 1));
    if (address && size) return {{"address", *address}, {"size", *size}};
  }
  return {{"register", text}};
}

}  // namespace twinrun
