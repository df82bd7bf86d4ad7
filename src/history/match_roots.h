// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace twinrun {

/// Whether the signatures of two instructions match, of the first and the second version.
using SameSignature = std::function<bool(uint32_t a, uint32_t b)>;

/// An instruction that depends on no other.
struct RootNode {
  uint32_t node = 0;
  uint64_t count = 0;  // of its executions
};

struct RootMatches {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;  // in the order in which they were found
  std::vector<uint32_t> unmatched_a;
  std::vector<uint32_t> unmatched_b;
};

/// Pairs the roots of two dependence graphs, both in the order of their first executions, many to
/// many: one that was executed oftener than its counterpart goes on to the next (Figure 2).
RootMatches match_roots(std::span<const RootNode> a, std::span<const RootNode> b,
                        const SameSignature& same);

}  // namespace twinrun
