// SPDX-License-Identifier: MIT
#include "paths/path_event.h"

namespace twinrun {

bool is_well_formed(PathTraceView trace) {
  uint64_t depth = 0;
  for (const PathEvent event : trace) {
    if (event.is_entry()) {
      ++depth;
      continue;
    }
    if (depth == 0 || !(event.is_block() || event.is_exit())) return false;
    if (event.is_exit()) --depth;
  }
  return true;
}

}  // namespace twinrun
