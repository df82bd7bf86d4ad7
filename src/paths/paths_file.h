// SPDX-License-Identifier: MIT
// The control flow of a recording, made ready for questions about paths, as a file of its own: what
// its functions are and, for each stack of each thread, the archive of its trace, the steps of its
// events and the index of its paths. See docs/decisions/0038-paths-index.md for the fields.
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "paths/path_code.h"
#include "paths/path_view.h"
#include "run/run.h"
#include "trace/reader.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace twinrun {

struct PathStream {
  uint32_t process = 0;
  PathStreamKey key;
  uint64_t events = 0;
  ByteSpan index;
  ByteSpan archive;
  ByteSpan clock;
};

struct PathsOptions {
  static constexpr int kFastLevel = 7;
  static constexpr int kSmallLevel = 19;
  int level = kFastLevel;                  // of zstd
  std::function<void(uint64_t)> progress;  // instructions so far
};

/// Walks over the whole recording once. Memory follows what is different in the traces, and the
/// archives.
Result<Bytes> make_paths(Run& run, const PathsOptions& options);

class PathsFile {
 public:
  /// T004 to T006 for what is no such file, and Q002 for one of another recording, or of less of
  /// it.
  static Result<std::unique_ptr<PathsFile>> open(const std::string& path, const Reader& reader);
  static Result<std::unique_ptr<PathsFile>> from_bytes(Bytes bytes, const Reader& reader);
  ~PathsFile();
  PathsFile(const PathsFile&) = delete;
  PathsFile& operator=(const PathsFile&) = delete;

  /// Of all processes.
  [[nodiscard]] const PathCode& code() const { return code_; }
  [[nodiscard]] const std::vector<PathStream>& streams() const { return streams_; }

 private:
  PathsFile() = default;
  Result<void> read(ByteSpan bytes, const Reader& reader);

  Bytes owned_;
  void* mapped_ = nullptr;
  size_t mapped_size_ = 0;
  PathCode code_;
  std::vector<PathStream> streams_;
};

}  // namespace twinrun
