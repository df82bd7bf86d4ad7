// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_event.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <vector>

namespace twinrun {

/// Which functions the blocks of a trace call, and how often. Several traces of one process can be
/// added up, each with frames of its own.
class PathCalls {
 public:
  struct Frame {
    uint32_t function = 0;
    uint32_t block = kNoBlock;  // the last one, unless its call has been counted
  };
  using Frames = std::vector<Frame>;
  struct Call {
    uint32_t function = 0;
    uint32_t block = 0;
    uint32_t callee = 0;
    uint64_t count = 0;
    auto operator<=>(const Call&) const = default;
  };

  /// The next events of a trace whose active invocations are `frames`.
  void take(Frames& frames, PathTraceView events) {
    for (const PathEvent event : events) {
      if (event.is_block()) {
        if (!frames.empty()) frames.back().block = event.block();
      } else if (event.is_exit()) {
        if (!frames.empty()) frames.pop_back();
      } else {
        if (!frames.empty() && frames.back().block != kNoBlock) {
          Frame& caller = frames.back();
          ++counts_[{caller.function, caller.block, event.function()}];
          caller.block = kNoBlock;  // what follows is where the called function goes on
        }
        frames.push_back({event.function(), kNoBlock});
      }
    }
  }
  /// In order.
  [[nodiscard]] std::vector<Call> all() const;

 private:
  static constexpr uint32_t kNoBlock = ~0u;
  struct Key {
    uint32_t function = 0;
    uint32_t block = 0;
    uint32_t callee = 0;
    bool operator==(const Key&) const = default;
    friend size_t hash_value(const Key& key) {
      uint64_t h = (uint64_t{key.function} << 32 | key.block) * 0x9e3779b97f4a7c15u;
      h = (h ^ (h >> 29) ^ key.callee) * 0xbf58476d1ce4e5b9u;
      return static_cast<size_t>(h ^ (h >> 32));
    }
  };
  boost::unordered_flat_map<Key, uint64_t> counts_;
};

}  // namespace twinrun
