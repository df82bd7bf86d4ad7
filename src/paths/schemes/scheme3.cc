// SPDX-License-Identifier: MIT
#include "paths/schemes/scheme3.h"

#include "paths/schemes/scheme1.h"
#include "trace/coding.h"

#include <cstring>

namespace twinrun {

void ChunkedTrace::append(PathEvent event) {
  index_.take(event);
  pending_.push_back(event);
  if (pending_.size() >= options_.chunk_events) finish();
}

void ChunkedTrace::finish() {
  if (pending_.empty()) return;
  chunks_.push_back(zstd_compress(
      {reinterpret_cast<const uint8_t*>(pending_.data()), pending_.size() * sizeof(PathEvent)},
      options_.level));
  kept_.emplace_back();
  index_.end_chunk();
  pending_.clear();
}

Result<PathTrace> ChunkedTrace::open(size_t chunk) const {
  TRY(const Bytes raw, zstd_decompress(chunks_[chunk], index_.events(chunk) * sizeof(PathEvent)));
  PathTrace trace(index_.events(chunk), PathEvent::exit());
  std::memcpy(trace.data(), raw.data(), raw.size());
  return trace;
}

Result<PathAnswer> ChunkedTrace::match(const PathQuery& query, PathWanted wanted) {
  const PathAutomaton automaton(query);
  PathAnswer answer;
  PathStates states;
  PathPosition begin = 0;
  for (size_t chunk = 0; chunk < chunks_.size(); begin += index_.events(chunk), ++chunk) {
    if (!index_.contains(query.function, chunk)) {
      index_.skip(states, chunk);
      continue;
    }
    PathTrace opened;
    if (kept_[chunk].empty()) {
      ++answer.stats.chunks_opened;
      answer.stats.terminals_expanded += index_.events(chunk);
      TRY(opened, open(chunk));
      if (options_.keep) kept_[chunk] = opened;
    }
    const PathTraceView events = kept_[chunk].empty() ? opened : kept_[chunk];
    if (!scan_path(automaton, states, events, begin, wanted, answer)) break;
  }
  return answer;
}

Result<PathTrace> ChunkedTrace::expand() const {
  PathTrace trace;
  for (size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
    TRY(const PathTrace part, open(chunk));
    trace.insert(trace.end(), part.begin(), part.end());
  }
  return trace;
}

uint64_t ChunkedTrace::bytes() const {
  uint64_t sum = index_.bytes();
  for (const Bytes& chunk : chunks_) sum += chunk.size();
  return sum;
}

}  // namespace twinrun
