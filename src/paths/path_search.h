// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "paths/path_index.h"
#include "paths/path_question.h"
#include "paths/paths_file.h"
#include "paths/schemes/path_scheme.h"
#include "trace/position.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

struct PathSearch {
  std::string function;
  std::string path;
  bool through_calls = false;        // what is called counts as executed in between
  bool folds_libraries = false;      // but not code outside of the program
  bool all = false;                  // every occurrence, not only the first and the last
  std::optional<uint32_t> context;   // count by so many callers; 0: all
  uint64_t limit = 20;               // of occurrences that are told
  std::optional<PathScheme> scheme;  // by one of the paper's, for comparison
  bool only_index = false;
  std::function<void(uint64_t)> progress;  // events so far
};

/// Of one stack of a thread.
struct PathRow {
  uint32_t process = 0;
  ThreadNo thread;
  uint32_t stack = 0;
  PathCount found;  // positions are steps of the thread
};

struct PathContext {
  std::vector<std::string> callers;  // innermost first: "main csvsum.c:41"
  uint64_t count = 0;
};

struct PathAnswers {
  std::string function;
  std::string module;
  std::vector<std::string> plain;  // what the path is in blocks: "b2 b3 b7"
  uint64_t count = 0;
  std::vector<PathRow> rows;                // where it was executed
  std::vector<Position> all;                // when they were asked for, up to the limit
  std::vector<PathContext> contexts;        // by count
  std::vector<std::string> interrupted_by;  // functions that its blocks call on the way
  std::string impossible;                   // why no run can execute it; empty: none is known
  bool by_index = false;                    // nothing was decompressed
  PathStats stats;
  uint64_t events = 0;      // of all traces
  double preparing_us = 0;  // loading, or compressing for the scheme
  double asking_us = 0;
};

/// P011 when no process has executed the function; Q codes for what is no path.
Result<PathAnswers> search_paths(const PathsFile& file, const PathSearch& search);

}  // namespace twinrun
