// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <thread>

namespace twinrun {

/// Does something for the first run and for the second one, each on a thread. The two share nothing
/// that changes: a run has its own reader, binaries and views of its processes.
template <typename ForA, typename ForB>
Result<void> both_sides(ForA&& for_a, ForB&& for_b) {
  Result<void> of_a;
  Result<void> of_b;
  {
    const std::jthread other([&] { of_a = for_a(); });
    of_b = for_b();
  }
  TRY_VOID(of_a);
  return of_b;
}

}  // namespace twinrun
