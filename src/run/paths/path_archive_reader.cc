// SPDX-License-Identifier: MIT
#include "run/paths/path_archive_reader.h"

#include <xxhash.h>

#include <array>
#include <cstring>

namespace twinrun {

using path_archive::ChunkHeader;
using path_archive::FileHeader;
using path_archive::kSections;
using path_archive::SiteKey;

Result<PathArchiveReader> PathArchiveReader::open(ByteSpan archive) {
  FileHeader header;
  if (archive.size() < sizeof header)
    return fail("T005", "the archive of paths has {} bytes, its header alone has {}",
                archive.size(), sizeof header);
  std::memcpy(&header, archive.data(), sizeof header);
  if (header.magic != path_archive::kMagic)
    return fail("T006", "this is no archive of paths: it begins with {:#x}", header.magic);
  if (header.version != path_archive::kVersion)
    return fail("T004", "the archive of paths has version {}, this program reads version {}",
                header.version, path_archive::kVersion);
  PathArchiveReader reader(archive);
  reader.at_ = sizeof header;
  const uint32_t outermost = reader.site_key({});
  reader.site_of_key_[outermost] = reader.sites_met_++;
  return reader;
}

uint32_t PathArchiveReader::site_key(const SiteKey& key) {
  const auto [it, is_new] =
      key_numbers_.try_emplace(key, static_cast<uint32_t>(key_numbers_.size()));
  if (is_new) site_of_key_.push_back(kNone);
  return it->second;
}

Result<std::optional<uint64_t>> PathArchiveReader::load_chunk() {
  const ByteSpan rest = archive_.subspan(at_);
  if (rest.empty()) return std::nullopt;
  ChunkHeader header;
  if (rest.size() < sizeof header) {
    is_cut_ = true;
    return std::nullopt;
  }
  std::memcpy(&header, rest.data(), sizeof header);
  if (header.magic != path_archive::kChunkMagic)
    return fail("T005", "no chunk begins at offset {:#x} of the archive of paths", at_);
  uint64_t size = 0;
  for (const uint32_t coded : header.coded_bytes) size += coded;
  if (rest.size() - sizeof header < size) {
    is_cut_ = true;
    return std::nullopt;
  }
  const ByteSpan body = rest.subspan(sizeof header, size);
  const uint64_t checksum = XXH3_64bits_withSeed(
      body.data(), body.size(), XXH3_64bits(&header, offsetof(ChunkHeader, checksum)));
  if (checksum != header.checksum)
    return fail("T005", "the chunk at offset {:#x} of the archive of paths is damaged", at_);
  std::array<Bytes, kSections> raw;
  size_t begin = 0;
  for (size_t s = 0; s < kSections; ++s) {
    if (header.raw_bytes[s] == 0 && header.coded_bytes[s] == 0) continue;
    TRY(raw[s], zstd_[s].add(body.subspan(begin, header.coded_bytes[s]), header.raw_bytes[s]));
    begin += header.coded_bytes[s];
  }
  const size_t pieces_before = pieces_.size();
  TRY_VOID(read_segments(raw[path_archive::kSegments], header.segments));
  TRY_VOID(read_pieces(raw[path_archive::kPieces], raw[path_archive::kWords], header.pieces));
  TRY_VOID(read_sites(raw[path_archive::kSiteCounts], raw[path_archive::kCodes],
                      raw[path_archive::kNewPieces], header.sites, pieces_before));
  at_ += sizeof header + size;
  return header.events;
}

Result<void> PathArchiveReader::read_segments(ByteSpan raw, uint32_t count) {
  ByteReader in(raw);
  uint64_t function = 0;
  for (uint64_t read = 0; read < count;) {
    const uint64_t distance = in.varint();
    const uint64_t own = in.varint();
    function += distance;
    if (in.failed() || distance >= PathEvent::kMostFunctions ||
        function >= PathEvent::kMostFunctions || own == 0 || own > count - read)
      return fail("T006", "function {} has {} segments in a chunk", function, own);
    read += own;
    for (uint64_t i = 0; i < own; ++i) {
      TRY_VOID(read_segment(in, static_cast<uint32_t>(function)));
    }
  }
  if (!in.at_end()) return fail("T006", "the segments of a chunk do not fit");
  return {};
}

Result<void> PathArchiveReader::read_segment(ByteReader& in, uint32_t function) {
  Segment segment{static_cast<uint32_t>(stretches_.size()), 0};
  Stretch stretch{static_cast<uint32_t>(blocks_.size()), 0, kNone};
  uint32_t block = SiteKey::kNoBlock;
  uint32_t calls = 0;
  uint64_t next_block = 0;
  for (;;) {
    const uint64_t item = in.varint();
    if (in.failed()) return fail("T006", "a segment of function {} does not end", function);
    if (item == 0) break;
    if (item == 1) {
      stretch.site_key = site_key({function, block, ++calls});
      stretches_.push_back(stretch);
      stretch = {static_cast<uint32_t>(blocks_.size()), 0, kNone};
      continue;
    }
    if (item - 2 >= PathEvent::kMostBlocks || next_block + item - 2 >= PathEvent::kMostBlocks)
      return fail("T006", "a segment of function {} has a block that does not exist", function);
    block = static_cast<uint32_t>(next_block + item - 2);
    next_block = uint64_t{block} + 1;
    calls = 0;
    blocks_.push_back(PathEvent::block(block));
    ++stretch.blocks;
  }
  if (stretch.blocks > 0) stretches_.push_back(stretch);
  segment.stretches = static_cast<uint32_t>(stretches_.size()) - segment.first;
  // One that has nothing in it could be repeated for ever.
  if (segment.stretches == 0) return fail("T006", "a segment of function {} is empty", function);
  segments_of_[function].push_back(static_cast<uint32_t>(segments_.size()));
  segments_.push_back(segment);
  return {};
}

Result<void> PathArchiveReader::read_pieces(ByteSpan heads, ByteSpan words, uint32_t count) {
  ByteReader in(heads);
  ByteReader in_words(words);
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t kind = in.varint();
    if (in.failed() || kind >> 1 >= PathEvent::kMostFunctions)
      return fail("T006", "a piece is of function {}", kind >> 1);
    Piece piece{runs_.size(), 0, static_cast<uint32_t>(kind)};
    const auto own = segments_of_.find(piece.kind >> 1);
    for (;;) {
      const uint64_t coded = in_words.varint();
      if (in_words.failed()) return fail("T006", "a piece of function {} does not end", kind >> 1);
      if (coded == 0) break;
      const uint64_t word = coded - 1;
      if ((word & 1) != 0) {
        if (runs_.size() == piece.runs_at || word >> 1 > ~0u)
          return fail("T006", "a piece of function {} has a run of nothing", kind >> 1);
        runs_.back().turns = static_cast<uint32_t>(word >> 1);
        continue;
      }
      if (own == segments_of_.end() || word >> 1 >= own->second.size())
        return fail("T006", "function {} has no segment {}", kind >> 1, word >> 1);
      runs_.push_back({own->second[word >> 1], 1});
    }
    piece.runs = static_cast<uint32_t>(runs_.size() - piece.runs_at);
    pieces_.push_back(piece);
  }
  if (!in.at_end() || !in_words.at_end()) return fail("T006", "the pieces of a chunk do not fit");
  return {};
}

