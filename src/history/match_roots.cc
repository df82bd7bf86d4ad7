// SPDX-License-Identifier: MIT
// The paper's root matching (section 3.1, Figure 2).
//
// Roots are taken in the order in which they were first executed, because compilers move few of
// them past each other; the first instruction of the other version that has the same signature is
// its counterpart. An instruction that was split, copied or merged is executed as often as its
// counterparts together: so each pair uses up the executions of the one that has fewer, and the
// other one goes on. Costs at most |A| * |B| comparisons of signatures, and about |A| + |B| when
// both versions are alike.
//
// As printed Figure 2 does not end on the paper's own example, because what has no counterpart is
// not removed. What the text says of the example is what is done here: each instruction of A begins
// with the first one of B that is left, and is unmatched when it found no counterpart at all.
#include "history/match_roots.h"

#include <algorithm>
#include <list>
#include <set>

namespace twinrun {

RootMatches match_roots(std::span<const RootNode> a, std::span<const RootNode> b,
                        const SameSignature& same) {
  RootMatches out;
  std::list<RootNode> left(b.begin(), b.end());
  for (RootNode of_a : a) {
    bool found = false;
    for (auto at = left.begin(); at != left.end();) {
      if (!same(of_a.node, at->node)) {
        ++at;
        continue;
      }
      out.pairs.emplace_back(of_a.node, at->node);
      found = true;
      const uint64_t used = std::min(of_a.count, at->count);
      of_a.count -= used;
      at->count -= used;
      if (at->count == 0) at = left.erase(at);
      if (of_a.count == 0) break;
    }
    if (!found) out.unmatched_a.push_back(of_a.node);
  }
  std::set<uint32_t> matched_b;
  for (const auto& [node_a, node_b] : out.pairs) matched_b.insert(node_b);
  for (const RootNode& of_b : b)
    if (!matched_b.contains(of_b.node)) out.unmatched_b.push_back(of_b.node);
  return out;
}

}  // namespace twinrun
