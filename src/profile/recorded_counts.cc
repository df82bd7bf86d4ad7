// SPDX-License-Identifier: MIT
#include "profile/recorded_counts.h"

namespace twinrun {

AddressProfile recorded_counts(const ExecutedFlow& flow) {
  static_assert(ObservedEdge::kElsewhere == AddressProfile::kElsewhere);
  AddressProfile out;
  out.is_exact = true;
  out.has_every_instruction = true;
  out.has_every_branch = true;
  for (const auto& [address, count] : flow.instructions) out.add_hits(address, count);
  for (const CountedEdge& edge : flow.edges)
    out.add_branch(edge.edge.from, edge.edge.to, edge.count);
  out.normalize();
  return out;
}

}  // namespace twinrun
