// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_automaton.h"
#include "paths/path_event.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <vector>

namespace twinrun {

/// The index of Schemes 3 and 4 (section 4.3): which chunks have to do with a function, and at
/// which levels chunks end.
class ChunkIndex {
 public:
  /// Events in order; end_chunk() between chunks and behind the last one.
  void take(PathEvent event);
  void end_chunk();

  [[nodiscard]] size_t chunks() const { return levels_.size(); }
  /// The chunk has blocks of the function, or calls it: an invocation whose blocks are all in the
  /// chunks behind must not be taken for one of another function when the first is skipped.
  [[nodiscard]] bool contains(uint32_t function, size_t chunk) const;
  [[nodiscard]] uint64_t events(size_t chunk) const { return levels_[chunk].events; }
  /// The states behind a chunk that does not contain the function: Figure 7.
  void skip(PathStates& states, size_t chunk) const;
  /// What it takes in a file: bit vectors and levels as in section 4.3.
  [[nodiscard]] uint64_t bytes() const;

 private:
  struct Levels {
    uint64_t events = 0;
    uint32_t exit_level = 0;          // active invocations behind the chunk
    uint32_t smallest_end_level = 0;  // of an exit in it; 0: none
  };
  void mark(uint32_t function);

  std::vector<Levels> levels_;
  Levels now_;
  std::vector<uint32_t> active_;  // functions
  uint32_t marked_ = ~0u;         // the last one, in this chunk
  // By function: a bit for each chunk up to the last that contains it.
  boost::unordered_flat_map<uint32_t, std::vector<uint64_t>> bits_;
};

}  // namespace twinrun
