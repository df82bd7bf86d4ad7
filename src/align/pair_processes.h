// SPDX-License-Identifier: MIT
#pragma once

#include "align/align.h"
#include "align/pairs.h"
#include "align/run_side.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace twinrun {

/// Which process of one run is which of the other: asked from the first ones on, for the children
/// of one pair after the other.
class ProcessPairing {
 public:
  explicit ProcessPairing(const RunPair& runs);

  /// Where two runs begin, as children_of().
  Result<std::vector<PairedProcess>> first() { return children_of({0, 0}, {}); }
  /// The children of processes that correspond, and those of a process that has no partner. In the
  /// order of the first run; what only the second has comes behind. `threads`: the parents'
  /// regions, if wants_regions(); others are paired without.
  Result<std::vector<PairedProcess>> children_of(PairedProcess parents,
                                                 std::span<const ThreadAlignment> threads);
  /// Whether it matters where the parents made their children.
  [[nodiscard]] bool wants_regions(PairedProcess parents) const;

 private:
  using Children = std::vector<uint32_t>;
  [[nodiscard]] const Children& children(RunSide side, uint32_t parent) const;
  /// Those of them that one call made each, or those that other programs took the place of.
  [[nodiscard]] Children children(RunSide side, uint32_t parent, bool is_exec) const;
  using Partners = std::map<uint32_t, uint32_t>;  // of the first run's
  /// Those that the same execution of a call made.
  Result<void> pair_sites(const Children& in_a, const Children& in_b,
                          std::span<const ThreadAlignment> threads, Partners& partners);
  /// Those that are left between one pair and the next: those that become the same program, then
  /// one after the other.
  Result<void> pair_between(const Children& in_a, const Children& in_b, Partners& partners);
  Result<void> pair_alike(const Children& in_a, const Children& in_b, Partners& partners);
  /// Where the parent made each of them: the call, and the calls under way, the innermost first.
  Result<std::map<uint32_t, std::vector<Position>>> sites(RunSide side, const Children& of);
  /// One of them can have been started by others in its run: the pair of those that execute the
  /// same program, if there is one.
  Result<PairedProcess> with_same_program(PairedProcess pair);
  struct Below {
    uint32_t process = 0;  // 0: none
    uint64_t passed = 0;   // instructions of those above it
  };
  Result<Below> find_below(RunSide side, uint32_t top, const MappedFile& program);
  Result<const MappedFile*> program(RunSide side, uint32_t process);
  /// What it executes in the end.
  Result<const MappedFile*> becomes(RunSide side, uint32_t process);
  [[nodiscard]] bool is_same(RunSide side, const MappedFile& own, const MappedFile& other) const;

  const RunPair& runs_;
  std::array<std::map<uint32_t, Children>, 2> children_;
  std::array<std::map<uint32_t, MappedFile>, 2> programs_;
  std::array<std::set<uint32_t>, 2> taken_;  // that have a partner further up
};

}  // namespace twinrun
