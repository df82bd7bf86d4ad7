// SPDX-License-Identifier: MIT
#include "cli/paths_cache.h"

#include "base/kept_file.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/terminal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace twinrun {
Result<std::unique_ptr<PathsFile>> open_paths(Run& run, PathsKeep keep, PathsSize size) {
  const Reader& reader = run.reader();
  const std::string path = reader.path() + std::string(kPathsSuffix);
  if (auto stored = PathsFile::open(path, reader)) return stored;
  Progress progress("indexing paths", reader.instructions());
  TRY(Bytes bytes, make_paths(run, {.level = size == PathsSize::kFast ? PathsOptions::kFastLevel
                                                                      : PathsOptions::kSmallLevel,
                                    .progress = [&](uint64_t done) { progress.update(done); }}));
  progress.finish();
  if (keep == PathsKeep::kYes && !reader.path().ends_with(kPartialSuffix) &&
      !write_kept(path, bytes))
    print_note(fmt::format("the index of paths is not kept: {} cannot be written: {}", path,
                           std::strerror(errno)));
  return PathsFile::from_bytes(std::move(bytes), reader);
}

}  // namespace twinrun