Result<void> PathArchiveReader::read_sites(ByteSpan counts, ByteSpan codes, ByteSpan fresh,
                                           uint32_t sites, size_t pieces_before) {
  ByteReader in_counts(counts);
  ByteReader in_codes(codes);
  ByteReader in_fresh(fresh);
  if (sites < sites_.size() || sites > counts.size())
    return fail("T006", "a chunk has {} call sites, those before it have {}", sites, sites_.size());
  sites_.resize(sites);
  taken_.clear();
  size_t next_new = pieces_before;
  for (Site& site : sites_) {
    const uint64_t count = in_counts.varint();
    if (count > in_codes.left()) return fail("T006", "a call site has {} calls", count);
    site.next = taken_.size();
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t code = in_codes.varint();
      if (code > site.pieces.size())
        return fail("T006", "a call site has {} pieces, not {}", site.pieces.size(), code);
      if (code == 0) {
        const uint64_t back = in_fresh.varint();
        if (back > next_new || (back == 0 && next_new >= pieces_.size()))
          return fail("T006", "a call site takes a piece that does not exist");
        site.pieces.push_back(static_cast<uint32_t>(back == 0 ? next_new++ : next_new - back));
      }
      taken_.push_back(code == 0 ? site.pieces.back() : site.pieces[code - 1]);
    }
    site.end = taken_.size();
  }
  if (in_counts.failed() || !in_counts.at_end() || in_codes.failed() || !in_codes.at_end() ||
      in_fresh.failed() || !in_fresh.at_end())
    return fail("T006", "the call sites of a chunk do not fit");
  return {};
}

