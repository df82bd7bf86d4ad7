// SPDX-License-Identifier: MIT
#include "paths/path_automaton.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace twinrun {

PathAutomaton::PathAutomaton(const PathQuery& query)
    : function_(query.function), length_(static_cast<int32_t>(query.blocks.size())) {
  CHECK(!query.blocks.empty());
  std::vector<uint32_t> kinds;
  for (const uint32_t block : query.blocks) {
    if (block >= kTableBlocks) {
      const auto [it, is_new] = large_.try_emplace(block, table_.kinds);
      table_.kinds += is_new ? 1 : 0;
      kinds.push_back(it->second);
      continue;
    }
    if (block >= kinds_.size()) kinds_.resize(block + 1);
    if (kinds_[block] == 0) kinds_[block] = table_.kinds++;
    kinds.push_back(kinds_[block]);
  }
  // Row s is that of s's longest border, but for the one block that goes on; after a whole match it
  // is the border's alone.
  const auto length = static_cast<size_t>(length_);
  std::vector<int32_t>& next = table_.next;
  next.assign((length + 1) * table_.kinds, 0);
  next[kinds[0]] = 1;
  size_t border = 0;
  for (size_t s = 1; s <= length; ++s) {
    std::copy_n(&next[border * table_.kinds], table_.kinds, &next[s * table_.kinds]);
    if (s == length) break;
    const auto after = static_cast<size_t>(next[border * table_.kinds + kinds[s]]);
    next[s * table_.kinds + kinds[s]] = static_cast<int32_t>(s + 1);
    border = after;
  }
  table_.accepts.assign(length + 1, 0);
  table_.accepts[length] = 1;
}

PathAutomaton::PathAutomaton(uint32_t function, std::vector<uint32_t> kinds, PathTable table)
    : function_(function), kinds_(std::move(kinds)), table_(std::move(table)) {}

}  // namespace twinrun
