// SPDX-License-Identifier: MIT
// The walk over a chunk: frames as the program had them, each with what is left of its piece.
//
// What takes time are branches that cannot be predicted, of which there is one a segment at least:
// segments have three or four events on average (gzip and bzip2, 100 million events). So a segment
// without calls is copied by a fixed number of words, whatever its length, and an invocation
// without calls gets no frame; one that is a single segment is stored with its entry and exit and
// is copied as a whole.
#include "run/paths/path_archive_reader.h"

#include <cstring>

namespace twinrun {

using path_archive::SiteKey;

/// Tells all events, some at a time.
class PathArchiveReader::EventSink {
 public:
  EventSink(const Tell& tell, uint64_t events)
      : tell_(tell), left_(events), out_(kBuffer + path_archive::kCopyWords, PathEvent::exit()) {
    refill();
  }
  // All of these are false when that is more than the chunk has.
  bool put(const PathEvent* words, size_t count) {
    if (count > room_) [[unlikely]]
      return put_slowly(words, count);
    copy(words, count);
    return true;
  }
  bool entry(uint32_t function) {
    const PathEvent event = PathEvent::entry(function);
    return put_one(event);
  }
  bool exit() { return put_one(PathEvent::exit()); }
  bool turns(const PathEvent* words, uint32_t count, uint32_t turns) {
    for (; turns > 0; --turns)
      if (!put(words, count)) return false;
    return true;
  }
  bool leaf(const PathEvent* words, const Piece& piece) { return put(words, piece.events + 1); }
  static bool passes(const Piece&) { return false; }
  static bool pass(uint64_t) { return false; }
  [[nodiscard]] uint64_t left() const { return left_ + room_; }
  void finish() {
    if (used_ > 0) tell_(PathTraceView(out_).first(used_));
    used_ = 0;
  }

 private:
  static constexpr size_t kBuffer = 1u << 14;

  void copy(const PathEvent* words, size_t count) {
    // Most strings are short; what is copied too much is written over by the next.
    std::memcpy(static_cast<void*>(&out_[used_]), words,
                path_archive::kCopyWords * sizeof(PathEvent));
    if (count > path_archive::kCopyWords) [[unlikely]]
      std::memcpy(static_cast<void*>(&out_[used_]), words, count * sizeof(PathEvent));
    used_ += count;
    room_ -= count;
  }
  bool put_one(PathEvent event) {
    if (room_ == 0 && !make_room()) return false;
    out_[used_++] = event;
    --room_;
    return true;
  }
  [[gnu::noinline]] bool put_slowly(const PathEvent* words, size_t count) {
    for (; count > 0; --count)
      if (!put_one(*words++)) return false;
    return true;
  }
  [[gnu::noinline]] bool make_room() {
    if (left_ == 0) return false;
    finish();
    refill();
    return true;
  }
  void refill() {
    room_ = std::min<uint64_t>(left_, kBuffer);
    left_ -= room_;
  }

  const Tell& tell_;
  uint64_t left_;    // of the chunk, behind the room
  size_t room_ = 0;  // in the buffer
  size_t used_ = 0;
  PathTrace out_;
};

/// Looks for a path, and passes by what is not of its function.
class PathArchiveReader::ScanSink {
 public:
  ScanSink(const PathAutomaton& automaton, PathStates& states, PathPosition position,
           uint64_t events, PathFound& found)
      : automaton_(automaton),
        states_(states),
        position_(position),
        end_(position + events),
        found_(found) {}
  bool put(const PathEvent* words, size_t count) {
    if (states_.back() >= 0) states_.back() = scan(states_.back(), words, count);
    return pass(count);
  }
  bool entry(uint32_t function) {
    states_.push_back(function == automaton_.function() ? 0 : PathAutomaton::kNotInterested);
    return pass(1);
  }
  bool exit() {
    states_.pop_back();
    return pass(1);
  }
  bool turns(const PathEvent* words, uint32_t count, uint32_t turns) {
    int32_t& state = states_.back();
    if (state < 0) return pass(uint64_t{count} * turns);
    for (; turns > 0; --turns) {
      const int32_t before = state;
      const uint64_t found_before = found_.count;
      state = scan(state, words, count);
      if (!pass(count)) return false;
      // Then all turns that are left are like this one.
      if (state == before && found_.count == found_before)
        return pass(uint64_t{count} * (turns - 1));
    }
    return true;
  }
  bool leaf(const PathEvent* words, const Piece& piece) {
    if (!pass(1)) return false;
    scan(0, words + 1, piece.events - 1);
    return pass(piece.events);
  }
  /// Of an invocation without calls nothing but its length is wanted.
  [[nodiscard]] bool passes(const Piece& piece) const {
    return piece.kind >> 1 != automaton_.function();
  }
  bool pass(uint64_t events) {
    if (events > end_ - position_) return false;
    position_ += events;
    return true;
  }
  [[nodiscard]] uint64_t left() const { return end_ - position_; }
  void finish() {}

