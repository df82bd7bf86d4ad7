// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "run/paths/path_answer.h"
#include "run/paths/path_archive.h"
#include "run/paths/path_automaton.h"
#include "run/paths/path_event.h"
#include "trace/zstd_stream.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace twinrun {

/// Makes the trace again from an archive, chunk by chunk. The bytes are untrusted: T004, T005 or
/// T006 say what is wrong with them. An archive that ends in the middle of a chunk, because it is
/// still being written or was cut, has the events of the chunks in front of that.
class PathArchiveReader {
 public:
  /// The bytes must outlive it.
  static Result<PathArchiveReader> open(ByteSpan archive);

  /// Tells the events of the next chunk, some at a time. False when there is none.
  using Tell = std::function<void(PathTraceView)>;
  Result<bool> next_chunk(const Tell& tell);
  /// Instead of that: adds to `answer` where occurrences of a path end in the next chunk, in about
  /// the time that the chunk's segments take, not its events. `states`: empty before the first.
  Result<bool> scan_chunk(const PathAutomaton& automaton, PathStates& states, PathAnswer& answer);

  [[nodiscard]] uint64_t events() const { return events_; }
  /// There are bytes behind the last whole chunk.
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  static constexpr uint32_t kNone = ~0u;
  static constexpr size_t kTellEvents = 1u << 14;

  /// A part of a segment: blocks, then a call unless it is the segment's end.
  struct Stretch {
    uint32_t blocks_at = 0;
    uint32_t blocks = 0;
    uint32_t site_key = kNone;  // of the call
  };
  struct Segment {
    uint32_t first = 0;  // in stretches_
    uint32_t stretches = 0;
  };
  struct Run {
    uint32_t segment = 0;
    uint32_t turns = 1;
  };
  struct Piece {
    uint64_t runs_at = 0;
    uint32_t runs = 0;
    uint32_t kind = 0;  // function * 2 + (1: the invocation ends)
  };
  /// An active invocation, and what is left of its piece.
  struct Frame {
    uint32_t function = 0;
    bool exits = false;
    uint32_t stretch = 0;  // of the segment under way
    uint32_t stretch_end = 0;
    uint32_t segment = 0;
    uint32_t turns = 0;  // of the run
    uint64_t run = 0;
    uint64_t run_end = 0;

    [[nodiscard]] bool is_done() const {
      return stretch == stretch_end && turns == 0 && run == run_end;
    }
  };
  struct Site {
    std::vector<uint32_t> pieces;  // in the order in which it first had them
    size_t next = 0;               // of this chunk's invocations, in taken_
    size_t end = 0;
  };

  explicit PathArchiveReader(ByteSpan archive) : archive_(archive) {}
  Result<void> read_segments(ByteSpan raw, uint32_t count);
  Result<void> read_segment(ByteReader& in, uint32_t function);
  Result<void> read_pieces(ByteSpan heads, ByteSpan words, uint32_t count);
  Result<void> read_sites(ByteSpan counts, ByteSpan codes, ByteSpan fresh, uint32_t sites,
                          size_t pieces_before);
  class EventSink;
  class ScanSink;
  /// Nothing when there is none; else how many events it has.
  Result<std::optional<uint64_t>> load_chunk();
  template <typename Sink>
  Result<void> run(uint64_t events, Sink& sink);
  uint32_t site_key(const path_archive::SiteKey& key);
  /// The piece that the site has next.
  Result<const Piece*> next_piece(uint32_t key);
  Result<void> enter(uint32_t key);
  Result<void> go_on(Frame& frame);
  void begin(Frame& frame, const Piece& piece);

  ByteSpan archive_;
  size_t at_ = 0;
  uint64_t events_ = 0;
  bool is_cut_ = false;
  std::array<ZstdReader, path_archive::kSections> zstd_;

  std::vector<PathEvent> blocks_;
  std::vector<Stretch> stretches_;
  std::vector<Segment> segments_;
  // By function: numbers of its segments.
  boost::unordered_flat_map<uint32_t, std::vector<uint32_t>> segments_of_;
  std::vector<Run> runs_;
  std::vector<Piece> pieces_;
  boost::unordered_flat_map<path_archive::SiteKey, uint32_t> key_numbers_;
  std::vector<uint32_t> site_of_key_;  // kNone: not met yet
  uint32_t sites_met_ = 0;
  std::vector<Site> sites_;
  std::vector<uint32_t> taken_;  // pieces of this chunk's invocations, by site
  std::vector<Frame> frames_;
};

/// The whole trace.
Result<PathTrace> expand_archive(ByteSpan archive);

}  // namespace twinrun
