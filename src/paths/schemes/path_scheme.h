// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "paths/path_answer.h"

#include <cstdint>

namespace twinrun {

/// The paper's ways to look for a path, for comparison.
enum class PathScheme : uint8_t { kScheme1 = 1, kScheme2, kScheme3, kScheme4 };

struct SchemeAnswer {
  PathAnswer answer;
  double preparing_us = 0;  // compressing the trace
  double asking_us = 0;
};
/// All occurrences in a well-formed trace. Compresses the trace first, as the scheme needs it.
Result<SchemeAnswer> match_by_scheme(PathScheme scheme, PathTraceView trace,
                                     const PathQuery& query);

}  // namespace twinrun
