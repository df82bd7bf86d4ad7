// SPDX-License-Identifier: MIT
#include "paths/chunk_index.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace twinrun {

void ChunkIndex::mark(uint32_t function) {
  if (function == std::exchange(marked_, function)) return;
  std::vector<uint64_t>& bits = bits_[function];
  const size_t chunk = levels_.size();
  if (bits.size() <= chunk / 64) bits.resize(chunk / 64 + 1);
  bits[chunk / 64] |= uint64_t{1} << (chunk % 64);
}

void ChunkIndex::take(PathEvent event) {
  ++now_.events;
  if (event.is_entry()) {
    active_.push_back(event.function());
    mark(event.function());
    return;
  }
  CHECK(!active_.empty()) << "a block or an exit outside of any function";
  if (event.is_block()) {
    mark(active_.back());
    return;
  }
  const auto level = static_cast<uint32_t>(active_.size());
  if (now_.smallest_end_level == 0 || level < now_.smallest_end_level)
    now_.smallest_end_level = level;
  active_.pop_back();
}

void ChunkIndex::end_chunk() {
  now_.exit_level = static_cast<uint32_t>(active_.size());
  levels_.push_back(now_);
  now_ = {};
  marked_ = ~0u;
}

bool ChunkIndex::contains(uint32_t function, size_t chunk) const {
  const auto it = bits_.find(function);
  return it != bits_.end() && chunk / 64 < it->second.size() &&
         (it->second[chunk / 64] >> (chunk % 64) & 1) != 0;
}

void ChunkIndex::skip(PathStates& states, size_t chunk) const {
  const Levels& levels = levels_[chunk];
  // Exits of invocations that began in the chunk may be the only ones: the smallest level of an end
  // is then above all states, which Figure 7 does not think of.
  if (levels.smallest_end_level != 0)
    states.resize(std::min<size_t>(states.size(), levels.smallest_end_level - 1));
  states.resize(levels.exit_level, PathAutomaton::kNotInterested);
}

uint64_t ChunkIndex::bytes() const {
  return bits_.size() * (4 + (chunks() + 7) / 8) + chunks() * sizeof(Levels);
}

}  // namespace twinrun
