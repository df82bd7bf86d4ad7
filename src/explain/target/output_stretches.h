// SPDX-License-Identifier: MIT
#pragma once

#include "values/outputs.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace twinrun {

/// Where two outputs begin to differ: at this byte of each. One of them may have ended.
struct OutputStretch {
  uint64_t at_a = 0;
  uint64_t at_b = 0;

  auto operator<=>(const OutputStretch&) const = default;
};

/// The first `most` stretches in which they differ, in their order; none of outputs that are equal.
/// When one of them ends first, that is the last stretch.
std::vector<OutputStretch> differing_stretches(const Output& a, const Output& b, size_t most);

}  // namespace twinrun
