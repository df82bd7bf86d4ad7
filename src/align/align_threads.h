// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "calls/index_walk.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace twinrun {

/// Steps [from, to) of a thread.
struct StepRange {
  uint64_t from = 0;
  uint64_t to = 0;

  [[nodiscard]] uint64_t size() const { return to - from; }
  bool operator==(const StepRange&) const = default;
};

/// Stretches of two runs, either executed in both or in each by itself.
struct AlignedRegion {
  bool is_aligned = true;
  StepRange a;
  StepRange b;
  // Of a disaligned region: what was executed last before it, in both runs.
  CodeNode at = CodeModel::kNone;
  uint64_t at_address = 0;  // as in the ELF file
  // Where each of them went; kNone: to its end.
  CodeNode to_a = CodeModel::kNone;
  CodeNode to_b = CodeModel::kNone;
  uint64_t depth = 0;  // of the index there
};

/// The single pass of differential slicing over one thread of each of two runs that share a code
/// model: moves in both while their structural indices are equal; where they part, moves each by
/// itself up to the first place where they are equal again. Tells the regions in order, by turns
/// aligned and disaligned; empty aligned ones are left out. Memory follows the depth of the index.
class ThreadAligner {
 public:
  struct Options {
    std::function<void(uint64_t)> progress;  // blocks of the first process so far, now and then
  };

  ThreadAligner(const CodeModel& model, IndexWalk& a, IndexWalk& b, Options options)
      : model_(model), a_(a), b_(b), options_(std::move(options)) {}

  /// From where both walks are, which is taken to correspond.
  Result<void> run(const std::function<void(const AlignedRegion&)>& tell);

 private:
  /// Walks in both until they part. False when both are at their end.
  Result<bool> walk_aligned();
  /// Passes whole blocks that are equal.
  Result<void> pass_together();
  /// Walks until they meet. False when one is at its end.
  Result<bool> walk_disaligned();
  /// Moves one of them, or both, until the first entry that differs has changed.
  Result<void> approach(size_t same);
  /// Until the entry of that number has been popped, or counted up.
  static Result<void> change(IndexWalk& walk, size_t entry);
  /// Until the node is reached with a path of that length, or the path is shorter.
  static Result<void> go_to(IndexWalk& walk, size_t size, CodeNode node);
  /// Entries that both have, the outermost first.
  [[nodiscard]] size_t common() const;
  [[nodiscard]] bool is_same() const;
  Result<uint64_t> step(IndexWalk& walk) const;

  const CodeModel& model_;
  IndexWalk& a_;
  IndexWalk& b_;
  Options options_;
  uint64_t told_ = 0;
  size_t known_ = ~size_t{0};  // entries that were equal when the walks were marked last
  std::vector<uint32_t>
      same_;  // stream values of the first run, by those of the second; 0: unknown
};

}  // namespace twinrun
