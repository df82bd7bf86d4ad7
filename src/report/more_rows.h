// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace twinrun {

/// How many rows are not shown: "1 more place", "12 more places".
inline std::string more_rows(uint64_t count, std::string_view noun) {
  return fmt::format("{} more {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace twinrun
