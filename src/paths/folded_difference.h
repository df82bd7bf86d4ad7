// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace twinrun {

/// A difference, which can wrap around, so that small ones of either sign are small numbers.
constexpr uint64_t fold_difference(uint64_t difference) {
  const auto value = static_cast<int64_t>(difference);
  return difference << 1 ^ static_cast<uint64_t>(value >> 63);
}
constexpr uint64_t unfold_difference(uint64_t value) { return value >> 1 ^ (~(value & 1) + 1); }

}  // namespace twinrun
