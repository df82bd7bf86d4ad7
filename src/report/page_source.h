// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/page_data.h"
#include "report/source_text.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

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

struct PageSources {
  std::vector<PageSource> files;
  size_t left_out = 0;  // for lack of room
};

struct PageRoom {
  size_t source_bytes = 500'000;  // of all files
  size_t whole_bytes = 64'000;    // a file of that size is shown as a whole if there is room
  uint32_t context = 40;          // else so many lines around those that matter
};

/// The texts of the files; those that are not there are left out.
PageSources page_sources(const std::vector<PageFile>& files, SourceText& sources,
                         const PageRoom& room);

/// The lines around `wanted` (ascending) of a text, or all of it when it has at most `whole` bytes.
PageSource cut_source(std::string_view text, const std::vector<uint32_t>& wanted, size_t whole,
                      uint32_t context);

}  // namespace twinrun
