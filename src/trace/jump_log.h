// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "trace/count.h"

#include <boost/unordered/unordered_flat_set.hpp>

#include <cstdint>
#include <map>
#include <vector>

namespace twinrun {

/// Finds the indirect jumps of a process, as its segments come: pairs of stream values, one behind
/// the other in a thread, the first of a block that ends in a jump whose target its code does not
/// say. Analyses of control flow need them before they look at anything else.
class JumpLog {
 public:
  /// The blocks that a DEFS stream defines, which has been accepted already.
  void add_definitions(ByteSpan defs);
  void inherit(const JumpLog& parent, uint32_t limit);

  /// Appends a definition for each new jump of a segment. O(blocks).
  void collect(ByteSpan blocks, const SegmentRuns& runs, uint64_t first_block, ByteWriter& defs);

 private:
  std::vector<uint8_t> jumps_;         // by stream value
  std::map<uint32_t, uint32_t> last_;  // stream value by thread; 0: none
  boost::unordered_flat_set<uint64_t> seen_;
};

}  // namespace twinrun
