// SPDX-License-Identifier: MIT
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <vector>

namespace twinrun {

/// Numbers strings of items while they are read, item by item: node 0 is the empty string, and
/// strings that are equal end in the same node. A node remembers two places where it went, and a
/// branch has no more: nearly always that costs no look-up. For the others there is a small cache.
class ItemTrie {
 public:
  uint32_t child(uint32_t node, uint32_t item) {
    const uint32_t known = known_child(node, item);
    return known != 0 ? known : find(node, item);
  }
  /// 0: not known at once; there may be one.
  [[nodiscard]] uint32_t known_child(uint32_t node, uint32_t item) const {
    const Node& at = nodes_[node];
    if (at.item == item) return at.child;
    return at.other_item == item ? at.other_child : 0;
  }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }

 private:
  struct Node {
    uint32_t item = 0;
    uint32_t child = 0;
    uint32_t other_item = 0;
    uint32_t other_child = 0;
  };
  struct Cached {
    uint64_t key = 0;
    uint32_t child = 0;  // 0: nothing
  };
  static constexpr unsigned kCacheBits = 13;

  [[gnu::noinline]] uint32_t find(uint32_t node, uint32_t item) {
    const uint64_t key = uint64_t{node} << 32 | item;
    Cached& cached = cache_[key * 0x9e3779b97f4a7c15u >> (64 - kCacheBits)];
    if (cached.key != key || cached.child == 0) {
      const auto [it, is_new] = children_.try_emplace(key, size());
      cached = {key, it->second};
      if (is_new) nodes_.emplace_back();
    }
    nodes_[node] = {item, cached.child, nodes_[node].item, nodes_[node].child};
    return cached.child;
  }

  std::vector<Node> nodes_{1};
  std::vector<Cached> cache_{1u << kCacheBits};
  boost::unordered_flat_map<uint64_t, uint32_t> children_;
};

}  // namespace twinrun
