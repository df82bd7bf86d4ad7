// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace twinrun {

class Stopwatch {
 public:
  /// Microseconds since the last lap, or since it was made.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::micro> passed = now - last_;
    last_ = now;
    return passed.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace twinrun
