// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "explain/answer/why.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

using Uuid = std::array<uint8_t, 16>;  // of a recording

/// An answer as it is kept.
struct KeptWhy {
  Uuid a{};
  Uuid b{};
  Bytes key;  // all that the answer depends on
  WhyReport report;
  std::vector<std::string> warnings;  // about binaries of the first run
};

Bytes encode_why(const KeptWhy& kept);

/// Nothing for what is damaged, of another version of the format, or refers to what it lacks: takes
/// any bytes.
std::optional<KeptWhy> decode_why(ByteSpan bytes);

/// Of the first kWhyHeader bytes: the recordings that the answer is about.
struct WhyFileOf {
  Uuid a{};
  Uuid b{};
};
inline constexpr size_t kWhyHeader = 48;
std::optional<WhyFileOf> why_file_of(ByteSpan header);

}  // namespace twinrun
