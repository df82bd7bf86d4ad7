// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_told.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <vector>

namespace twinrun {

/// Which functions the blocks of a trace call, and how often. Several traces of one process can be
/// added up, each with frames of its own.
class PathCalls {
 public:
  /// Where a trace is.
  struct Frames {
    std::vector<uint32_t> functions;  // of the active invocations
    PathEvent last = PathEvent::exit();
  };
  struct Call {
    uint32_t function = 0;
    uint32_t block = 0;
    uint32_t callee = 0;
    uint64_t count = 0;
    auto operator<=>(const Call&) const = default;
  };

  /// The next events of a trace. A call is an entry right behind a block: what follows behind the
  /// called function's exit is where that goes on.
  void take(Frames& frames, const PathTold& told) {
    for (const PathMark& mark : told.marks) {
      const PathEvent event = told.events[mark.event];
      if (event.is_exit()) {
        if (!frames.functions.empty()) frames.functions.pop_back();
      } else if (event.is_entry()) {
        const PathEvent before = mark.event == 0 ? frames.last : told.events[mark.event - 1];
        if (before.is_block() && !frames.functions.empty())
          ++counts_[{frames.functions.back(), before.block(), event.function()}];
        frames.functions.push_back(event.function());
      }
    }
    if (!told.events.empty()) frames.last = told.events.back();
  }
  /// In order.
  [[nodiscard]] std::vector<Call> all() const;

 private:
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
