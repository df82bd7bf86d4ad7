// SPDX-License-Identifier: MIT
#pragma once

#include "align/diff_stat.h"
#include "base/result.h"
#include "explain/answer/statements.h"
#include "explain/answer/why.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace twinrun {

/// A stretch of two aligned threads: one region, or neighbours when there are many.
struct PageCell {
  StepRange a;
  StepRange b;
  uint64_t aligned = 0;  // instructions
  uint64_t only_a = 0;
  uint64_t only_b = 0;
  uint64_t divergences = 0;
  SourcePlace at;  // of its longest divergence, if that is known
};

struct PageThread {
  Position a;  // process and thread; process 0: the other run has no such one
  Position b;
  std::string note;
  std::vector<PageCell> cells;
};

/// A file of the source that the page can go to.
struct PageFile {
  std::string file;
  std::vector<uint32_t> lines;  // that matter, ascending
  // Executions by line, in each run.
  std::map<uint32_t, uint64_t> a;
  std::map<uint32_t, uint64_t> b;
};

/// What `twinrun report` shows.
struct PageData {
  WhyReport why;
  std::vector<GraphLine> lines;  // of its graph
  DiffStat diff;
  std::vector<PageThread> threads;
  size_t threads_left_out = 0;
  std::vector<PageFile> files;  // in the order in which they matter
};

struct PageOptions {
  WorkSink work;        // stages of diff_stat()
  size_t cells = 300;   // about so many at most, of all threads
  size_t threads = 20;  // show so many
};

/// So many divergences are named on a page.
inline constexpr uint32_t kPageDivergences = 300;

/// Adds to the answer what else the page shows. Errors as of align().
Result<PageData> page_data(WhyReport why, RunPair& runs, const PageOptions& options);

/// Joins neighbours until about `limit` are left; what is long stays by itself.
std::vector<PageCell> merge_cells(const std::vector<PageCell>& cells, size_t limit);

/// Debug information can name any file of the machine; only those whose names are names of source
/// files are put into a page.
bool is_source_file(std::string_view path);

}  // namespace twinrun
