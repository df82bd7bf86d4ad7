// SPDX-License-Identifier: MIT
#pragma once

#include "match/matcher.h"
#include "match/order.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace twinrun {

/// Matches the blocks of two procedures that are matched, pass by pass.
class BlockMatcher {
 public:
  BlockMatcher(MatchContext& context, uint32_t old_procedure, uint32_t new_procedure);
  void run();

 private:
  struct Pair {
    uint32_t a = 0;
    uint32_t b = 0;
  };
  struct Hashes {
    Level level = Level::k0;
    std::array<std::vector<uint64_t>, 2> values;  // by block of the procedure; 0: matched
  };

  [[nodiscard]] const BinaryShape& shape(Side side) const { return context_.shape(side); }
  [[nodiscard]] const ShapeProcedure& procedure(Side side) const {
    return shape(side).procedures()[procedures_[static_cast<size_t>(side)]];
  }
  [[nodiscard]] bool has(Side side, uint32_t block) const {
    return context_.state.blocks.has(side, block);
  }
  [[nodiscard]] uint32_t size(Side side, uint32_t block) const {
    return shape(side).blocks()[block].substance;
  }
  [[nodiscard]] uint64_t hash(const Hashes& hashes, Side side, uint32_t block) const {
    return hashes.values[static_cast<size_t>(side)][block - procedure(side).first_block];
  }
  [[nodiscard]] bool has_step(StepId step) const;
  [[nodiscard]] const Cfg& cfg(Side side) const {
    return shape(side).code().flow().cfg(procedure(side).function);
  }
  [[nodiscard]] Chain chain() const;
  [[nodiscard]] bool is_complete() const;

  /// Another compiler made it, or other optimizations.
  [[nodiscard]] bool is_mostly_different() const;
  /// What a strength is worth here.
  [[nodiscard]] Strength here(Strength strength) const;
  void confirm();
  void pass(Level level);
  void match_equal(const Hashes& hashes, bool unique_only);
  void propagate(const Hashes& hashes);
  void try_neighbours(const Hashes& hashes, std::span<const ShapeEdge> olds,
                      std::span<const ShapeEdge> news);
  void match_switches();
  void match_switch(const CfgTable& old_table, const CfgTable& new_table);
  void match_like();
  void follow_control_flow();
  void follow(std::span<const ShapeEdge> olds, std::span<const ShapeEdge> news);
  void add(uint32_t a, uint32_t b, StepId step, Level level, Strength strength);
  void add(uint32_t a, uint32_t b, StepId step, Strength strength);

  MatchContext& context_;
  std::array<uint32_t, 2> procedures_;
  std::vector<Pair> pairs_;
  bool is_foreign_ = false;  // little code is the same
  bool has_looked_around_ = false;
  size_t propagated_ = 0;
};

}  // namespace twinrun
