// SPDX-License-Identifier: MIT
#pragma once

#include "cli/progress_estimate.h"

#include <string>
#include <string_view>
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
// Their units are what reading the binaries takes.
std::vector<ProgressStage> match_stages();
std::vector<ProgressStage> migrate_stages();

/// About how long it takes to read these binaries, by their sizes.
double seconds_to_read(const std::vector<std::string>& paths);

// Stages that the verbs tell themselves.
inline constexpr std::string_view kReadingBinaries = "reading binaries";
inline constexpr std::string_view kDescribingMatches = "describing matches";
inline constexpr std::string_view kCarryingOver = "carrying over";

}  // namespace twinrun
