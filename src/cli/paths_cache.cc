// SPDX-License-Identifier: MIT
#include "cli/paths_cache.h"

#include "cli/progress.h"
#include "cli/store.h"
#include "cli/terminal.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace twinrun {
namespace {

/// Appears under its name only when it is whole.
bool write_whole(const std::string& path, ByteSpan bytes) {
  const std::string temporary = fmt::format("{}.{}", path, ::getpid());
  // As private as a recording.
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool written = true;
  for (ByteSpan left = bytes; written && !left.empty();) {
    const ssize_t size = ::write(fd, left.data(), left.size());
    written = size > 0 || (size < 0 && errno == EINTR);
    if (size > 0) left = left.subspan(static_cast<size_t>(size));
  }
  const bool closed = ::close(fd) == 0;
  if (written && closed && std::rename(temporary.c_str(), path.c_str()) == 0) return true;
  const int why = errno;
  ::unlink(temporary.c_str());
  errno = why;
  return false;
}

}  // namespace

Result<std::unique_ptr<PathsFile>> open_paths(const Reader& reader, Binaries& binaries,
                                              PathsKeep keep, PathsSize size) {
  const std::string path = reader.path() + std::string(kPathsSuffix);
  if (auto stored = PathsFile::open(path, reader)) return stored;
  Progress progress("indexing paths", reader.instructions());
  TRY(Bytes bytes, make_paths(reader, binaries,
                              {.level = size == PathsSize::kFast ? PathsOptions::kFastLevel
                                                                 : PathsOptions::kSmallLevel,
                               .progress = [&](uint64_t done) { progress.update(done); }}));
  progress.finish();
  if (keep == PathsKeep::kYes && !reader.path().ends_with(kPartialSuffix) &&
      !write_whole(path, bytes))
    print_note(fmt::format("the index of paths is not kept: {} cannot be written: {}", path,
                           std::strerror(errno)));
  return PathsFile::from_bytes(std::move(bytes), reader);
}

}  // namespace twinrun
