// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "base/result.h"
#include "explain/answer/why.h"

#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// What is added to the name of the first recording, with a number behind it, for the file that
/// keeps an answer.
inline constexpr std::string_view kWhySuffix = ".why-";

struct WhyAnswer {
  WhyReport report;
  std::vector<std::string> warnings;  // of the first run's binaries
};

/// why(): from the file beside the recordings if that fits, else computed now and kept there.
/// Kept are answers about two finished recordings of one directory, so that whoever removes one of
/// them finds it. What cannot be read or written is as if it were not there.
Result<WhyAnswer> kept_why(RunPair& runs, const WhyOptions& options);

/// The files with answers about this recording.
std::vector<std::string> kept_answers(const std::string& recording);

}  // namespace twinrun
