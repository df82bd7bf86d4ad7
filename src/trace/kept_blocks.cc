// SPDX-License-Identifier: MIT
#include "trace/kept_blocks.h"

namespace twinrun {

void KeptBlocks::keep_most(uint64_t most) {
  const std::scoped_lock lock(mutex_);
  most_ = most;
  drop_beyond_most();
}

KeptBlocks::Blocks KeptBlocks::find(uint32_t frame) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_frame_.find(frame);
  if (found == by_frame_.end()) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  return found->second->second;
}

void KeptBlocks::keep(uint32_t frame, Blocks blocks) {
  const std::scoped_lock lock(mutex_);
  // Another thread may have decoded it, too.
  if (blocks->size() > most_ || by_frame_.contains(frame)) return;
  bytes_ += blocks->size();
  order_.emplace_front(frame, std::move(blocks));
  by_frame_[frame] = order_.begin();
  drop_beyond_most();
}

void KeptBlocks::drop_beyond_most() {
  while (bytes_ > most_) {
    bytes_ -= order_.back().second->size();
    by_frame_.erase(order_.back().first);
    order_.pop_back();
  }
}

}  // namespace twinrun
