// SPDX-License-Identifier: MIT
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <vector>

namespace twinrun {

/// Numbers strings of items while they are read, item by item: node 0 is the empty string, and
/// strings that are equal end in the same node. A node remembers where it went last, which is where
/// it goes nearly always: that costs no look-up.
class ItemTrie {
 public:
  uint32_t child(uint32_t node, uint32_t item) {
    const Node& at = nodes_[node];
    return at.item == item && at.child != 0 ? at.child : find(node, item);
  }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }

 private:
  struct Node {
    uint32_t item = 0;
    uint32_t child = 0;
  };
  [[gnu::noinline]] uint32_t find(uint32_t node, uint32_t item) {
    const auto [it, is_new] = children_.try_emplace(uint64_t{node} << 32 | item, size());
    nodes_[node] = {item, it->second};
    if (is_new) nodes_.emplace_back();
    return nodes_[node].child;
  }

  std::vector<Node> nodes_{1};
  boost::unordered_flat_map<uint64_t, uint32_t> children_;
};

}  // namespace twinrun
