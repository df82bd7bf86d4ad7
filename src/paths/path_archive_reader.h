// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "paths/path_archive.h"
#include "paths/path_automaton.h"
#include "paths/path_event.h"
#include "trace/zstd_stream.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace twinrun {

/// What a walk over an archive found of a path.
struct PathFound {
  uint64_t count = 0;
  PathPosition first = kNoPosition;
  PathPosition last = kNoPosition;
  bool keeps_all = false;
  std::vector<PathPosition> all;  // with keeps_all, ascending

  void take(PathPosition position) {
    if (count == 0 || position > last) last = position;
    first = std::min(first, position);
    ++count;
    if (keeps_all) all.push_back(position);
  }
};

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
  /// Instead of that: adds to `found` where occurrences of a path end in the next chunk, in about
  /// the time that the chunk's calls take, not its events. `states`: empty before the first.
  Result<bool> scan_chunk(const PathAutomaton& automaton, PathStates& states, PathFound& found);

  /// A chunk that leads to more events than this fails with T006, before any of it is told: a few
  /// bytes can say that a loop took billions of turns.
  void limit(uint64_t most_events) { most_events_ = most_events; }
  [[nodiscard]] uint64_t events() const { return events_; }
  /// There are bytes behind the last whole chunk.
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  friend class PathTimes;
  static constexpr uint32_t kNone = ~0u;
  static constexpr uint64_t kMostPieceEvents = uint64_t{1} << 48;

  /// A part of a segment: blocks, then a call unless it is the segment's end.
  struct Stretch {
    uint32_t at = 0;  // in words_
    uint32_t blocks = 0;
    uint32_t site_key = kNone;  // of the call
  };
  struct Segment {
    uint32_t at = 0;  // of its first block in words_
    uint32_t blocks = 0;
    uint32_t first = 0;      // in stretches_
    uint32_t stretches = 0;  // 0: there are no calls
  };
  struct Run {
    uint32_t segment = 0;
    uint32_t turns = 1;
  };
  struct Piece {
    uint64_t runs_at = 0;
    uint64_t events = 0;  // blocks, and the exit
    uint32_t runs = 0;
    uint32_t kind = 0;     // function * 2 + (1: the invocation ends)
    uint32_t leaf_at = 0;  // in words_, if all of it is there: entry, blocks, exit; else 0
    bool is_flat = false;  // has no calls, and the invocation ends
  };
  /// An active invocation, and what is left of its piece.
  struct Frame {
    uint64_t run = 0;
    uint64_t run_end = 0;
    uint32_t function = 0;
    uint32_t stretch = 0;  // of the segment under way
    uint32_t stretch_end = 0;
    uint32_t segment = 0;
    uint32_t turns = 0;  // of the run that are left
    bool exits = false;
  };
  /// In taken_.
  struct Range {
    uint32_t next = 0;
    uint32_t end = 0;
  };
  enum class Fault : uint8_t { kNone, kTooManyEvents, kTooManyCalls, kOtherFunction };

  explicit PathArchiveReader(ByteSpan archive) : archive_(archive) {}
  Result<void> read_segments(ByteSpan raw, uint32_t count);
  Result<void> read_segment(ByteReader& in, uint32_t function);
  Result<void> read_pieces(ByteSpan heads, ByteSpan words, uint32_t count);
  Result<void> measure(Piece& piece) const;
  Result<void> read_codes(ByteSpan streams, ByteSpan codes, ByteSpan fresh, uint32_t sites,
                          size_t pieces_before);
  /// kNone: there is none.
  uint32_t piece_of_code(uint32_t site, uint64_t code);
  /// T006 unless the pieces that are taken can have so many events.
  Result<void> check_events(uint64_t events) const;
  class EventSink;
  class ScanSink;
  /// Nothing when there is none; else how many events it has.
  Result<std::optional<uint64_t>> load_chunk();
  template <typename Sink>
  Result<bool> walk_chunk(Sink& sink, uint64_t events);
  template <typename Sink>
  Fault walk(Sink& sink);
  template <typename Sink>
  bool put_flat(Sink& sink, const Piece& piece);
  uint32_t site_key(const path_archive::SiteKey& key);
  /// The piece that the site has next; null when it has no more.
  const Piece* next_piece(uint32_t key);
  const Piece* common_piece(uint32_t key);
  static void begin(Frame& frame, const Piece& piece);

  ByteSpan archive_;
  size_t at_ = 0;
  uint64_t events_ = 0;
  uint64_t most_events_ = ~uint64_t{0};
  uint64_t most_piece_events_ = 0;
  bool is_cut_ = false;
  std::array<ZstdReader, path_archive::kSections> zstd_;

  // Segments, each with its function's entry in front of it and an exit behind it; then some words
  // more, so that a few can always be copied at once.
  PathTrace words_;
  std::vector<Stretch> stretches_;
  std::vector<Segment> segments_;
  // By function: numbers of its segments.
  boost::unordered_flat_map<uint32_t, std::vector<uint32_t>> segments_of_;
  std::vector<Run> runs_;
  std::vector<Piece> pieces_;
  boost::unordered_flat_map<path_archive::SiteKey, uint32_t> key_numbers_;
  std::vector<uint32_t> site_of_key_;               // kNone: not met yet
  std::vector<uint32_t> keys_met_;                  // by site
  std::vector<std::vector<uint32_t>> site_pieces_;  // in the order in which it first had them
  // Of this chunk. What was taken are pieces in streams, then codes of the sites without one.
  std::vector<Range> site_ranges_;  // by site, as they were in the beginning; empty: no stream
  std::vector<Range> key_ranges_;   // by key, of sites that have been met
  std::vector<uint32_t> taken_;
  Range common_;
  std::vector<uint64_t> fresh_;  // how many pieces back
  size_t next_fresh_ = 0;
  size_t next_new_ = 0;
  std::vector<Frame> frames_;
};

/// The whole trace, which must have no more than so many events: longer ones are better read chunk
/// by chunk.
Result<PathTrace> expand_archive(ByteSpan archive, uint64_t most_events = uint64_t{1} << 30);

}  // namespace twinrun
