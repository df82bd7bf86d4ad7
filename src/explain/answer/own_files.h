// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "explain/graph/value_pairs.h"
#include "values/outputs.h"
#include "values/outside_source.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace twinrun {

/// Files that a run has written before it reads them: what it reads is no input then.
class OwnFiles {
 public:
  explicit OwnFiles(RunPair& runs) : runs_(runs) {}

  /// Where the process gave these bytes to the kernel.
  struct Written {
    BlockAt block;  // ends with the system call
    BytesOf bytes;
    std::vector<uint8_t> data;
  };
  /// Nothing for what others have written. `before`: the segment and block of the read.
  Result<std::optional<Written>> find(RunSide side, ProcessView& view, const OutsideSource& source,
                                      BlockAt before, uint32_t size);

 private:
  RunPair& runs_;
  std::map<ProcessView*, std::vector<Output>> outputs_;
};

}  // namespace twinrun
