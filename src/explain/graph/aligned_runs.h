// SPDX-License-Identifier: MIT
#pragma once

#include "align/align.h"
#include "base/result.h"
#include "trace/position.h"
#include "values/process_view.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace twinrun {

/// One of the two runs: the first, which is taken to be right, or the second.
enum class RunSide : uint8_t { kA, kB };
constexpr RunSide other(RunSide side) { return side == RunSide::kA ? RunSide::kB : RunSide::kA; }

/// Two runs with their values and their alignment.
class AlignedRuns {
 public:
  /// Errors as of align(); V001 when a recording has no values.
  static Result<std::unique_ptr<AlignedRuns>> open(const Reader& a, Binaries& binaries_a,
                                                   const Reader& b, Binaries& binaries_b,
                                                   const AlignOptions& options);

  [[nodiscard]] RunView& run(RunSide side) { return *runs_[static_cast<size_t>(side)]; }
  [[nodiscard]] const AlignReport& report() const { return report_; }

  /// Where a step is in the alignment of its thread.
  struct Where {
    uint32_t thread = 0;  // in report().threads
    uint32_t region = 0;  // in its regions
    uint64_t offset = 0;  // steps from the region's start
    bool is_aligned = false;

    [[nodiscard]] std::pair<uint32_t, uint32_t> key() const { return {thread, region}; }
  };
  /// Nothing for a thread that has no partner. A step behind the thread's last one is taken to be
  /// in the last region.
  [[nodiscard]] std::optional<Where> where(RunSide side, const Position& at) const;
  [[nodiscard]] const AlignedRegion& region(const Where& where) const {
    return report_.threads[where.thread].regions[where.region];
  }
  /// The same instruction's execution in the other run; nothing when it has none.
  [[nodiscard]] std::optional<Position> counterpart(RunSide side, const Position& at) const;
  /// Whether both are executions of one instruction.
  [[nodiscard]] bool is_aligned(const Position& a, const Position& b) const;
  /// Behind what both runs part: the last instructions that correspond. Nothing when the threads
  /// correspond in nothing.
  struct Points {
    Position a;
    Position b;
  };
  [[nodiscard]] std::optional<Points> divergence_point(const Where& where) const;

 private:
  AlignedRuns() = default;

  std::array<std::unique_ptr<RunView>, 2> runs_;
  AlignReport report_;
};

}  // namespace twinrun
