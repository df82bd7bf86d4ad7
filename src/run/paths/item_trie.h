// SPDX-License-Identifier: MIT
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <vector>

namespace twinrun {

/// Numbers strings of items while they are read, item by item: node 0 is the empty string, and
/// strings that are equal end in the same node. A node remembers two places where it went, and a
/// branch has no more: nearly always that costs no look-up.
class ItemTrie {
 public:
  uint32_t child(uint32_t node, uint32_t item) {
    const Node& at = nodes_[node];
    if (at.item == item && at.child != 0) return at.child;
    if (at.other_item == item && at.other_child != 0) return at.other_child;
    return find(node, item);
  }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }

 private:
  struct Node {
    uint32_t item = 0;
    uint32_t child = 0;
    uint32_t other_item = 0;
    uint32_t other_child = 0;
  };
  [[gnu::noinline]] uint32_t find(uint32_t node, uint32_t item) {
    const auto [it, is_new] = children_.try_emplace(uint64_t{node} << 32 | item, size());
    const uint32_t found = it->second;
    nodes_[node] = {item, found, nodes_[node].item, nodes_[node].child};
    if (is_new) nodes_.emplace_back();
    return found;
  }

  std::vector<Node> nodes_{1};
  boost::unordered_flat_map<uint64_t, uint32_t> children_;
};

}  // namespace twinrun
