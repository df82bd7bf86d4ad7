// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace twinrun {

/// Something the world did to us: a missing file, a corrupt trace, a full disk. `code` is stable
/// ("R012") and documented; `help` says what the user can do. Only cli/ prints it.
struct Error {
  std::string code;
  std::string message;
  std::string help;
  std::vector<std::string> context;  // innermost first: "while reading frame 3 at offset 0x120"

  Error&& with_help(std::string text) && {
    help = std::move(text);
    return std::move(*this);
  }
  Error&& in(std::string where) && {
    context.push_back(std::move(where));
    return std::move(*this);
  }
};

template <typename T>
using Result = std::expected<T, Error>;

/// `return fail("T003", "frame {} is cut short", n);`
template <typename... Args>
[[nodiscard]] std::unexpected<Error> fail(std::string_view code, fmt::format_string<Args...> format,
                                          Args&&... args) {
  return std::unexpected(
      Error{std::string(code), fmt::format(format, std::forward<Args>(args)...), {}, {}});
}

}  // namespace twinrun

/// Propagates an error: `TRY(auto frame, reader.next());` or `TRY_VOID(writer.flush());`
#define TWINRUN_CONCAT_(a, b) a##b
#define TWINRUN_CONCAT(a, b) TWINRUN_CONCAT_(a, b)
#define TRY_IMPL_(tmp, decl, ...)                           \
  auto tmp = (__VA_ARGS__);                                 \
  if (!tmp) return std::unexpected(std::move(tmp).error()); \
  decl = std::move(*tmp)
#define TRY(decl, ...) TRY_IMPL_(TWINRUN_CONCAT(try_, __COUNTER__), decl, __VA_ARGS__)
#define TRY_VOID(...)                                        \
  do {                                                       \
    if (auto try_result = (__VA_ARGS__); !try_result)        \
      return std::unexpected(std::move(try_result).error()); \
  } while (false)
