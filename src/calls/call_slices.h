// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/run.h"
#include "trace/reader.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace twinrun {

/// A call: steps [from, to) of its thread.
struct CallSlice {
  uint32_t track = 0;
  uint32_t name = 0;
  uint64_t from = 0;
  uint64_t to = 0;
};

/// The calls of a run as stretches of time, the longest ones if they are many.
struct CallSlices {
  struct Track {
    uint32_t process = 0;
    uint32_t thread = 0;
    uint32_t stack = 0;  // 0: the thread's own; others it has switched to

    auto operator<=>(const Track&) const = default;
  };
  std::map<uint32_t, std::string> processes;  // base names of the programs
  std::vector<std::string> names;             // of functions
  std::vector<Track> tracks;
  /// By track. In a track each begins behind the one before it or inside of it; those inside end
  /// with it or earlier.
  std::vector<CallSlice> slices;
  uint64_t calls = 0;     // all
  uint64_t shortest = 0;  // instructions: what is shorter was left out; 0: nothing was
};

struct CallSliceOptions {
  size_t limit = 100'000;                  // 0: none
  std::function<void(uint64_t)> progress;  // instructions so far
};

/// Walks over the run. Memory follows the limit and the depth of calls. Where there are more calls
/// than the limit, the shortest are left out; as a call is no shorter than what it calls, those
/// that stay have all their callers.
Result<CallSlices> call_slices(Run& run, const CallSliceOptions& options);

}  // namespace twinrun
