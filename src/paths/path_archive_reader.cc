// SPDX-License-Identifier: MIT
#include "paths/path_archive_reader.h"

#include <xxhash.h>

#include <algorithm>
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
  reader.words_.assign(path_archive::kCopyWords, PathEvent::exit());
  reader.site_of_key_[reader.site_key({})] = 0;
  reader.keys_met_.push_back(0);
  return reader;
}

uint32_t PathArchiveReader::site_key(const SiteKey& key) {
  const auto [it, is_new] =
      key_numbers_.try_emplace(key, static_cast<uint32_t>(key_numbers_.size()));
  if (is_new) {
    site_of_key_.push_back(kNone);
    key_ranges_.emplace_back();
  }
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
    if (header.raw_bytes[s] > path_archive::kMostSectionBytes)
      return fail("T006", "section {} of a chunk has {} bytes, the most is {}", s,
                  header.raw_bytes[s], path_archive::kMostSectionBytes);
    TRY(raw[s], zstd_[s].add(body.subspan(begin, header.coded_bytes[s]), header.raw_bytes[s]));
    begin += header.coded_bytes[s];
  }
  const size_t pieces_before = pieces_.size();
  TRY_VOID(read_segments(raw[path_archive::kSegments], header.segments));
  TRY_VOID(read_pieces(raw[path_archive::kPieces], raw[path_archive::kWords], header.pieces));
  TRY_VOID(read_codes(raw[path_archive::kStreams], raw[path_archive::kCodes],
                      raw[path_archive::kNewPieces], header.sites, pieces_before));
  TRY_VOID(check_events(header.events));
  if (header.events > most_events_ - events_)
    return fail("T006", "the archive of paths has more than {} events", most_events_);
  at_ += sizeof header + size;
  return header.events;
}

Result<void> PathArchiveReader::read_segments(ByteSpan raw, uint32_t count) {
  ByteReader in(raw);
  words_.resize(words_.size() - path_archive::kCopyWords, PathEvent::exit());
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
  words_.resize(words_.size() + path_archive::kCopyWords, PathEvent::exit());
  return {};
}

Result<void> PathArchiveReader::read_segment(ByteReader& in, uint32_t function) {
  words_.push_back(PathEvent::entry(function));
  Segment segment{.at = static_cast<uint32_t>(words_.size()),
                  .first = static_cast<uint32_t>(stretches_.size())};
  Stretch stretch{.at = segment.at};
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
      stretch = {.at = static_cast<uint32_t>(words_.size())};
      continue;
    }
    if (item - 2 >= PathEvent::kMostBlocks || next_block + item - 2 >= PathEvent::kMostBlocks)
      return fail("T006", "a segment of function {} has a block that does not exist", function);
    block = static_cast<uint32_t>(next_block + item - 2);
    next_block = uint64_t{block} + 1;
    calls = 0;
    words_.push_back(PathEvent::block(block));
    ++stretch.blocks;
  }
  segment.blocks = static_cast<uint32_t>(words_.size()) - segment.at;
  words_.push_back(PathEvent::exit());
  const bool has_calls = stretches_.size() > segment.first;
  if (has_calls && stretch.blocks > 0) stretches_.push_back(stretch);
  segment.stretches = static_cast<uint32_t>(stretches_.size()) - segment.first;
  // One that has nothing in it could be repeated for ever.
  if (!has_calls && segment.blocks == 0)
    return fail("T006", "a segment of function {} is empty", function);
  if (words_.size() > kNone / 2) return fail("T006", "the archive has too many segments");
  segments_of_[function].push_back(static_cast<uint32_t>(segments_.size()));
  segments_.push_back(segment);
  return {};
}

Result<void> PathArchiveReader::measure(Piece& piece) const {
  piece.events = piece.kind & 1;
  piece.is_flat = (piece.kind & 1) != 0;
  for (const Run& run : std::span(runs_).subspan(piece.runs_at, piece.runs)) {
    const Segment& segment = segments_[run.segment];
    piece.events += uint64_t{segment.blocks} * run.turns;
    if (piece.events > kMostPieceEvents)
      return fail("T006", "a piece of function {} has {} events", piece.kind >> 1, piece.events);
    piece.is_flat = piece.is_flat && segment.stretches == 0;
  }
  if (!piece.is_flat || piece.runs != 1 || runs_[piece.runs_at].turns != 1) return {};
  piece.leaf_at = segments_[runs_[piece.runs_at].segment].at - 1;
  return {};
}

