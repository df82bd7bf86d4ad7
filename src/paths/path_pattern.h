// SPDX-License-Identifier: MIT
// The language in which paths are asked for:
//
//     path   = branch { "|" branch }
//     branch = part { part }
//     part   = ( place | "..." | "(" path ")" ) [ "*" | "+" | "?" ]
//     place  = [ FUNCTION "/" ] ( [ FILE ] ":" LINE | "b" NUMBER | ADDRESS )
//
// "..." is anything that the same invocation executes in between, or nothing; a path cannot end so.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// A place that a path names.
struct PathPlace {
  enum class Kind : uint8_t { kLine, kBlock, kAddress };
  Kind kind = Kind::kLine;
  std::string function;  // empty: the one that is asked about
  std::string file;      // of a line; empty: any
  uint64_t number = 0;
  std::string text;  // as written
};

/// A path as the set of its positions (Glushkov): which of them can come first, last, and behind
/// each other. A position stands for one place, or for anything.
struct PathPattern {
  static constexpr uint32_t kAnything = ~0u;

  std::vector<PathPlace> places;
  std::vector<uint32_t> positions;  // of each the place, or kAnything
  std::vector<uint32_t> first;
  std::vector<uint32_t> last;
  std::vector<std::vector<uint32_t>> follow;

  /// Places one behind the other and nothing else.
  [[nodiscard]] bool is_plain() const;
  /// Of the same paths, read from their ends.
  [[nodiscard]] PathPattern reversed() const;
};

/// Q001 for what is no path.
Result<PathPattern> parse_path(std::string_view text);

}  // namespace twinrun
