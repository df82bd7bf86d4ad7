// SPDX-License-Identifier: MIT
#include "cli/progress_plans.h"

#include "align/diff_stat.h"
#include "align/mem.h"
#include "explain/answer/why.h"
#include "match/matcher.h"
#include "trace/verify.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace twinrun {
namespace {

void add(std::vector<ProgressStage>& to, std::string_view name, double weight) {
  to.push_back({std::string(name), weight});
}

}  // namespace

std::vector<ProgressStage> align_stages() {
  std::vector<ProgressStage> out;
  add(out, kAligning, 1);
  add(out, kPairing, 1);
  add(out, kAgain, 1);
  return out;
}

std::vector<ProgressStage> why_stages() {
  std::vector<ProgressStage> out = align_stages();
  add(out, kFindingTarget, 2);
  add(out, kFollowing, 1.5);
  add(out, kNaming, 0.3);
  add(out, kCheckingMemory, 0.3);
  add(out, kCountingLines, 0.5);
  return out;
}

std::vector<ProgressStage> report_stages() {
  std::vector<ProgressStage> out = why_stages();
  add(out, kComparingValues, 3);
  return out;
}

std::vector<ProgressStage> diff_stages(bool values) {
  std::vector<ProgressStage> out = align_stages();
  if (values) add(out, kComparingValues, 3);
  return out;
}

std::vector<ProgressStage> mem_stages() {
  std::vector<ProgressStage> out = align_stages();
  add(out, kFollowingMemory, 1.5);
  return out;
}

std::vector<ProgressStage> verify_stages(bool values) {
  std::vector<ProgressStage> out;
  add(out, kChecking, 1);
  if (values) add(out, kComputingAgain, 3);
  return out;
}

std::vector<ProgressStage> match_stages() {
  std::vector<ProgressStage> out;
  add(out, kReadingBinaries, 1);
  add(out, kMatching, 0.5);
  add(out, kDescribingMatches, 0.2);
  return out;
}

std::vector<ProgressStage> migrate_stages() {
  std::vector<ProgressStage> out;
  add(out, kReadingBinaries, 1);
  add(out, kMatching, 0.5);
  add(out, kCarryingOver, 0.5);
  return out;
}

double seconds_to_read(const std::vector<std::string>& paths) {
  constexpr double kSecondsPerByte = 0.2e-6;  // gdb: 10 MB
  double out = 0;
  for (const std::string& path : paths) {
    std::error_code none;
    const auto size = std::filesystem::file_size(path, none);
    if (!none) out += static_cast<double>(size) * kSecondsPerByte;
  }
  return out;
}

}  // namespace twinrun
