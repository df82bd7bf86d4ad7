// SPDX-License-Identifier: MIT
#include "memory/region_tree.h"

#include "base/check.h"
#include "run/module_address.h"

#include <algorithm>

namespace twinrun {

size_t RegionTree::EdgeHash::operator()(const Edge& edge) const {
  uint64_t hash = edge.parent;
  const auto mix = [&](uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  };
  mix(static_cast<uint64_t>(edge.label.kind));
  mix(edge.label.a);
  mix(edge.label.b);
  mix(edge.label.c);
  return hash;
}

uint32_t RegionTree::child(uint32_t parent, const RegionLabel& label) {
  const auto [found, is_new] = children_.try_emplace({parent, label}, last_ + 1);
  if (!is_new) return found->second;
  const uint32_t depth = parent == 0 ? 1 : nodes_[parent].depth + 1;
  if (parent != 0) ++nodes_[parent].uses;
  deepest_ = std::max(deepest_, depth);
  nodes_[++last_] = {parent, depth, 0, label};
  return last_;
}

RegionId RegionTree::insert(std::span<const RegionLabel> path) {
  CHECK(!path.empty());
  uint32_t at = 0;
  for (const RegionLabel& label : path) at = child(at, label);
  ++nodes_[at].uses;
  return at;
}

RegionId RegionTree::insert_below(RegionId parent, const RegionLabel& label) {
  CHECK(parent == 0 || nodes_.contains(parent)) << "region " << parent << " is not in the tree";
  const uint32_t at = child(parent, label);
  ++nodes_[at].uses;
  return at;
}

void RegionTree::remove(RegionId region) {
  while (region != 0) {
    const auto found = nodes_.find(region);
    CHECK(found != nodes_.end()) << "region " << region << " is not in the tree";
    if (--found->second.uses != 0) return;
    const uint32_t parent = found->second.parent;
    children_.erase({parent, found->second.label});
    nodes_.erase(found);
    region = parent;
  }
}

RegionId RegionTree::find(std::span<const RegionLabel> path) const {
  uint32_t at = 0;
  for (const RegionLabel& label : path) {
    at = find_below(at, label);
    if (at == 0) return 0;
  }
  return at;
}

RegionId RegionTree::find_below(RegionId parent, const RegionLabel& label) const {
  const auto found = children_.find({parent, label});
  return found == children_.end() ? 0 : found->second;
}

std::vector<RegionLabel> RegionTree::path(RegionId region) const {
  std::vector<RegionLabel> out;
  for (auto at = nodes_.find(region); at != nodes_.end(); at = nodes_.find(at->second.parent))
    out.push_back(at->second.label);
  std::ranges::reverse(out);
  return out;
}

uint32_t RegionTree::name(std::string_view text) {
  if (const auto found = names_.find(text); found != names_.end()) return found->second;
  return names_.emplace(std::string(text), static_cast<uint32_t>(names_.size())).first->second;
}

uint32_t RegionTree::place(const CodePlace& place) {
  const auto [found, is_new] = place_numbers_.try_emplace(
      {name(module_key(place.file)), place.address}, static_cast<uint32_t>(places_.size() + 1));
  if (is_new) places_.push_back(place);
  return found->second;
}

}  // namespace twinrun
