// SPDX-License-Identifier: MIT
#pragma once

#include "profile/code_counts.h"
#include "profile/count_code.h"
#include "profile/migrate.h"
#include "profile/score.h"
#include "program/module_code.h"
#include "report/style.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// What `twinrun profile convert`, `merge` and `migrate` read and wrote.
struct ProfileSummary {
  struct Input {
    std::string path;
    std::string format;
    ProfileFit fit;
  };
  std::vector<Input> inputs;
  std::string binary;
  std::string output;
  std::string output_format;
  bool is_exact = false;
  uint64_t functions = 0;  // executed
  uint64_t blocks = 0;     // of those
  uint64_t executed_blocks = 0;
  uint64_t block_executions = 0;
  uint64_t calls = 0;
  std::optional<CarriedCounts> carried;  // from another binary
};
ProfileSummary summarize(const ModuleCode& binary, const CodeCounts& counts);
std::string profile_text(const ProfileSummary& summary, const Style& style);
std::string profile_json(const ProfileSummary& summary);

/// `twinrun profile score`.
std::string profile_score_text(const ProfileScore& score);
std::string profile_score_json(const ProfileScore& score);

/// The counts themselves, schema twinrun.profile-counts.v1.
std::string profile_counts_json(const ModuleCode& binary, const CodeCounts& counts);

}  // namespace twinrun
