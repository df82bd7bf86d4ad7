// SPDX-License-Identifier: MIT
#include "paths/path_replay.h"

#include "paths/path_archive_reader.h"
#include "paths/path_clock.h"

namespace twinrun {

Result<PathLengths> path_lengths(const PathCode& code) {
  PathLengths out;
  TRY_VOID(code.each_body([&](uint32_t function, const PathBody& body) {
    for (uint32_t b = 0; b < body.blocks.size(); ++b)
      out.set(function, b, body.blocks[b].instructions);
  }));
  return out;
}

Result<uint64_t> replay_paths(const PathStream& stream, const PathLengths& lengths,
                              const std::function<bool(const PathTold&)>& more) {
  TRY(PathArchiveReader reader, PathArchiveReader::open(stream.archive));
  TRY(PathClockReader clock, PathClockReader::open(stream.clock, lengths));
  std::vector<PathPosition> steps;
  bool goes_on = true;
  uint64_t chunks = 0;
  while (goes_on) {
    TRY(const bool any, reader.next_chunk([&](PathTraceView events) {
      if (!goes_on) return;
      clock.steps(events, steps);
      goes_on = more({events, steps});
    }));
    if (!any) break;
    ++chunks;
  }
  return chunks;
}

}  // namespace twinrun
