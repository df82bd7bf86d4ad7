// SPDX-License-Identifier: MIT
#pragma once

#include "align/diff_stat.h"
#include "base/result.h"
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

/// A source file, or the parts of it that matter.
struct PageSource {
  struct Chunk {
    uint32_t first = 1;
    std::vector<std::string> lines;
  };
  std::string file;
  uint32_t lines = 0;  // of the whole file
  std::vector<Chunk> chunks;
  // Executions by line, in each run.
  std::map<uint32_t, uint64_t> a;
  std::map<uint32_t, uint64_t> b;
};

/// What `twinrun report` shows.
struct PageData {
  WhyReport why;
  DiffStat diff;
  std::vector<PageThread> threads;
  size_t threads_left_out = 0;
  std::vector<PageSource> sources;
  std::vector<std::string> notes;  // what is left out, and why
};

struct PageOptions {
  WhyOptions why;
  std::function<void(uint64_t)> diff_progress;  // blocks of the first run that were aligned again
  size_t cells = 300;                           // about so many at most, of all threads
  size_t threads = 20;                          // show so many
  size_t source_bytes = 500'000;                // of all files
  size_t whole_bytes = 64'000;  // a file of that size is shown as a whole if there is room
  uint32_t context = 40;        // else so many lines around those that matter
};

/// Errors as of align().
Result<PageData> page_data(const Reader& a, Binaries& binaries_a, const Reader& b,
                           Binaries& binaries_b, const PageOptions& options);

/// Joins neighbours until about `limit` are left; what is long stays by itself.
std::vector<PageCell> merge_cells(const std::vector<PageCell>& cells, size_t limit);

/// The lines around `wanted` (ascending) of a text, or all of it when it has at most `whole` bytes.
PageSource cut_source(std::string_view text, const std::vector<uint32_t>& wanted, size_t whole,
                      uint32_t context);

/// Debug information can name any file of the machine; only those whose names are names of source
/// files are put into a page.
bool is_source_file(std::string_view path);

}  // namespace twinrun
