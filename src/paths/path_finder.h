// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "paths/path_archive_reader.h"
#include "paths/path_archive_times.h"
#include "paths/path_index.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace twinrun {

/// Answers about the paths of one trace: from its index, and from its archive where the index does
/// not know. The paper's questions about single paths, for the measurements that are compared with
/// its own; `twinrun paths` asks more, through search_paths().
class PathFinder {
 public:
  /// The archive's bytes must outlive it. The index must be of the same trace.
  PathFinder(ByteSpan archive, PathIndex index) : archive_(archive), index_(std::move(index)) {}

  Result<PathCount> find(const PathQuery& query);
  /// Where all occurrences end, ascending.
  Result<std::vector<PathPosition>> all(const PathQuery& query);
  /// What the last question took: nothing but the index when no chunk was opened.
  [[nodiscard]] const PathStats& stats() const { return stats_; }
  [[nodiscard]] const PathIndex& index() const { return index_; }
  /// Of what questions that the index left open made, for the next ones.
  [[nodiscard]] size_t times_memory() const { return times_ ? times_->memory() : 0; }

 private:
  /// Up to the chunk that holds `last`.
  Result<PathFound> scan(const PathQuery& query, PathPosition last, bool keeps_all);

  ByteSpan archive_;
  PathIndex index_;
  std::optional<PathTimes> times_;  // made for the second question that the index leaves open
  uint64_t walks_ = 0;              // questions that it left open
  PathStats stats_;
};

}  // namespace twinrun