 private:
  int32_t scan(int32_t state, const PathEvent* words, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      state = automaton_.next(state, words[i].block());
      if (automaton_.accepts(state)) found_.take(position_ + i);
    }
    return state;
  }

  const PathAutomaton& automaton_;
  PathStates& states_;
  PathPosition position_;
  PathPosition end_;
  PathFound& found_;
};

const PathArchiveReader::Piece* PathArchiveReader::next_piece(uint32_t key) {
  Range& range = key_ranges_[key];
  if (range.next == range.end && !meet(key)) [[unlikely]]
    return nullptr;
  return &pieces_[taken_[range.next++]];
}

bool PathArchiveReader::meet(uint32_t key) {
  if (site_of_key_[key] != kNone || keys_met_.size() >= site_ranges_.size()) return false;
  const auto site = static_cast<uint32_t>(keys_met_.size());
  site_of_key_[key] = site;
  keys_met_.push_back(key);
  key_ranges_[key] = site_ranges_[site];
  return key_ranges_[key].next != key_ranges_[key].end;
}

void PathArchiveReader::begin(Frame& frame, const Piece& piece) {
  frame = {.run = piece.runs_at,
           .run_end = piece.runs_at + piece.runs,
           .function = piece.kind >> 1,
           .exits = (piece.kind & 1) != 0};
}

/// Segments without calls.
template <typename Sink>
bool PathArchiveReader::put_flat(Sink& sink, const Piece& piece) {
  if (sink.passes(piece)) return sink.pass(piece.events + 1);
  if (piece.leaf_at != 0) return sink.leaf(&words_[piece.leaf_at], piece);
  if (!sink.entry(piece.kind >> 1)) return false;
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
    return sink.entry(piece->kind >> 1) ? Fault::kNone : Fault::kTooManyEvents;
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
    const Piece* piece = next_piece(site_key({frame.function, SiteKey::kContinues, 0}));
    if (piece == nullptr) return Fault::kTooManyCalls;
    if (piece->kind >> 1 != frame.function) return Fault::kOtherFunction;
    begin(frame, *piece);
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
  for (size_t site = 0; site < site_ranges_.size(); ++site) {
    const Range& range =
        site < keys_met_.size() ? key_ranges_[keys_met_[site]] : site_ranges_[site];
    if (range.next != range.end)
      return fail("T006", "a call site is used less often than a chunk says");
  }
  for (const Frame& frame : frames_)
    if (frame.stretch != frame.stretch_end || frame.turns != 0 || frame.run != frame.run_end ||
        frame.exits)
      return fail("T006", "a chunk ends inside of a piece of function {}", frame.function);
  events_ += events;
  return true;
}

Result<bool> PathArchiveReader::next_chunk(const Tell& tell) {
  TRY(const std::optional<uint64_t> events, load_chunk());
  if (!events) return false;
  EventSink sink(tell, *events);
  return walk_chunk(sink, *events);
}

Result<bool> PathArchiveReader::scan_chunk(const PathAutomaton& automaton, PathStates& states,
                                           PathFound& found) {
  TRY(const std::optional<uint64_t> events, load_chunk());
  if (!events) return false;
  ScanSink sink(automaton, states, events_, *events, found);
  return walk_chunk(sink, *events);
}

}  // namespace twinrun
