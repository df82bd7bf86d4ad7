// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_event.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <vector>

namespace twinrun {

/// What an automaton does in each state with each kind of block. It begins in state 0.
struct PathTable {
  uint32_t kinds = 1;
  std::vector<int32_t> next;     // [state][kind]
  std::vector<uint8_t> accepts;  // by state
};

/// Looks for a path in the blocks of one function: for a plain path the automaton of Knuth, Morris
/// and Pratt, whose state s has seen the first s blocks of it. State -1 is an invocation of another
/// function.
class PathAutomaton {
 public:
  static constexpr int32_t kNotInterested = -1;

  explicit PathAutomaton(const PathQuery& query);
  /// `kinds`: of the function's blocks; those behind the last are of kind 0.
  PathAutomaton(uint32_t function, std::vector<uint32_t> kinds, PathTable table);

  /// Of a plain path.
  [[nodiscard]] int32_t length() const { return length_; }
  [[nodiscard]] uint32_t function() const { return function_; }
  [[nodiscard]] int32_t next(int32_t state, uint32_t block) const {
    if (state < 0) return state;
    // Blocks have small numbers: a table answers without hashing.
    const uint32_t kind = block < kinds_.size() ? kinds_[block] : kind_of_large(block);
    return table_.next[static_cast<size_t>(state) * table_.kinds + kind];
  }
  [[nodiscard]] bool accepts(int32_t state) const {
    return state >= 0 && table_.accepts[static_cast<size_t>(state)] != 0;
  }
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
  int32_t length_ = 0;
  std::vector<uint32_t> kinds_;                          // by block
  boost::unordered_flat_map<uint32_t, uint32_t> large_;  // blocks from kTableBlocks on
  PathTable table_;
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
