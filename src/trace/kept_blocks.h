// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace twinrun {

/// Decoded block streams of a recording, by frame, as far as they fit into a limit; who has been
/// asked for longest ago goes first. May be used from several threads.
class KeptBlocks {
 public:
  using Blocks = std::shared_ptr<const Bytes>;

  /// Bytes that are kept; 0 at first: nothing.
  void keep_most(uint64_t most);
  /// Null when it is not there.
  [[nodiscard]] Blocks find(uint32_t frame);
  void keep(uint32_t frame, Blocks blocks);

 private:
  void drop_beyond_most();

  using Order = std::list<std::pair<uint32_t, Blocks>>;
  std::mutex mutex_;
  uint64_t most_ = 0;
  uint64_t bytes_ = 0;
  Order order_;  // the last used one first
  std::map<uint32_t, Order::iterator> by_frame_;
};

}  // namespace twinrun
