// SPDX-License-Identifier: MIT
#pragma once

#include "program/cfg.h"

#include <cstdint>
#include <vector>

namespace twinrun {

/// A count that is wished for, and how much: what it costs when the flow is less or more by one.
/// Weight 0: nothing is known.
struct WishedCount {
  uint64_t count = 0;
  uint32_t weight = 0;

  [[nodiscard]] bool is_known() const { return weight != 0; }
};

/// What is known about the counts of one function.
struct FlowWishes {
  WishedCount entries;
  std::vector<WishedCount> blocks;  // parallel to Cfg::blocks
  std::vector<WishedCount> edges;   // parallel to Cfg::edges
};

/// Counts that flow: all that enters a block leaves it.
struct InferredFlow {
  uint64_t entries = 0;
  std::vector<uint64_t> blocks;
  std::vector<uint64_t> edges;
};

/// The flow that is nearest to the wishes: a circulation of least cost through the function and
/// back from its exits to its entry. Of several ways that nothing is known of, one gets it all.
InferredFlow infer_flow(const Cfg& cfg, const FlowWishes& wishes);

}  // namespace twinrun
