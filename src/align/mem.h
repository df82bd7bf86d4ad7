// SPDX-License-Identifier: MIT
#pragma once

#include "align/mem_comp.h"
#include "align/symbolic_comp.h"
#include "base/result.h"
#include "base/work.h"
#include "memory/allocations.h"
#include "run/code_names.h"
#include "trace/position.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

class RunPair;

/// What `twinrun mem` says: the memories of two runs at moments that correspond.
struct MemReport {
  struct Moment {
    Position a;  // in front of these instructions
    Position b;
    SourcePlace where;
    MemoryComparison memory;
    std::optional<SymbolicComparison> symbolic;
  };
  std::vector<Moment> moments;
  std::string program;        // base name of the file that the runs execute
  uint64_t more_moments = 0;  // divergences that were not looked at

  [[nodiscard]] bool is_same() const;
};

inline constexpr std::string_view kFollowingMemory = "following memory";

struct MemOptions {
  std::string at;            // a position of the first run; empty: at divergences
  uint32_t divergences = 3;  // so many of them
  bool online = false;       // pointers by where they came from
  bool symbolic = false;     // by reference paths, too
  std::vector<AllocatorRule> allocators;
  size_t most_rows = 10000;
  WorkSink work;  // stages of align(), and kFollowingMemory
};

/// A005 when the second run does not execute the instruction at that moment; other errors as of
/// align(). V001 when a recording has no values.
Result<MemReport> mem(RunPair& runs, const MemOptions& options);

}  // namespace twinrun
