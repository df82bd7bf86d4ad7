// SPDX-License-Identifier: MIT
#pragma once

#include "paths/chunk_index.h"
#include "paths/path_answer.h"
#include "paths/schemes/grammar.h"

#include <cstdint>
#include <vector>

namespace twinrun {

/// Scheme 4 (section 4.4): a WPP whose start rule is cut into at most 128 chunks, with a ChunkIndex
/// of what each chunk generates. Rules are looked at only when a chunk that has to do with the
/// path's function uses them.
class ChunkedWpp {
 public:
  static constexpr size_t kMostChunks = 128;

  /// The WPP of a well-formed trace. O(trace), once.
  explicit ChunkedWpp(Grammar wpp, size_t most_chunks = kMostChunks);

  [[nodiscard]] PathAnswer match(const PathQuery& query, PathWanted wanted) const;
  [[nodiscard]] const Grammar& wpp() const { return wpp_; }
  [[nodiscard]] const ChunkIndex& index() const { return index_; }

 private:
  [[nodiscard]] std::span<const uint32_t> symbols(size_t chunk) const {
    return wpp_.start().subspan(chunk * size_,
                                std::min(size_, wpp_.start().size() - chunk * size_));
  }

  Grammar wpp_;
  std::vector<uint64_t> lengths_;
  size_t size_ = 1;  // symbols in a chunk
  ChunkIndex index_;
};

}  // namespace twinrun
