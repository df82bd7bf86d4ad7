// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "cli/flags.h"
#include "match/match_options.h"
#include "program/module_code.h"

#include <string>

namespace twinrun {

/// The flags that say how two binaries are matched.
struct MatchFlags {
  void declare(FlagSet& app);
  /// M001 for steps and levels that there are not.
  [[nodiscard]] Result<MatchOptions> options() const;
  [[nodiscard]] ModuleCode::Options binaries() const { return {.hide_names = no_names}; }

  std::string steps;
  std::string levels;
  std::string block_levels;
  double block_threshold = MatchOptions().block_threshold;
  double data_size_threshold = MatchOptions().data_size_threshold;
  bool no_names = false;
};

}  // namespace twinrun
