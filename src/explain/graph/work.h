// SPDX-License-Identifier: MIT
#pragma once

#include "values/process_view.h"

#include <cstdint>

namespace twinrun {

/// What questions about a process have cost so far, in segments that were computed. Limits go by it
/// instead of by seconds, so that answers are the same on every machine.
inline uint64_t work_of(ProcessView& view) {
  // To look through one that is there, for who wrote something, costs about a tenth.
  constexpr uint64_t kSearches = 10;
  return view.values->computed() + view.slicer.writers().segments_searched() / kSearches;
}

}  // namespace twinrun