Result<const PathArchiveReader::Piece*> PathArchiveReader::next_piece(uint32_t key) {
  uint32_t& number = site_of_key_[key];
  if (number == kNone) number = sites_met_++;
  if (number >= sites_.size() || sites_[number].next == sites_[number].end)
    return fail("T006", "a call site is used more often than a chunk says");
  return &pieces_[taken_[sites_[number].next++]];
}

void PathArchiveReader::begin(Frame& frame, const Piece& piece) {
  frame = {.function = piece.kind >> 1,
           .exits = (piece.kind & 1) != 0,
           .run = piece.runs_at,
           .run_end = piece.runs_at + piece.runs};
}

Result<void> PathArchiveReader::enter(uint32_t key) {
  TRY(const Piece* piece, next_piece(key));
  begin(frames_.emplace_back(), *piece);
  return {};
}

Result<void> PathArchiveReader::go_on(Frame& frame) {
  TRY(const Piece* piece, next_piece(site_key({frame.function, SiteKey::kContinues, 0})));
  if (piece->kind >> 1 != frame.function)
    return fail("T006", "an invocation of function {} goes on in function {}", frame.function,
                piece->kind >> 1);
  begin(frame, *piece);
  return {};
}

/// Tells all events, some at a time.
class PathArchiveReader::EventSink {
 public:
  explicit EventSink(const Tell& tell) : tell_(tell) { out_.reserve(kTellEvents); }
  void entry(uint32_t function) { put(PathEvent::entry(function)); }
  void exit() { put(PathEvent::exit()); }
  void blocks(std::span<const PathEvent> blocks) {
    need(blocks.size());
    out_.insert(out_.end(), blocks.begin(), blocks.end());
  }
  [[nodiscard]] static bool skips() { return false; }
  void skip(uint64_t) {}
  void finish() {
    if (!out_.empty()) tell_(out_);
    out_.clear();
  }

 private:
  void put(PathEvent event) {
    need(1);
    out_.push_back(event);
  }
  void need(size_t room) {
    if (out_.size() + room > kTellEvents) finish();
  }
  const Tell& tell_;
  PathTrace out_;
};

/// Looks for a path, and passes by what is not of its function.
class PathArchiveReader::ScanSink {
 public:
  ScanSink(const PathAutomaton& automaton, PathStates& states, PathPosition position,
           PathAnswer& answer)
      : automaton_(automaton), states_(states), position_(position), answer_(answer) {}
  void entry(uint32_t function) {
    states_.push_back(function == automaton_.function() ? 0 : PathAutomaton::kNotInterested);
    ++position_;
  }
  void exit() {
    states_.pop_back();
    ++position_;
  }
  void blocks(std::span<const PathEvent> blocks) {
    int32_t state = states_.back();
    if (state >= 0) {
      for (size_t i = 0; i < blocks.size(); ++i) {
        state = automaton_.next(state, blocks[i].block());
        if (automaton_.accepts(state)) answer_.take(PathWanted::kAll, position_ + i);
      }
      states_.back() = state;
    }
    position_ += blocks.size();
  }
  [[nodiscard]] bool skips() const { return states_.back() < 0; }
  void skip(uint64_t events) { position_ += events; }
  void finish() {}

