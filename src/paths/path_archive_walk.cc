// SPDX-License-Identifier: MIT
#include "paths/path_archive_walk.h"

#include <algorithm>
#include <cstring>

namespace twinrun {

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
  bool entry(const Piece& piece) { return put_one(PathEvent::entry(piece.kind >> 1)); }
  void go_on(const Piece&) {}
  bool exit() { return put_one(PathEvent::exit()); }
  bool turns(const PathEvent* words, uint32_t count, uint32_t turns) {
    for (; turns > 0; --turns)
      if (!put(words, count)) return false;
    return true;
  }
  bool leaf(const PathEvent* words, const Piece& piece) { return put(words, piece.events + 1); }
  static bool takes_whole(const Piece&) { return false; }
  static bool whole(const Piece&) { return false; }
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
  bool entry(const Piece& piece) {
    states_.push_back(takes_whole(piece) ? PathAutomaton::kNotInterested : 0);
    return pass(1);
  }
  void go_on(const Piece&) {}
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
  [[nodiscard]] bool takes_whole(const Piece& piece) const {
    return piece.kind >> 1 != automaton_.function();
  }
  bool whole(const Piece& piece) { return pass(piece.events + 1); }
  [[nodiscard]] uint64_t left() const { return end_ - position_; }
  void finish() {}

 private:
  bool pass(uint64_t events) {
    if (events > end_ - position_) return false;
    position_ += events;
    return true;
  }
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

const PathArchiveReader::Piece* PathArchiveReader::common_piece(uint32_t key) {
  uint32_t site = site_of_key_[key];
  if (site == kNone) {
    if (keys_met_.size() >= site_pieces_.size()) return nullptr;
    site = static_cast<uint32_t>(keys_met_.size());
    site_of_key_[key] = site;
    keys_met_.push_back(key);
    Range& range = key_ranges_[key];
    range = site_ranges_[site];
    if (range.next != range.end) return &pieces_[taken_[range.next++]];
  }
  // A stream that has come to its end has nothing more.
  if (site_ranges_[site].end != 0 || common_.next == common_.end) return nullptr;
  const uint32_t piece = piece_of_code(site, taken_[common_.next++]);
  return piece == kNone ? nullptr : &pieces_[piece];
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
