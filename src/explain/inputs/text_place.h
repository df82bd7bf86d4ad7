// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/reader.h"
#include "values/outside_source.h"

#include <cstdint>
#include <optional>
#include <string>

namespace twinrun {

/// Where a byte of a file is, as people see files. Not escaped.
struct TextPlace {
  uint64_t line = 0;  // the first is 1
  uint64_t column = 0;
  std::string word;  // what stands there, from the beginning of its word on; empty: the line ends

  bool operator==(const TextPlace&) const = default;
};

/// Of a byte that was read from a file. Nothing when it is not text, or was not read from the
/// beginning without a gap.
Result<std::optional<TextPlace>> text_place(const Reader& reader, const OutsideSource& source);

}  // namespace twinrun
