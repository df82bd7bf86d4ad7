// SPDX-License-Identifier: MIT
#include "paths/path_finder.h"

#include <algorithm>

namespace twinrun {

Result<PathFound> PathFinder::scan(const PathQuery& query, PathPosition last, bool keeps_all) {
  // A walk for one question is faster than one for all; from the second question on it is not.
  if (++walks_ == 2) {
    // As much as the index may have.
    TRY(times_, PathTimes::make(archive_, static_cast<size_t>(index_.events() * 4 / 10)));
    if (times_) stats_.chunks_opened = times_->chunks();
  }
  if (times_) return times_->find(query, keeps_all);
  TRY(PathArchiveReader reader, PathArchiveReader::open(archive_));
  const PathAutomaton automaton(query);
  PathStates states;
  PathFound found{.keeps_all = keeps_all, .all = {}};
  for (;;) {
    TRY(const bool more, reader.scan_chunk(automaton, states, found));
    if (!more) break;
    ++stats_.chunks_opened;
    if (last != kNoPosition && reader.events() > last) break;
  }
  return found;
}

Result<PathCount> PathFinder::find(const PathQuery& query) {
  stats_ = {};
  if (const auto known = index_.find(query)) return *known;
  TRY(const PathFound found, scan(query, kNoPosition, false));
  return PathCount{found.count, found.first, found.last};
}

Result<std::vector<PathPosition>> PathFinder::all(const PathQuery& query) {
  stats_ = {};
  const auto known = index_.find(query);
  if (known && known->count == 0) return std::vector<PathPosition>();
  if (known && known->first == known->last) return std::vector<PathPosition>{known->first};
  TRY(PathFound found, scan(query, known ? known->last : kNoPosition, true));
  return std::move(found.all);
}

}  // namespace twinrun
