// SPDX-License-Identifier: MIT
// The walk over a chunk: frames as the program had them, each with what is left of its piece.
//
// What takes time are branches that cannot be predicted, of which there is one a segment at least:
// segments have three or four events on average (gzip and bzip2, 100 million events). So a segment
// without calls is copied by a fixed number of words, whatever its length, and an invocation
// without calls gets no frame; one that is a single segment is stored with its entry and exit and
// is copied as a whole.
//
// A sink is told what happens, and says false when that is more than the chunk has: entry(piece) of
// an invocation, go_on(piece) where its piece ends and another begins, put(words, count) and
// turns(words, count, turns) of its blocks, exit(); whole(piece) in place of all that for
// invocations without calls of which takes_whole(piece) is true, leaf(words, piece) for others that
// are one segment; finish() at the end of the chunk; left(): events that have not been told.
#pragma once

#include "paths/path_archive_reader.h"

#include <span>

namespace twinrun {

inline const PathArchiveReader::Piece* PathArchiveReader::next_piece(uint32_t key) {
  Range& range = key_ranges_[key];
  if (range.next == range.end) return common_piece(key);
  return &pieces_[taken_[range.next++]];
}

inline void PathArchiveReader::begin(Frame& frame, const Piece& piece) {
  frame = {.run = piece.runs_at,
           .run_end = piece.runs_at + piece.runs,
           .function = piece.kind >> 1,
           .exits = (piece.kind & 1) != 0};
}

/// An invocation without calls.
template <typename Sink>
bool PathArchiveReader::put_flat(Sink& sink, const Piece& piece) {
  if (sink.takes_whole(piece)) return sink.whole(piece);
  if (piece.leaf_at != 0) return sink.leaf(&words_[piece.leaf_at], piece);
  if (!sink.entry(piece)) return false;
  for (const Run& run : std::span(runs_).subspan(piece.runs_at, piece.runs)) {
    const Segment& segment = segments_[run.segment];
    if (!sink.turns(&words_[segment.at], segment.blocks, run.turns)) return false;
  }
  return sink.exit();
}

template <typename Sink>
PathArchiveReader::Fault PathArchiveReader::walk(Sink& sink) {
  // A piece is begun by what calls it, or where the last one of its invocation ends.
  const auto call = [&](uint32_t key) {
    const Piece* piece = next_piece(key);
    if (piece == nullptr) return Fault::kTooManyCalls;
    if (piece->is_flat) return put_flat(sink, *piece) ? Fault::kNone : Fault::kTooManyEvents;
    begin(frames_.emplace_back(), *piece);
    return sink.entry(*piece) ? Fault::kNone : Fault::kTooManyEvents;
  };
  for (;;) {
    if (frames_.empty()) {
      if (sink.left() == 0) return Fault::kNone;
      if (const Fault fault = call(0); fault != Fault::kNone) return fault;
      continue;
    }
    const size_t depth = frames_.size();
    Frame& frame = frames_.back();
    while (frame.stretch < frame.stretch_end) {
      const Stretch& stretch = stretches_[frame.stretch++];
      if (!sink.put(&words_[stretch.at], stretch.blocks)) return Fault::kTooManyEvents;
      if (stretch.site_key == kNone) continue;
      if (const Fault fault = call(stretch.site_key); fault != Fault::kNone) return fault;
      if (frames_.size() != depth) break;
    }
    if (frames_.size() != depth) continue;
    if (frame.turns > 0) {
      --frame.turns;
      const Segment& segment = segments_[frame.segment];
      frame.stretch = segment.first;
      frame.stretch_end = segment.first + segment.stretches;
      continue;
    }
    while (frame.run < frame.run_end) {
      const Run& run = runs_[frame.run++];
      const Segment& segment = segments_[run.segment];
      if (segment.stretches == 0) {
        if (!sink.turns(&words_[segment.at], segment.blocks, run.turns))
          return Fault::kTooManyEvents;
        continue;
      }
      frame.segment = run.segment;
      frame.turns = run.turns;
      break;
    }
    if (frame.turns > 0) continue;
    if (frame.exits) {
      if (!sink.exit()) return Fault::kTooManyEvents;
      frames_.pop_back();
      continue;
    }
    if (sink.left() == 0) return Fault::kNone;
    const Piece* piece =
        next_piece(site_key({frame.function, path_archive::SiteKey::kContinues, 0}));
    if (piece == nullptr) return Fault::kTooManyCalls;
    if (piece->kind >> 1 != frame.function) return Fault::kOtherFunction;
    begin(frame, *piece);
    sink.go_on(*piece);
  }
}

template <typename Sink>
Result<bool> PathArchiveReader::walk_chunk(Sink& sink, uint64_t events) {
  switch (walk(sink)) {
    case Fault::kTooManyEvents:
      return fail("T006", "a chunk has more events than it says: {}", events);
    case Fault::kTooManyCalls:
      return fail("T006", "a call site is used more often than a chunk says");
    case Fault::kOtherFunction:
      return fail("T006", "an invocation of function {} goes on in another function",
                  frames_.back().function);
    case Fault::kNone: break;
  }
  sink.finish();
  bool is_used_up = keys_met_.size() == site_pieces_.size() && common_.next == common_.end &&
                    next_fresh_ == fresh_.size() && next_new_ == pieces_.size();
  for (const uint32_t key : keys_met_)
    is_used_up = is_used_up && key_ranges_[key].next == key_ranges_[key].end;
  if (!is_used_up) return fail("T006", "a call site is used less often than a chunk says");
  for (const Frame& frame : frames_)
    if (frame.stretch != frame.stretch_end || frame.turns != 0 || frame.run != frame.run_end ||
        frame.exits)
      return fail("T006", "a chunk ends inside of a piece of function {}", frame.function);
  events_ += events;
  return true;
}

}  // namespace twinrun
