// SPDX-License-Identifier: MIT
#pragma once

#include "run/code_model.h"
#include "run/code_places.h"

#include <cstdint>
#include <span>
#include <vector>

namespace twinrun {

/// What executing a block as a stream value says means for the structural index. One line of the
/// cache: most of the time that walks take is spent on them.
struct alignas(64) BlockPlan {
  enum class Way : uint8_t {
    kUnknown,  // not looked at
    kPass,     // neither of those below
    kCall,
    kReturn,
    kUnusual,  // loads the stack pointer, ends in a system call ...
  };

  CodeNode node = 0;          // holds the block's first instruction
  CodeNode last_node = 0;     // holds the last instruction that was begun
  CodeNode branch = 0;        // the predicate that the block ends with; 0: none
  CodeNode branch_until = 0;  // its immediate post-dominator
  uint32_t first_visit = 0;   // nodes that begin in the block
  uint32_t first_stop = 0;    // those among them that the index must notice
  uint16_t instructions = 0;  // that are begun
  uint16_t visits = 0;
  uint16_t stops = 0;
  Way way = Way::kUnknown;
  bool is_entry = false;  // begins a function
  bool is_stub = false;
  bool repeats = false;         // its last instruction is one that repeats itself
  bool ends_repeating = false;  // and it is left because nothing is left to do
  bool calls_loader = false;    // leads to the loader's search for a function (the start of .plt)
  bool is_plain = false;        // kPass, and nothing of the above
  uint32_t function = 0;        // for the call tracker
  uint32_t id = 0;              // of the block
  uint64_t address = 0;         // in memory
  uint32_t offset = 0;          // in its first node
  uint32_t to_last = 0;         // bytes in front of its last instruction

  [[nodiscard]] uint64_t last() const { return address + to_last; }
};

static_assert(sizeof(BlockPlan) == 64);

/// A node that begins in a block, behind `instruction` instructions.
struct NodeVisit {
  CodeNode node = 0;
  uint32_t instruction = 0;
};

/// A node that begins in a block and that the index must notice.
struct NodeStop {
  CodeNode node = 0;
  bool is_loop = false;  // the header of a loop that nothing leaves
};

/// The plans of the stream values of one process, made when they are asked for.
class BlockPlans {
 public:
  BlockPlans(const CodeModel& model, CodePlaces& places)
      : model_(model),
        places_(places),
        plans_(model.process().dictionary().counts().size()),
        canonical_(plans_.size()) {}

  /// `blocks`: of the process that had begun. T006 for an undefined value.
  Result<const BlockPlan*> of(uint32_t value, uint64_t blocks) {
    if (value < plans_.size() && plans_[value].way != BlockPlan::Way::kUnknown)
      return &plans_[value];
    return make(value, blocks);
  }
  /// Those that have not been made are kUnknown.
  [[nodiscard]] std::span<const BlockPlan> made() const { return plans_; }

  [[nodiscard]] std::span<const NodeVisit> visits(const BlockPlan& plan) const {
    return std::span(visits_).subspan(plan.first_visit, plan.visits);
  }
  [[nodiscard]] const NodeStop* stops(const BlockPlan& plan) const {
    return stops_.data() + plan.first_stop;
  }
  /// Of all plans; moves when one is made.
  [[nodiscard]] std::span<const NodeStop> all_stops() const { return stops_; }
  /// Of a value that has a plan: the same in all runs of the space.
  [[nodiscard]] uint32_t canonical(uint32_t value) const { return canonical_[value]; }
  [[nodiscard]] const CodeSpace& space() const { return model_.space(); }

 private:
  Result<const BlockPlan*> make(uint32_t value, uint64_t blocks);

  CodeModel model_;
  CodePlaces& places_;
  std::vector<BlockPlan> plans_;
  std::vector<uint32_t> canonical_;  // by stream value
  std::vector<NodeVisit> visits_;
  std::vector<NodeStop> stops_;
};

}  // namespace twinrun
