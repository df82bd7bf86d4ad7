// SPDX-License-Identifier: MIT
#pragma once

#include "paths/path_counts.h"
#include "paths/path_search.h"
#include "trace/position.h"

#include <string>
#include <vector>

namespace twinrun {

/// The answers of one recording, or of several.
struct PathsAsked {
  std::string function;  // as asked
  std::string path;
  struct Run {
    std::string name;
    PathAnswers answers;
    std::string not_executed;  // why there are none
    PositionForm form = PositionForm::kStep;
  };
  std::vector<Run> runs;
  bool stats = false;
  uint64_t limit = 20;
};
std::string paths_text(const PathsAsked& asked);
std::string paths_json(const PathsAsked& asked);

std::string hot_paths_text(const HotPaths& hot, size_t limit);
std::string hot_paths_json(const HotPaths& hot, size_t limit);

std::string path_diff_text(const PathDifferences& diff, size_t limit);
std::string path_diff_json(const PathDifferences& diff, size_t limit);

std::string never_paths_text(const NeverPaths& never, size_t limit);
std::string never_paths_json(const NeverPaths& never, size_t limit);

std::string block_counts_text(const std::vector<BlockCount>& blocks, size_t limit);
std::string block_counts_json(const std::vector<BlockCount>& blocks);

}  // namespace twinrun
