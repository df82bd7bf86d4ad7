// SPDX-License-Identifier: MIT
#pragma once

#include "run/paths/path_event.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <vector>

namespace twinrun {

/// The automaton of Knuth, Morris and Pratt for one path: state s has seen the first s blocks of
/// it. State -1 is an invocation of another function.
class PathAutomaton {
 public:
  static constexpr int32_t kNotInterested = -1;

  explicit PathAutomaton(const PathQuery& query);

  [[nodiscard]] int32_t length() const { return length_; }
  [[nodiscard]] uint32_t function() const { return function_; }
  [[nodiscard]] int32_t next(int32_t state, uint32_t block) const {
    if (state < 0) return state;
    // Blocks have small numbers: a table answers without hashing.
    const uint32_t kind = block < kinds_.size() ? kinds_[block] : kind_of_large(block);
    return kind == 0 ? 0 : table_[static_cast<size_t>(state) * kinds_used_ + kind];
  }
  [[nodiscard]] bool accepts(int32_t state) const { return state == length_; }
  /// The number of a block among those of the path; 0: it is not of the path.
  [[nodiscard]] uint32_t kind(uint32_t block) const {
    return block < kinds_.size() ? kinds_[block] : kind_of_large(block);
  }

 private:
  static constexpr uint32_t kTableBlocks = 1u << 16;
  [[nodiscard]] uint32_t kind_of_large(uint32_t block) const {
    if (block < kTableBlocks) return 0;
    const auto it = large_.find(block);
    return it == large_.end() ? 0 : it->second;
  }

  uint32_t function_;
  int32_t length_;
  uint32_t kinds_used_ = 1;
  std::vector<uint32_t> kinds_;                          // by block
  boost::unordered_flat_map<uint32_t, uint32_t> large_;  // blocks from kTableBlocks on
  std::vector<int32_t> table_;                           // [state][kind]
};

/// The state of Scheme 1: one entry for each active invocation, innermost last.
using PathStates = std::vector<int32_t>;

/// One step of the automaton over nesting levels: delta of section 4.1. Blocks and exits outside of
/// any function change nothing. True when an occurrence ends with this event.
inline bool step_states(const PathAutomaton& automaton, PathStates& states, PathEvent event) {
  if (event.is_block()) {
    if (states.empty()) return false;
    int32_t& state = states.back();
    state = automaton.next(state, event.block());
    return automaton.accepts(state);
  }
  if (event.is_exit()) {
    if (!states.empty()) states.pop_back();
  } else {
    states.push_back(event.function() == automaton.function() ? 0 : PathAutomaton::kNotInterested);
  }
  return false;
}

}  // namespace twinrun
