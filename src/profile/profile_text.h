// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace twinrun {

/// The lines of a profile, without their ends, counted from 1.
class ProfileLines {
 public:
  explicit ProfileLines(std::string_view text) : rest_(text) {}

  /// False at the end.
  bool next();
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] uint64_t number() const { return number_; }
  /// F002 with the number of the line: "line 12: the count is missing".
  template <typename... Args>
  [[nodiscard]] std::unexpected<Error> bad(fmt::format_string<Args...> format,
                                           Args&&... args) const {
    return fail("F002", "line {}: {}", number_, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  std::string_view rest_;
  std::string_view line_;
  uint64_t number_ = 0;
};

/// The words of a line, apart by blanks.
class ProfileWords {
 public:
  explicit ProfileWords(std::string_view line) : rest_(line) {}
  /// Empty when there is no more.
  std::string_view next();
  [[nodiscard]] bool at_end();

 private:
  void skip_blanks();
  std::string_view rest_;
};

/// All of the text must be digits, and the number fit.
std::optional<uint64_t> parse_decimal(std::string_view text);
/// With or without "0x".
std::optional<uint64_t> parse_hex(std::string_view text);

/// The start of a text in quotes for messages: never long, whatever the file holds.
std::string excerpt(std::string_view text);

}  // namespace twinrun
