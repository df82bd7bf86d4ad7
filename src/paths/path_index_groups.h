// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "paths/path_index.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace twinrun {

/// The index of a trace in several parts, by functions, so that a question needs to read one of
/// them only.
class PathIndexGroups {
 public:
  static constexpr size_t kGroupGrams = 2048;

  /// Tells settled grams of whole functions, in ascending order; the same each time.
  using Each = std::function<void(const PathGrams::Tell&)>;
  /// A group has at most `group_grams`, or one function.
  static Bytes encode(const Each& each, int level, size_t group_grams = kGroupGrams);
  /// From untrusted bytes, which must outlive it; T005 or T006. The groups are looked at when they
  /// are asked for.
  static Result<PathIndexGroups> open(ByteSpan bytes);

  /// The index that knows all about the function.
  [[nodiscard]] Result<PathIndex> of(uint32_t function, PathLengths lengths) const;
  [[nodiscard]] size_t size() const { return groups_.size(); }
  [[nodiscard]] Result<PathIndex> group(size_t number) const;

 private:
  struct Group {
    uint32_t first = 0;  // function
    ByteSpan bytes;
  };
  std::vector<Group> groups_;
};

/// The index as a file of at most so many bytes, if that is possible without giving up single
/// segments; made smaller by reducing orders. Only some functions are in memory at a time.
Bytes encode_groups_within(const PathIndexGroups::Each& each, size_t most_bytes, int level);
/// In one piece, that also needs at most so much memory when everything has been asked: measured
/// only.
Bytes encode_index_within(PathGrams grams, size_t most_bytes, size_t most_memory, int level);

}  // namespace twinrun
