// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "memory/allocations.h"
#include "memory/stack_areas.h"
#include "run/run.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// What a walk over all of a process, with its values, tells of its memory.
struct MemoryHistory {
  AllocationLog blocks;    // of the heap
  AllocationLog mappings;  // that are no file's
  StackAreas areas;

  struct Options {
    std::vector<AllocatorRule> more;  // before the standard ones
    std::function<void(uint64_t)> progress;
  };
  /// Walks. ProcessValues of the process learns on the way what each segment writes.
  static Result<MemoryHistory> build(RunProcess& process, const Options& options);
};

/// That of the process by the standard rules: what is known of it, else from the file beside the
/// recording if that fits, else made now and kept there. Kept are histories of complete recordings,
/// of processes that are worth it. What cannot be read or written is as if it were not there.
/// Lives as long as the process is open.
Result<const MemoryHistory*> memory_history(RunProcess& process,
                                            const std::function<void(uint64_t)>& progress = {});

/// The log of allocations alone: from the history if that is there and by the same rules, else
/// AllocationLog::build().
Result<std::shared_ptr<const AllocationLog>> kept_or_built_log(
    RunProcess& process, const AllocationLog::Options& options);

/// A process with fewer instructions is walked faster than its file is made.
inline constexpr uint64_t kLeastKeptHistory = 1'000'000;

/// The files with histories of this recording.
std::vector<std::string> kept_histories(const std::string& recording);

}  // namespace twinrun
