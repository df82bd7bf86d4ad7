// SPDX-License-Identifier: MIT
#pragma once

#include "align/code_identity.h"
#include "base/ids.h"
#include "base/result.h"
#include "calls/index_walk.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace twinrun {

/// Steps [from, to) of a thread.
struct StepRange {
  uint64_t from = 0;
  uint64_t to = 0;

  [[nodiscard]] uint64_t size() const { return to - from; }
  bool operator==(const StepRange&) const = default;
};

/// Which steps of two runs correspond, where their code is not the same: stretches, ascending.
class StepMap {
 public:
  /// `count` steps from these on correspond one by one. Behind all that have been added.
  void add(uint64_t a, uint64_t b, uint64_t count);
  [[nodiscard]] bool empty() const { return stretches_.empty(); }
  /// Nothing for a step that corresponds to none.
  [[nodiscard]] std::optional<uint64_t> counterpart(RunSide side, uint64_t step) const;

 private:
  struct Stretch {
    std::array<uint64_t, 2> from;  // by side
    uint64_t count = 0;
  };
  std::vector<Stretch> stretches_;
};

/// Stretches of two runs, either executed in both or in each by itself.
struct AlignedRegion {
  bool is_aligned = true;
  StepRange a;
  StepRange b;
  StepMap steps;  // of an aligned one; empty: step by step
  // Of a disaligned region: what was executed last before it, in both runs.
  CodeNode at = CodeSpace::kNone;  // of the first run
  ModuleAddr at_address;
  // Where each of them went; kNone: to its end.
  CodeNode to_a = CodeSpace::kNone;
  CodeNode to_b = CodeSpace::kNone;
  uint64_t depth = 0;  // of the index there

  [[nodiscard]] const StepRange& range(RunSide side) const { return side == RunSide::kA ? a : b; }
  /// The step of the other run that a step of the region corresponds to; nothing for none.
  [[nodiscard]] std::optional<uint64_t> counterpart(RunSide side, uint64_t step) const;
};

/// Stream values of two processes that are executions of the same block in the same way, as far as
/// that has been looked at. What the aligners of a process pair learn, they share.
class SameBlocks {
 public:
  /// Grows to the stream values of the second process.
  void resize(size_t values) { of_b_.resize(std::max(values, of_b_.size())); }
  /// Never for a value that does not exist.
  [[nodiscard]] [[gnu::always_inline]] bool has(uint32_t a, uint32_t b) const {
    return b < of_b_.size() && of_b_[b] == a;
  }
  void add(uint32_t a, uint32_t b) { of_b_[b] = a; }
  [[nodiscard]] size_t size() const { return of_b_.size(); }

 private:
  std::vector<uint32_t> of_b_;  // stream values of the first process; 0: unknown
};

/// The single pass of differential slicing over one thread of each of two runs: moves in both while
/// their structural indices are equal; where they part, moves each by itself up to the first place
/// where they are equal again. Tells the regions in order, by turns aligned and disaligned; empty
/// aligned ones are left out. Memory follows the depth of the index.
///
/// Goes on segment by segment, so that aligners of all threads of a process pair can take turns and
/// each segment is read once for all of them.
class ThreadAligner {
 public:
  using Tell = std::function<void(const AlignedRegion&)>;
  struct Options {
    std::function<void(uint64_t)> progress;  // blocks of the first process so far, now and then
  };

  /// From where both walks are, which is taken to correspond.
  ThreadAligner(const CodeSpace& space, NodeIdentity& nodes, IndexWalk& a, IndexWalk& b,
                SameBlocks& same, Tell tell, Options options)
      : space_(space),
        nodes_(nodes),
        a_(a),
        b_(b),
        same_(same),
        tell_(std::move(tell)),
        options_(std::move(options)) {}

  /// Enters one segment, of one of the runs, and goes on as far as that leads. False when all has
  /// been told.
  Result<bool> go_on();
  /// The segment that go_on() will enter: aligners that enter the lowest ones first stay together.
  [[nodiscard]] size_t next_segment() const;
  /// Whether they went different ways round a loop, so that numbers of iterations may mislead.
  [[nodiscard]] bool has_parted_in_loop() const { return has_parted_in_loop_; }

 private:
  /// What to do when runs have parted: one of the walks goes on until something holds.
  struct Goal {
    enum class Kind : uint8_t {
      kNode,    // one node further
      kChange,  // until the entry of that number has been popped, or counted up
      kGoTo,    // until the node is reached with a path of that length, or the path is shorter
      kEnd,
    };
    Kind kind = Kind::kNode;
    IndexWalk* walk = nullptr;
    size_t entry = 0;
    CodeNode node = CodeSpace::kNone;
  };
  enum class Pause : bool { kNo, kYes };

  /// Walks in both until they part, or are at their end.
  Result<Pause> walk_aligned();
  /// Passes whole blocks that are equal.
  Result<void> pass_together();
  void tell_progress();
  /// Walks until they meet, or are at their end.
  Result<Pause> walk_disaligned();
  /// What brings the runs nearer to each other. Nothing: they have met, or are at their end.
  void set_goals();
  /// Until the first entry that differs has changed, in one of them or in both.
  void approach(size_t same);
  void add_goal(Goal goal) { goals_[goal_count_++] = goal; }
  Result<Pause> pursue(const Goal& goal);
  [[nodiscard]] static bool is_reached(const Goal& goal);
  /// Whether the walk can take a step in the segment that it is in, or may enter another one.
  Result<Pause> prepare(IndexWalk& walk);
  Result<void> end_region();
  /// What both have passed since the last time corresponds.
  void note_steps(const StepRange& a, const StepRange& b);
  /// Entries that both have, the outermost first.
  [[nodiscard]] size_t common() const;
  [[nodiscard]] bool is_same() const;
  [[nodiscard]] static Result<uint64_t> step(IndexWalk& walk);
  /// The nearest node of both that they will come to; of the first run. kNone: see CodeSpace.
  [[nodiscard]] CodeNode meeting();

  const CodeSpace& space_;
  NodeIdentity& nodes_;
  IndexWalk& a_;
  IndexWalk& b_;
  SameBlocks& same_;
  Tell tell_;
  Options options_;
  uint64_t told_ = 0;
  size_t known_ = ~size_t{0};  // entries that were equal when the walks were marked last

  // Where it stands.
  AlignedRegion region_;
  bool has_begun_ = false;
  bool is_aligned_ = true;
  bool is_b_shorter_ = false;
  bool has_parted_in_loop_ = false;
  std::array<uint64_t, 2> noted_{};  // steps of both at note_steps()
  bool may_enter_ = false;
  bool is_stepping_ = false;  // it was left in front of a step
  std::array<Goal, 2> goals_;
  uint32_t goal_ = 0;
  uint32_t goal_count_ = 0;
};

}  // namespace twinrun
