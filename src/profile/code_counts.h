// SPDX-License-Identifier: MIT
#pragma once

#include "match/strength.h"

#include <cstdint>
#include <vector>

namespace twinrun {

/// Where a count comes from. "Matched, count 0" and "unknown" are different things.
enum class CountSource : uint8_t {
  kUnknown,   // nobody knows; the value is 0
  kInferred,  // follows from other counts, because what enters a block leaves it
  kMatched,   // of the matching block of another binary
  kMeasured,  // by the profiler, of this binary
};

struct Count {
  uint64_t value = 0;
  CountSource source = CountSource::kUnknown;
  Strength strength = Strength::kNone;  // of the match it came by; kExact when measured

  [[nodiscard]] bool is_known() const { return source != CountSource::kUnknown; }
  bool operator==(const Count&) const = default;
};

/// The counts of one whole function, parallel to its Cfg.
struct FunctionCounts {
  uint32_t function = 0;      // in the binary's function table
  Count entries;              // how often it was entered: called, or jumped to from outside
  std::vector<Count> blocks;  // parallel to Cfg::blocks
  std::vector<Count> edges;   // parallel to Cfg::edges

  bool operator==(const FunctionCounts&) const = default;
};

/// A call, or a tail jump to the entry of another function, from the instruction at `site`.
struct CallCount {
  uint64_t site = 0;
  uint64_t callee = 0;  // its entry
  uint64_t count = 0;
  auto operator<=>(const CallCount&) const = default;
};

/// A profile as the control flow graphs of one binary see it. Functions without an entry here are
/// unknown in a sampled profile and were not executed in an exact one.
struct CodeCounts {
  bool is_exact = false;                  // every execution was counted, not a sample
  std::vector<FunctionCounts> functions;  // by function, those that something is known of
  std::vector<CallCount> calls;           // sorted; between functions of the binary and its stubs
};

}  // namespace twinrun
