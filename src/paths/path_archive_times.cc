// SPDX-License-Identifier: MIT
#include "paths/path_archive_times.h"

#include "paths/folded_difference.h"
#include "paths/path_archive_walk.h"

#include <xxhash.h>

#include <algorithm>

namespace twinrun {
namespace {

/// Of bytes that were written here.
uint64_t read_varint(const uint8_t*& at) {
  uint64_t value = *at++;
  if (value < 0x80) [[likely]]
    return value;
  value &= 0x7f;
  for (unsigned shift = 7;; shift += 7) {
    const uint64_t byte = *at++;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

void write_varint(Bytes& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
}

}  // namespace

/// Follows a walk, and writes a record where a piece ends.
class PathTimes::Sink {
 public:
  explicit Sink(PathTimes& times) : times_(times) {}
  void begin_chunk(uint64_t events) { end_ = position_ + events; }

  bool put(const PathEvent*, size_t count) { return pass(count); }
  bool turns(const PathEvent*, uint32_t count, uint32_t turns) {
    return pass(uint64_t{count} * turns);
  }
  bool entry(const PathArchiveReader::Piece& piece) {
    if (depth_ > 0) frames_[depth_ - 1].called_at = position_;
    if (frames_.size() == depth_) frames_.emplace_back();
    Frame& frame = frames_[depth_++];
    frame.function = place(piece);
    Function& function = times_.functions_[frame.function];
    function.is_recursive = function.is_recursive || function.active > 0;
    frame.level = function.active++;
    begin(frame, piece, false);
    return pass(1);
  }
  void go_on(const PathArchiveReader::Piece& piece) {
    Frame& frame = frames_[depth_ - 1];
    end_piece(frame);
    begin(frame, piece, true);
  }
  bool exit() {
    Frame& frame = frames_[--depth_];
    end_piece(frame);
    --times_.functions_[frame.function].active;
    if (!pass(1)) return false;
    if (depth_ > 0) frames_[depth_ - 1].add_call(position_ - frames_[depth_ - 1].called_at);
    return true;
  }
  static bool takes_whole(const PathArchiveReader::Piece&) { return true; }
  bool whole(const PathArchiveReader::Piece& piece) {
    Function& function = times_.functions_[place(piece)];
    function.is_recursive = function.is_recursive || function.active > 0;
    bytes_.clear();
    write_head(function, number(piece), function.active, false, position_);
    times_.add(function, bytes_);
    if (depth_ > 0) frames_[depth_ - 1].add_call(piece.events + 1);
    return pass(piece.events + 1);
  }
  static bool leaf(const PathEvent*, const PathArchiveReader::Piece&) { return false; }
  [[nodiscard]] uint64_t left() const { return end_ - position_; }
  /// All pieces end with their chunk.
  void finish() {
    for (size_t i = 0; i < depth_; ++i) end_piece(frames_[i]);
  }

 private:
  struct Frame {
    uint32_t function = 0;  // its place
    uint32_t level = 0;
    uint32_t piece = 0;
    bool goes_on = false;
    bool is_under_way = false;  // a piece
    PathPosition begin = 0;
    PathPosition called_at = 0;
    Bytes calls;

    void add_call(uint64_t events) {
      if (is_under_way) write_varint(calls, events);
    }
  };
  bool pass(uint64_t events) {
    if (events > end_ - position_) return false;
    position_ += events;
    return true;
  }
  [[nodiscard]] uint32_t number(const PathArchiveReader::Piece& piece) const {
    return static_cast<uint32_t>(&piece - times_.reader_.pieces_.data());
  }
  uint32_t place(const PathArchiveReader::Piece& piece) { return times_.place(piece.kind >> 1); }
  void begin(Frame& frame, const PathArchiveReader::Piece& piece, bool goes_on) {
    frame.piece = number(piece);
    frame.goes_on = goes_on;
    frame.is_under_way = true;
    frame.begin = position_;
    frame.calls.clear();
  }
  void write_head(Function& function, uint32_t piece, uint32_t level, bool goes_on,
                  PathPosition begin) {
    write_varint(bytes_, uint64_t{piece} << 2 | (goes_on ? 2 : 0) | (level > 0 ? 1 : 0));
    if (level > 0) write_varint(bytes_, level);
    write_varint(bytes_, fold_difference(begin - function.last_begin));
    function.last_begin = begin;
  }
  void end_piece(Frame& frame) {
    if (!frame.is_under_way) return;
    frame.is_under_way = false;
    Function& function = times_.functions_[frame.function];
    bytes_.clear();
    write_head(function, frame.piece, frame.level, frame.goes_on, frame.begin);
    bytes_.insert(bytes_.end(), frame.calls.begin(), frame.calls.end());
    times_.add(function, bytes_);
  }

  PathTimes& times_;
  PathPosition position_ = 0;
  PathPosition end_ = 0;
  std::vector<Frame> frames_;  // those from depth_ on are kept for their memory
  size_t depth_ = 0;
  Bytes bytes_;
};

uint32_t PathTimes::place(uint32_t number) {
  // Most programs have few functions; numbers from there on are looked up.
  constexpr uint32_t kTable = 1u << 16;
  if (number < small_places_.size() && small_places_[number] != 0) return small_places_[number] - 1;
  const auto [it, is_new] = places_.try_emplace(number, static_cast<uint32_t>(functions_.size()));
  if (is_new) functions_.emplace_back();
  if (number < kTable) {
    if (number >= small_places_.size()) small_places_.resize(number + 1);
    small_places_[number] = it->second + 1;
  }
  return it->second;
}

void PathTimes::add(Function& function, ByteSpan record) {
  const auto next = static_cast<uint32_t>(function.ends.size());
  const auto [it, is_new] =
      function.numbers.try_emplace(XXH3_64bits(record.data(), record.size()), next);
  uint32_t number = it->second;
  if (!is_new) {
    const uint32_t begin = number == 0 ? 0 : function.ends[number - 1];
    // Two records with one hash: the second is stored each time that it comes up.
    if (!std::ranges::equal(
            record, ByteSpan(function.records).subspan(begin, function.ends[number] - begin)))
      number = next;
  }
  if (number == next) {
    function.records.insert(function.records.end(), record.begin(), record.end());
    function.ends.push_back(static_cast<uint32_t>(function.records.size()));
  }
  write_varint(function.order, number);
}

Result<std::optional<PathTimes>> PathTimes::make(ByteSpan archive, size_t most_memory) {
  TRY(PathArchiveReader reader, PathArchiveReader::open(archive));
  std::optional<PathTimes> times(PathTimes(std::move(reader)));
  PathArchiveReader& own = times->reader_;
  Sink sink(*times);
  for (;;) {
    TRY(const std::optional<uint64_t> events, own.load_chunk());
    if (!events) break;
    sink.begin_chunk(*events);
    TRY_VOID(own.walk_chunk(sink, *events));
    ++times->chunks_;
    if (times->memory() > most_memory) return std::nullopt;
  }
  for (Function& function : times->functions_) {
    function.numbers = {};
    function.records.shrink_to_fit();
    function.ends.shrink_to_fit();
    function.order.shrink_to_fit();
  }
  return times;
}

size_t PathTimes::memory() const {
  size_t sum = functions_.size() * sizeof(Function) + small_places_.size() * sizeof(uint32_t);
  for (const Function& function : functions_)
    sum +=
        function.records.size() + function.ends.size() * sizeof(uint32_t) + function.order.size();
  return sum;
}

PathTimes::Record PathTimes::record(const Function& function, uint32_t number) {
  const uint8_t* at = function.records.data() + (number == 0 ? 0 : function.ends[number - 1]);
  const uint8_t* const end = function.records.data() + function.ends[number];
  Record out;
  const uint64_t head = read_varint(at);
  out.piece = static_cast<uint32_t>(head >> 2);
  out.goes_on = (head & 2) != 0;
  if ((head & 1) != 0) out.level = static_cast<uint32_t>(read_varint(at));
  out.distance = static_cast<int64_t>(unfold_difference(read_varint(at)));
  out.calls = {at, end};
  return out;
}

/// One question.
class PathTimes::Search {
 public:
  Search(const PathTimes& times, const Function& function, const PathQuery& query, PathFound& found)
      : reader_(times.reader_),
        function_(function),
        automaton_(query),
        found_(found),
        seen_(function.ends.size()) {}

  void run() {
    PathPosition begin = 0;
    const uint8_t* at = function_.order.data();
    const uint8_t* const end = at + function_.order.size();
    while (at < end) {
      const auto number = static_cast<uint32_t>(read_varint(at));
      Seen& seen = seen_[number];
      if (seen.outcome.state < 0) look_at(number);
      begin += static_cast<uint64_t>(seen.distance);
      // Pieces that are whole invocations leave nothing behind.
      if (seen.is_whole) [[likely]] {
        take(begin, seen.outcome);
        continue;
      }
      if (seen.level >= states_.size()) states_.resize(seen.level + 1);
      int32_t& state = states_[seen.level];
      const Outcome outcome = !seen.goes_on || state == 0 ? seen.outcome : after(number, state);
      take(begin, outcome);
      state = outcome.state;
    }
  }

 private:
  /// Of a record, from some state on.
  struct Outcome {
    int32_t state = -1;
    uint32_t matches = 0;
    uint64_t matches_at = 0;  // in offsets_
  };
  struct Seen {
    Outcome outcome;  // from state 0 on; the state is -1: not looked at
    int64_t distance = 0;
    uint32_t level = 0;
    bool goes_on = false;
    bool is_whole = false;
  };

  void take(PathPosition begin, const Outcome& outcome) {
    for (uint32_t i = 0; i < outcome.matches; ++i)
      found_.take(begin + offsets_[outcome.matches_at + i]);
  }
  void look_at(uint32_t number) {
    const Record record = PathTimes::record(function_, number);
    const bool exits = (reader_.pieces_[record.piece].kind & 1) != 0;
    seen_[number] = {.outcome = scan(record, 0),
                     .distance = record.distance,
                     .level = record.level,
                     .goes_on = record.goes_on,
                     .is_whole = exits && !record.goes_on};
  }
  Outcome after(uint32_t number, int32_t state) {
    const auto [it, is_new] =
        others_.try_emplace(uint64_t{number} << 32 | static_cast<uint32_t>(state));
    if (is_new) it->second = scan(PathTimes::record(function_, number), state);
    return it->second;
  }
  Outcome scan(const Record& record, int32_t state) {
    Outcome out{.state = state, .matches_at = offsets_.size()};
    offset_ = record.goes_on ? 0 : 1;
    const uint8_t* call = record.calls.data();
    const uint8_t* const calls_end = call + record.calls.size();
    const PathArchiveReader::Piece& piece = reader_.pieces_[record.piece];
    for (const auto& run : std::span(reader_.runs_).subspan(piece.runs_at, piece.runs)) {
      const PathArchiveReader::Segment& segment = reader_.segments_[run.segment];
      for (uint32_t turn = 0; turn < run.turns; ++turn) {
        if (segment.stretches == 0) {
          const int32_t before = out.state;
          const size_t found_before = offsets_.size();
          step(out.state, segment.at, segment.blocks);
          if (out.state != before || offsets_.size() != found_before) continue;
          // Then all turns that are left are like this one.
          offset_ += uint64_t{segment.blocks} * (run.turns - turn - 1);
          break;
        }
        for (const auto& stretch :
             std::span(reader_.stretches_).subspan(segment.first, segment.stretches)) {
          step(out.state, stretch.at, stretch.blocks);
          if (stretch.site_key != PathArchiveReader::kNone && call < calls_end)
            offset_ += read_varint(call);
        }
      }
    }
    out.matches = static_cast<uint32_t>(offsets_.size() - out.matches_at);
    return out;
  }
  void step(int32_t& state, uint32_t at, uint32_t blocks) {
    for (uint32_t i = 0; i < blocks; ++i, ++offset_) {
      state = automaton_.next(state, reader_.words_[at + i].block());
      if (automaton_.accepts(state)) offsets_.push_back(offset_);
    }
  }

  const PathArchiveReader& reader_;
  const Function& function_;
  PathAutomaton automaton_;
  PathFound& found_;
  std::vector<Seen> seen_;  // by record
  boost::unordered_flat_map<uint64_t, Outcome> others_;
  PathStates states_;  // by level
  std::vector<uint64_t> offsets_;
  uint64_t offset_ = 0;
};

PathFound PathTimes::find(const PathQuery& query, bool keeps_all) const {
  PathFound found{.keeps_all = keeps_all, .all = {}};
  const auto place = places_.find(query.function);
  if (place == places_.end()) return found;
  const Function& function = functions_[place->second];
  Search(*this, function, query, found).run();
  // With recursion, what ends first may have begun last.
  if (function.is_recursive) std::ranges::sort(found.all);
  return found;
}

}  // namespace twinrun