Result<void> PathArchiveReader::read_pieces(ByteSpan heads, ByteSpan words, uint32_t count) {
  ByteReader in(heads);
  ByteReader in_words(words);
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t kind = in.varint();
    if (in.failed() || kind >> 1 >= PathEvent::kMostFunctions)
      return fail("T006", "a piece is of function {}", kind >> 1);
    Piece piece{.runs_at = runs_.size(), .kind = static_cast<uint32_t>(kind)};
    const auto own = segments_of_.find(piece.kind >> 1);
    for (;;) {
      const uint64_t coded = in_words.varint();
      if (in_words.failed()) return fail("T006", "a piece of function {} does not end", kind >> 1);
      if (coded == 0) break;
      const uint64_t word = coded - 1;
      if ((word & 1) != 0) {
        if (runs_.size() == piece.runs_at || word >> 1 == 0 || word >> 1 > ~0u)
          return fail("T006", "a piece of function {} has a run of nothing", kind >> 1);
        runs_.back().turns = static_cast<uint32_t>(word >> 1);
        continue;
      }
      if (own == segments_of_.end() || word >> 1 >= own->second.size())
        return fail("T006", "function {} has no segment {}", kind >> 1, word >> 1);
      runs_.push_back({own->second[word >> 1], 1});
    }
    piece.runs = static_cast<uint32_t>(runs_.size() - piece.runs_at);
    TRY_VOID(measure(piece));
    most_piece_events_ = std::max(most_piece_events_, piece.events);
    pieces_.push_back(piece);
  }
  if (!in.at_end() || !in_words.at_end()) return fail("T006", "the pieces of a chunk do not fit");
  return {};
}

Result<void> PathArchiveReader::read_codes(ByteSpan streams, ByteSpan codes, ByteSpan fresh,
                                           uint32_t sites, size_t pieces_before) {
  // Each site that is new has a code.
  if (sites < std::max(site_pieces_.size(), keys_met_.size()) ||
      sites - site_pieces_.size() > codes.size())
    return fail("T006", "a chunk has {} call sites, those before it have {}", sites,
                site_pieces_.size());
  site_pieces_.resize(sites);
  site_ranges_.assign(sites, {});
  next_new_ = pieces_before;
  ByteReader in_fresh(fresh);
  fresh_.clear();
  while (!in_fresh.at_end() && !in_fresh.failed()) fresh_.push_back(in_fresh.varint());
  next_fresh_ = 0;
  taken_.clear();
  uint64_t site = 0;
  ByteReader in_streams(streams);
  ByteReader in_codes(codes);
  const auto no_piece = [] {
    return fail("T006", "a call site takes a piece that does not exist");
  };
  while (!in_streams.at_end() && !in_streams.failed()) {
    const uint64_t distance = in_streams.varint();
    const uint64_t head = in_streams.varint();
    const uint64_t count = head >> 1;
    if (site >= sites || distance >= sites - site || count == 0 ||
        count > path_archive::kMostTaken - taken_.size())
      return fail("T006", "a call site has {} calls", count);
    site += distance;
    const auto begin = static_cast<uint32_t>(taken_.size());
    site_ranges_[site] = {begin, begin + static_cast<uint32_t>(count)};
    for (uint64_t left = count; left > 0;) {
      const uint32_t piece = piece_of_code(static_cast<uint32_t>(site), in_codes.varint());
      if (piece == kNone) return no_piece();
      const uint64_t times = (head & 1) != 0 ? left : 1;
      taken_.insert(taken_.end(), times, piece);
      left -= times;
    }
    ++site;
  }
  common_.next = static_cast<uint32_t>(taken_.size());
  while (!in_codes.at_end() && !in_codes.failed()) {
    const uint64_t code = in_codes.varint();
    if (code >= kNone || taken_.size() >= path_archive::kMostTaken) return no_piece();
    taken_.push_back(static_cast<uint32_t>(code));
  }
  common_.end = static_cast<uint32_t>(taken_.size());
  if (in_streams.failed() || !in_streams.at_end() || in_codes.failed() || in_fresh.failed())
    return fail("T006", "the call sites of a chunk do not fit");
  for (size_t s = 0; s < keys_met_.size(); ++s) key_ranges_[keys_met_[s]] = site_ranges_[s];
  return {};
}

uint32_t PathArchiveReader::piece_of_code(uint32_t site, uint64_t code) {
  std::vector<uint32_t>& own = site_pieces_[site];
  if (code - 1 < own.size()) [[likely]]
    return own[code - 1];
  if (code != 0 || next_fresh_ == fresh_.size()) return kNone;
  const uint64_t back = fresh_[next_fresh_++];
  if (back > next_new_ || (back == 0 && next_new_ >= pieces_.size())) return kNone;
  own.push_back(static_cast<uint32_t>(back == 0 ? next_new_++ : next_new_ - back));
  return own.back();
}

Result<void> PathArchiveReader::check_events(uint64_t events) const {
  uint64_t least = 0;
  for (const uint32_t piece : std::span(taken_).first(common_.next)) {
    least += pieces_[piece].events;
    if (least > events) break;
  }
  // Pieces that begin an invocation have an entry as well. Which pieces are those that sites
  // without a stream take is not known yet.
  const uint64_t common = common_.end - common_.next;
  const uint64_t others = events - least - std::min<uint64_t>(events - least, common_.next);
  if (least > events || (others > 0 && (others - 1) / (most_piece_events_ + 1) >= common))
    return fail("T006", "a chunk has {} events, not those of its {} pieces", events, taken_.size());
  return {};
}

Result<PathTrace> expand_archive(ByteSpan archive, uint64_t most_events) {
  TRY(PathArchiveReader reader, PathArchiveReader::open(archive));
  reader.limit(most_events);
  PathTrace trace;
  for (;;) {
    TRY(const bool more, reader.next_chunk([&](PathTraceView events) {
      trace.insert(trace.end(), events.begin(), events.end());
    }));
    if (!more) return trace;
  }
}

}  // namespace twinrun
