// SPDX-License-Identifier: MIT
// What the checkers of memory share: a recording with names of its memory as `twinrun mem` gives
// them.
#pragma once

#include "memory/birth_indices.h"
#include "memory/memory_index.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

namespace twinrun {

[[noreturn]] inline void give_up(const Error& error) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, error.message.c_str());
  std::exit(2);
}

template <typename T>
T must(Result<T> result) {
  if (!result) give_up(result.error());
  return std::move(*result);
}
inline void must(const Result<void>& result) {
  if (!result) give_up(result.error());
}

struct OpenedRun {
  OpenedRun(const char* path, CodeSpace& space)
      : run_(must(Run::open(path))), run(*run_), indices(run, space) {}

  std::unique_ptr<Run> run_;
  Run& run;
  BirthIndices indices;

  /// The process of the memory must have been added to the indices.
  std::unique_ptr<MemoryMap> names(const LiveMemory& memory, RegionTree& tree) {
    return must(MemoryMap::build(memory, tree, indices.source()));
  }
};

}  // namespace twinrun
