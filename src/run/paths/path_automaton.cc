// SPDX-License-Identifier: MIT
#include "run/paths/path_automaton.h"

#include "base/check.h"

#include <algorithm>

namespace twinrun {

PathAutomaton::PathAutomaton(const PathQuery& query)
    : function_(query.function), length_(static_cast<int32_t>(query.blocks.size())) {
  CHECK(!query.blocks.empty());
  std::vector<uint32_t> kinds;
  for (const uint32_t block : query.blocks) {
    if (block >= kTableBlocks) {
      const auto [it, is_new] = large_.try_emplace(block, kinds_used_);
      kinds_used_ += is_new ? 1 : 0;
      kinds.push_back(it->second);
      continue;
    }
    if (block >= kinds_.size()) kinds_.resize(block + 1);
    if (kinds_[block] == 0) kinds_[block] = kinds_used_++;
    kinds.push_back(kinds_[block]);
  }
  // Row s is that of s's longest border, but for the one block that goes on; after a whole match it
  // is the border's alone.
  const auto length = static_cast<size_t>(length_);
  table_.assign((length + 1) * kinds_used_, 0);
  table_[kinds[0]] = 1;
  size_t border = 0;
  for (size_t s = 1; s <= length; ++s) {
    std::copy_n(&table_[border * kinds_used_], kinds_used_, &table_[s * kinds_used_]);
    if (s == length) break;
    const auto after = static_cast<size_t>(table_[border * kinds_used_ + kinds[s]]);
    table_[s * kinds_used_ + kinds[s]] = static_cast<int32_t>(s + 1);
    border = after;
  }
}

}  // namespace twinrun
