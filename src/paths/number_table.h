// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace twinrun {

/// Finds things again that are numbered and kept elsewhere, by their hash and a look at them: 6 to
/// 12 bytes each, where a map has the thing or a key of its own beside the number.
class NumberTable {
 public:
  static constexpr uint32_t kNone = ~0u;

  /// The number of that hash for which `is_it(number)` is true; kNone: there is none.
  template <typename IsIt>
  [[nodiscard]] uint32_t find(uint64_t hash, const IsIt& is_it) const {
    for (size_t at = hash & mask();; at = (at + 1) & mask()) {
      const uint32_t slot = slots_[at];
      if (slot == 0) return kNone;
      if (is_it(slot - 1)) return slot - 1;
    }
  }
  /// Adds a number that is not there; `hash_of(number)` tells the hashes of all of them again.
  template <typename HashOf>
  void add(uint32_t number, const HashOf& hash_of) {
    if (++size_ * 3 > slots_.size() * 2) {
      std::vector<uint32_t> before(slots_.size() * 2);
      before.swap(slots_);
      for (const uint32_t slot : before)
        if (slot != 0) put(hash_of(slot - 1), slot);
    }
    put(hash_of(number), number + 1);
  }

 private:
  [[nodiscard]] size_t mask() const { return slots_.size() - 1; }
  void put(uint64_t hash, uint32_t slot) {
    size_t at = hash & mask();
    while (slots_[at] != 0) at = (at + 1) & mask();
    slots_[at] = slot;
  }

  std::vector<uint32_t> slots_ = std::vector<uint32_t>(64);  // number + 1; 0: free
  size_t size_ = 0;
};

}  // namespace twinrun
