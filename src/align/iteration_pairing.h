// SPDX-License-Identifier: MIT
#pragma once

#include "align/code_identity.h"
#include "align/pair_loops.h"
#include "base/ids.h"
#include "base/result.h"
#include "calls/index_walk.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace twinrun {

/// Finds which times round loops correspond in threads of two processes: walks over both and, where
/// control flow does not tell, computes values.
class IterationPairing {
 public:
  /// `begin` takes a walk to where the comparison begins.
  using Begin = std::function<Result<void>(IndexWalk& walk, RunSide side)>;

  /// Takes how much is done, from 0 to 1.
  using Tell = std::function<void(double share)>;

  IterationPairing(std::shared_ptr<WalkedProcess> a, std::shared_ptr<WalkedProcess> b,
                   NodeIdentity& nodes, Begin begin, Tell tell)
      : a_(std::move(a)),
        b_(std::move(b)),
        nodes_(nodes),
        begin_(std::move(begin)),
        tell_(std::move(tell)) {}

  Result<LoopPairing> pair(ThreadNo a, ThreadNo b);

 private:
  Result<ThreadLoops> collect(RunSide side, const std::shared_ptr<WalkedProcess>& process,
                              ThreadNo thread);
  [[nodiscard]] uint64_t block_number(RunSide side, const BlockPlans& plans, uint32_t value);
  /// The same for what corresponds.
  [[nodiscard]] CodeNode node_number(RunSide side, CodeNode node) {
    return side == RunSide::kA ? node : nodes_.translate(side, node);
  }

  std::shared_ptr<WalkedProcess> a_;
  std::shared_ptr<WalkedProcess> b_;
  NodeIdentity& nodes_;
  Begin begin_;
  Tell tell_;
};

}  // namespace twinrun
