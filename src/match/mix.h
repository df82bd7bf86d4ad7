// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace twinrun {

/// A 64-bit hash of a sequence of numbers.
class Mix {
 public:
  explicit constexpr Mix(uint64_t seed = 0x9e3779b97f4a7c15) : state_(seed) {}
  constexpr Mix& add(uint64_t value) {
    const auto product = static_cast<unsigned __int128>(state_ ^ value) * 0xd6e8feb86659fd93u;
    state_ = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    state_ += 0x2545f4914f6cdd1d;
    return *this;
  }
  [[nodiscard]] constexpr uint64_t value() const { return state_ ^ (state_ >> 29); }

 private:
  uint64_t state_;
};

}  // namespace twinrun
