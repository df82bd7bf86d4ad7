// SPDX-License-Identifier: MIT
#pragma once

#include "align/align.h"
#include "align/code_identity.h"
#include "align/run_side.h"
#include "base/result.h"
#include "base/work.h"
#include "run/run.h"
#include "trace/position.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace twinrun {

/// Two runs that are compared. They are aligned once; all that compares them shares that.
class RunPair {
 public:
  static Result<std::unique_ptr<RunPair>> open(
      const std::string& a, const std::string& b,
      const DebugDirectories& debug_directories = system_debug_directories());
  /// Runs of two builds need an identity of their programs' code.
  RunPair(std::unique_ptr<Run> a, std::unique_ptr<Run> b, CodeIdentity identity = {})
      : runs_{std::move(a), std::move(b)}, identity_(std::move(identity)) {
    runs_[1]->binaries().share_debug_info(runs_[0]->binaries());
  }

  [[nodiscard]] Run& run(RunSide side) const { return *runs_[static_cast<size_t>(side)]; }
  [[nodiscard]] Run& a() const { return run(RunSide::kA); }
  [[nodiscard]] Run& b() const { return run(RunSide::kB); }
  /// Which code of the runs is the same.
  [[nodiscard]] const CodeIdentity& identity() const { return identity_; }
  /// V001 when one of them was recorded without values.
  [[nodiscard]] Result<void> have_values() const;

  /// How times round loops are paired; by content unless said otherwise. Before align().
  void pair_loops(PairLoops how) { loops_ = how; }
  /// Both runs begin to correspond at this anchor, as in AlignOptions, in the threads that come to
  /// it. Before align().
  void begin_at(std::string anchor) { anchor_ = std::move(anchor); }
  /// Whether places of divergences are named: that needs the debug information of all modules in
  /// which runs part.
  enum class Places : bool { kNo, kYes };
  /// From start, or anchor, to end, with all regions, and at least so many of the first divergences
  /// named. Computed on first use, and again when more is to be named. Errors as of align().
  Result<const AlignReport*> align(uint32_t divergences = 0, const WorkSink& work = {},
                                   Places places = Places::kNo);
  /// What align() has computed.
  [[nodiscard]] const AlignReport& report() const { return *report_; }

  /// Where a step is in the alignment of its thread. This and what follows need align().
  struct Where {
    uint32_t thread = 0;  // in report().threads
    uint32_t region = 0;  // in its regions
    bool is_aligned = false;

    [[nodiscard]] std::pair<uint32_t, uint32_t> key() const { return {thread, region}; }
  };
  /// Nothing for a thread that has no partner. A step behind the thread's last one is taken to be
  /// in the last region.
  [[nodiscard]] std::optional<Where> where(RunSide side, const Position& at) const;
  [[nodiscard]] const AlignedRegion& region(const Where& where) const {
    return report_->threads[where.thread].regions[where.region];
  }
  /// The same instruction's execution in the other run; nothing when it has none.
  [[nodiscard]] std::optional<Position> counterpart(RunSide side, const Position& at) const;
  /// Whether the step is in front of its thread's anchor: nothing is known to correspond there.
  [[nodiscard]] bool is_before_anchor(RunSide side, const Position& at) const;
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
  std::array<std::unique_ptr<Run>, 2> runs_;
  CodeIdentity identity_;
  PairLoops loops_ = PairLoops::kContent;
  std::string anchor_;
  std::unique_ptr<AlignReport> report_;
  bool has_places_ = false;  // of that report
};

}  // namespace twinrun
