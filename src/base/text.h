// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace twinrun {

/// "138 k", "1.2 M", "950": three significant digits, for counts.
std::string format_count(uint64_t count);

/// "12 B", "1.4 KiB", "3.0 GiB".
std::string format_size(uint64_t bytes);

/// "0.4 s", "3 min 20 s", "2 h 5 min".
std::string format_duration(double seconds);

/// What is behind the last slash of a path; all of it when there is none.
constexpr std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// At most so many characters, the last three dots when some are left out.
std::string cut_text(std::string text, size_t most);

/// "00ff1a": two digits for each byte.
std::string hex_text(ByteSpan bytes);

/// "512", "64K", "1.5G" (powers of 1024, upper or lower case, an optional B or iB behind).
Result<uint64_t> parse_size(std::string_view text);

}  // namespace twinrun
