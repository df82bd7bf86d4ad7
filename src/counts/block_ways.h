// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/run.h"
#include "trace/reader.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace twinrun {

/// That a block was left by a jump to another one, as values of the stream of blocks.
struct BlockWay {
  uint32_t from = 0;
  uint32_t to = 0;

  auto operator<=>(const BlockWay&) const = default;
};

/// The ways of a process: a facet of it.
struct BlockWays {
  static Result<std::unique_ptr<BlockWays>> make(RunProcess& process);

  std::vector<BlockWay> rows;
};

/// Each once, in order; calls and returns are none, nor is what a signal handler interrupted. Reads
/// all blocks.
Result<std::vector<BlockWay>> block_ways(const Reader& reader, const Process& process,
                                         const Dictionary& dictionary);

}  // namespace twinrun
