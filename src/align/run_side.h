// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace twinrun {

/// One of the two runs: the first, which is taken to be right, or the second.
enum class RunSide : uint8_t { kA, kB };
constexpr RunSide other(RunSide side) { return side == RunSide::kA ? RunSide::kB : RunSide::kA; }

}  // namespace twinrun
