// SPDX-License-Identifier: MIT
#pragma once

#include "cli/progress_estimate.h"

#include <vector>

namespace twinrun {

// The stages of long work, with how long each takes beside the others: measured with recordings of
// 500 to 1000 M instructions of lua5.4 and bzip2. They need not be right, see progress_estimate.cc.

std::vector<ProgressStage> align_stages();
std::vector<ProgressStage> why_stages();
/// Those of why, and of what a page shows beside its answer.
std::vector<ProgressStage> report_stages();
std::vector<ProgressStage> diff_stages(bool values);
std::vector<ProgressStage> mem_stages();
std::vector<ProgressStage> verify_stages(bool values);

}  // namespace twinrun
