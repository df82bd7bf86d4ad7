// SPDX-License-Identifier: MIT
#include "paths/path_calls.h"

#include <algorithm>

namespace twinrun {

std::vector<PathCalls::Call> PathCalls::all() const {
  std::vector<Call> out;
  out.reserve(counts_.size());
  for (const auto& [key, count] : counts_)
    out.push_back({key.function, key.block, key.callee, count});
  std::ranges::sort(out);
  return out;
}

}  // namespace twinrun
