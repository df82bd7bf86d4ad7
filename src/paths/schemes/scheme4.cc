// SPDX-License-Identifier: MIT
#include "paths/schemes/scheme4.h"

#include "paths/schemes/scheme2.h"

namespace twinrun {

ChunkedWpp::ChunkedWpp(Grammar wpp, size_t most_chunks)
    : wpp_(std::move(wpp)), lengths_(wpp_.lengths()) {
  const size_t all = wpp_.start().size();
  size_ = std::max<size_t>(1, (all + most_chunks - 1) / most_chunks);
  for (size_t chunk = 0; chunk * size_ < all; ++chunk) {
    // One symbol at a time: a chunk can generate most of the trace.
    for (const uint32_t symbol : symbols(chunk))
      for (const PathEvent event : wpp_.expand(std::span(&symbol, 1))) index_.take(event);
    index_.end_chunk();
  }
}

PathAnswer ChunkedWpp::match(const PathQuery& query, PathWanted wanted) const {
  RuleFlags flags(wpp_, query);
  WppWalk walk(wpp_, lengths_, flags, wanted);
  uint64_t chunks_opened = 0;
  for (size_t chunk = 0; chunk < index_.chunks(); ++chunk) {
    if (!index_.contains(query.function, chunk)) {
      index_.skip(walk.states(), chunk);
      walk.skip(index_.events(chunk));
      continue;
    }
    ++chunks_opened;
    bool goes_on = true;
    for (const uint32_t symbol : symbols(chunk)) {
      if (Grammar::is_rule(symbol)) flags.prepare(Grammar::rule_of(symbol));
      goes_on = walk.take(symbol);
      if (!goes_on) break;
    }
    if (!goes_on) break;
  }
  PathAnswer answer = std::move(walk.answer());
  answer.stats.rules_visited += flags.rules_visited();
  answer.stats.chunks_opened = chunks_opened;
  if (wanted == PathWanted::kCount) answer.first = kNoPosition;
  return answer;
}

}  // namespace twinrun