 private:
  const PathAutomaton& automaton_;
  PathStates& states_;
  PathPosition position_;
  PathAnswer& answer_;
};

Result<bool> PathArchiveReader::next_chunk(const Tell& tell) {
  TRY(const std::optional<uint64_t> events, load_chunk());
  if (!events) return false;
  EventSink sink(tell);
  TRY_VOID(run(*events, sink));
  events_ += *events;
  return true;
}

Result<bool> PathArchiveReader::scan_chunk(const PathAutomaton& automaton, PathStates& states,
                                           PathAnswer& answer) {
  TRY(const std::optional<uint64_t> events, load_chunk());
  if (!events) return false;
  ScanSink sink(automaton, states, events_, answer);
  TRY_VOID(run(*events, sink));
  events_ += *events;
  return true;
}

template <typename Sink>
Result<void> PathArchiveReader::run(uint64_t events, Sink& sink) {
  const auto too_many = [&] {
    return fail("T006", "a chunk has more events than it says: {}", events);
  };
  uint64_t left = events;
  while (left > 0) {
    if (frames_.empty()) {
      TRY_VOID(enter(0));
      sink.entry(frames_.back().function);
      --left;
      continue;
    }
    Frame& frame = frames_.back();
    if (frame.stretch < frame.stretch_end) {
      const Stretch& stretch = stretches_[frame.stretch++];
      const bool calls = stretch.site_key != kNone;
      if (stretch.blocks + uint64_t{calls} > left) return too_many();
      left -= stretch.blocks + uint64_t{calls};
      sink.blocks(std::span(blocks_).subspan(stretch.blocks_at, stretch.blocks));
      if (!calls) continue;
      TRY_VOID(enter(stretch.site_key));
      sink.entry(frames_.back().function);
    } else if (frame.turns > 0) {
      const Segment& segment = segments_[frame.segment];
      const Stretch& first = stretches_[segment.first];
      if (sink.skips() && segment.stretches == 1 && first.site_key == kNone) {
        const uint64_t skipped = uint64_t{frame.turns} * first.blocks;
        if (skipped > left) return too_many();
        left -= skipped;
        sink.skip(skipped);
        frame.turns = 0;
        continue;
      }
      --frame.turns;
      frame.stretch = segment.first;
      frame.stretch_end = segment.first + segment.stretches;
    } else if (frame.run < frame.run_end) {
      frame.segment = runs_[frame.run].segment;
      frame.turns = runs_[frame.run++].turns;
    } else if (!frame.exits) {
      TRY_VOID(go_on(frame));
    } else {
      sink.exit();
      --left;
      frames_.pop_back();
    }
  }
  sink.finish();
  for (const Frame& frame : frames_)
    if (!frame.is_done() || frame.exits)
      return fail("T006", "a chunk ends inside of a piece of function {}", frame.function);
  for (const Site& site : sites_)
    if (site.next != site.end) return fail("T006", "a call site is used less than a chunk says");
  return {};
}

Result<PathTrace> expand_archive(ByteSpan archive) {
  TRY(PathArchiveReader reader, PathArchiveReader::open(archive));
  PathTrace trace;
  for (;;) {
    TRY(const bool more, reader.next_chunk([&](PathTraceView events) {
      trace.insert(trace.end(), events.begin(), events.end());
    }));
    if (!more) return trace;
  }
}

}  // namespace twinrun
