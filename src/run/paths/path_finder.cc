// SPDX-License-Identifier: MIT
#include "run/paths/path_finder.h"

#include "run/paths/path_archive_reader.h"

#include <algorithm>

namespace twinrun {

Result<std::vector<PathPosition>> PathFinder::scan(const PathQuery& query, PathPosition last) {
  TRY(PathArchiveReader reader, PathArchiveReader::open(archive_));
  const PathAutomaton automaton(query);
  PathStates states;
  PathAnswer answer;
  for (;;) {
    TRY(const bool more, reader.scan_chunk(automaton, states, answer));
    if (!more) break;
    ++stats_.chunks_opened;
    if (last != kNoPosition && reader.events() > last) break;
  }
  return std::move(answer.all);
}

Result<PathCount> PathFinder::find(const PathQuery& query) {
  stats_ = {};
  if (const auto known = index_.find(query)) return *known;
  TRY(const std::vector<PathPosition> all, scan(query, kNoPosition));
  if (all.empty()) return PathCount{};
  return PathCount{all.size(), all.front(), all.back()};
}

Result<std::vector<PathPosition>> PathFinder::all(const PathQuery& query) {
  stats_ = {};
  const auto known = index_.find(query);
  if (known && known->count == 0) return std::vector<PathPosition>();
  if (known && known->first == known->last) return std::vector<PathPosition>{known->first};
  return scan(query, known ? known->last : kNoPosition);
}

namespace {

/// When everything has been asked.
size_t memory_of(const PathGrams& grams) {
  const PathIndex index(grams);
  index.make_all();
  return index.memory();
}

}  // namespace

Bytes encode_index_within(PathGrams grams, size_t most_bytes, size_t most_memory, int level) {
  for (size_t target = grams.grams.size();;) {
    Bytes file = PathIndex::encode(grams, level);
    const bool is_smallest = grams.grams.size() <= grams.segments.size();
    const size_t memory = is_smallest ? 0 : memory_of(grams);
    if (is_smallest || (file.size() <= most_bytes && memory <= most_memory)) return file;
    // Both follow the number of grams, more or less.
    const double ratio =
        std::min(static_cast<double>(most_bytes) / static_cast<double>(file.size()),
                 static_cast<double>(most_memory) / static_cast<double>(memory));
    target = static_cast<size_t>(static_cast<double>(std::min(target, grams.grams.size())) *
                                 std::min(0.95, ratio));
    grams.reduce_to(target);
  }
}

}  // namespace twinrun
