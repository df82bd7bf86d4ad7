// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace twinrun {

/// Takes what long work tells of itself now and then: the stage that it is in, and how much of that
/// is done, from 0 to 1 or kUnknownShare. A stage may be left out or come again.
using WorkSink = std::function<void(std::string_view stage, double share)>;

inline constexpr double kUnknownShare = -1;

/// Its share of the whole; of nothing all is done.
inline double share_of(uint64_t done, uint64_t total) {
  return total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
}

inline void tell(const WorkSink& sink, std::string_view stage, double share = kUnknownShare) {
  if (sink) sink(stage, share);
}

}  // namespace twinrun
