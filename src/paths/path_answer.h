// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_event.h"

#include <cstdint>
#include <vector>

namespace twinrun {

enum class PathWanted : uint8_t { kFirst, kCount, kAll };

struct PathAnswer {
  uint64_t count = 0;                // with kFirst: 0 or 1
  PathPosition first = kNoPosition;  // not with kCount
  std::vector<PathPosition> all;     // with kAll, ascending
  PathStats stats;

  /// False when nothing more is wanted.
  bool take(PathWanted wanted, PathPosition position) {
    if (count++ == 0) first = position;
    if (wanted == PathWanted::kAll) all.push_back(position);
    return wanted != PathWanted::kFirst;
  }
};

}  // namespace twinrun
