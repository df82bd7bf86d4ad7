// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_event.h"

#include <cstdint>
#include <span>

namespace twinrun {

/// An event that is not a block right behind the block before: an entry, an exit, or a block in
/// front of which something passed that is not told (an instruction that repeats itself, a
/// handler).
struct PathMark {
  PathPosition gap = 0;  // steps since the last block ended, or an invocation began; wraps around
  uint32_t event = 0;    // its number among those that are told with it
  bool operator==(const PathMark&) const = default;
};

/// Events of a stream, in order, with the steps of the thread at which they happened: of a block
/// that of its first instruction. Most events are blocks behind blocks, and the marks say which are
/// not, so that who takes them need not look at each.
struct PathTold {
  PathTraceView events;
  std::span<const PathPosition> steps;
  std::span<const PathMark> marks;  // ascending; none when the events were not told by a view
};

}  // namespace twinrun
