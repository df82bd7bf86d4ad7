// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "paths/chunk_index.h"
#include "paths/path_answer.h"

#include <cstdint>
#include <vector>

namespace twinrun {

/// Scheme 3 (section 4.3): the trace in chunks, each compressed by itself, with a ChunkIndex; only
/// chunks that have to do with the path's function are decompressed.
class ChunkedTrace {
 public:
  struct Options {
    uint32_t chunk_events = 1u << 20;  // the paper's 4 MB
    int level = 3;                     // of zstd, in place of gzip
    bool keep = false;                 // decompressed chunks, for the next query
  };
  ChunkedTrace() : ChunkedTrace(Options()) {}
  explicit ChunkedTrace(Options options) : options_(options) {}

  /// The events must be a well-formed trace.
  void append(PathEvent event);
  /// Behind the last event; then queries are possible.
  void finish();

  [[nodiscard]] Result<PathAnswer> match(const PathQuery& query, PathWanted wanted);
  [[nodiscard]] Result<PathTrace> expand() const;
  [[nodiscard]] uint64_t bytes() const;

 private:
  [[nodiscard]] Result<PathTrace> open(size_t chunk) const;

  Options options_;
  ChunkIndex index_;
  PathTrace pending_;
  std::vector<Bytes> chunks_;
  std::vector<PathTrace> kept_;
};

}  // namespace twinrun
