// SPDX-License-Identifier: MIT
// The call stack has a frame for each active invocation, with the segment under way as a node of a
// trie and the runs of its piece so far. A piece gets its place in the order of pieces when it
// begins, because the decoder needs it then, and its number when it ends. When a chunk ends, the
// pieces of frames that did something in it are cut; all others have nothing pending, so a frame
// that waits costs nothing.
//
// Most invocations are one segment: that segment knows its piece.
#include "paths/path_archive_builder.h"

#include <xxhash.h>
#include "base/check.h"

#include <algorithm>
#include <numeric>

namespace twinrun {

using path_archive::ChunkHeader;
using path_archive::FileHeader;
using path_archive::kCallItem;
using path_archive::kSections;
using path_archive::SiteKey;

PathArchiveBuilder::PathArchiveBuilder(Options options, Write write)
    : options_(options), write_(std::move(write)), nodes_(1) {
  CHECK(options.pending_bytes <= path_archive::kMostPending) << options.pending_bytes;
  for (size_t s = 0; s < kSections; ++s) {
    // Of words, higher levels take longer than they are worth (gzip, bzip2).
    const bool is_in_vain = s == path_archive::kWords && options.level > 7 && options.level < 13;
    zstd_.emplace_back(is_in_vain ? 7 : options.level);
  }
  outermost_ = site({});
  const FileHeader header;
  write_({reinterpret_cast<const uint8_t*>(&header), sizeof header});
}

void PathArchiveBuilder::take(PathTraceView events) {
  for (auto at = events.begin(); at != events.end();) {
    if (at->is_block()) {
      at = take_blocks(at, events.end());
    } else {
      ++chunk_events_;
      if (at->is_exit()) {
        exit();
      } else {
        enter(at->function());
      }
      ++at;
    }
    // One event adds a segment and a piece at most, and those of a waiting caller.
    if (pending() + kMostOfAnEvent > options_.pending_bytes) [[unlikely]]
      flush();
  }
}

/// Those that go on with the segment under way, or begin another one.
PathTraceView::iterator PathArchiveBuilder::take_blocks(PathTraceView::iterator at,
                                                        PathTraceView::iterator end) {
  CHECK(depth_ > 0) << "a block outside of any function";
  Frame& frame = frames_[depth_ - 1];
  if (frame.slot == kNone || at->block() < frame.floor) begin_segment(frame);
  const auto begin = at;
  uint32_t node = frame.node;
  uint32_t floor = 0;
  do {
    const uint32_t block = at->block();
    const uint32_t known = trie_.known_child(node, block);
    node = known != 0 ? known : child(node, block);
    floor = block + 1;
    ++at;
  } while (at != end && at->is_block() && at->block() >= floor);
  frame.node = node;
  frame.floor = floor;
  chunk_events_ += static_cast<uint64_t>(at - begin);
  return at;
}

void PathArchiveBuilder::begin_segment(Frame& frame) {
  if (frame.slot != kNone) {
    end_segment(frame);
    if (frame.words.size() < options_.piece_words) return;
    end_piece(frame, false);
  }
  begin_piece(frame, site({frame.function, SiteKey::kContinues, 0}));
}

uint32_t PathArchiveBuilder::child(uint32_t node, uint32_t item) {
  const uint32_t next = trie_.child(node, item);
  if (next >= nodes_.size()) {
    const NodeInfo& before = nodes_[node];
    const bool is_call = item == kCallItem;
    nodes_.push_back({.parent = node,
                      .item = item,
                      .block = is_call ? before.block : item,
                      .calls = is_call ? before.calls + 1 : 0});
  }
  return next;
}

uint32_t PathArchiveBuilder::site(const SiteKey& key) {
  const auto [it, is_new] =
      site_numbers_.try_emplace(key, static_cast<uint32_t>(site_numbers_.size()));
  if (is_new) sites_.emplace_back();
  return it->second;
}

void PathArchiveBuilder::enter(uint32_t function) {
  uint32_t from = outermost_;
  if (depth_ > 0) {
    Frame& caller = frames_[depth_ - 1];
    if (caller.slot == kNone) begin_piece(caller, site({caller.function, SiteKey::kContinues, 0}));
    // So that a block that calls for ever does not make a segment for ever.
    if (nodes_[caller.node].calls == kMostCalls) end_segment(caller);
    caller.node = child(caller.node, kCallItem);
    NodeInfo& info = nodes_[caller.node];
    if (info.site == kNone) info.site = site({caller.function, info.block, info.calls});
    from = info.site;
  }
  if (frames_.size() == depth_) frames_.emplace_back();
  Frame& frame = frames_[depth_++];
  frame.function = function;
  frame.root = root(function);
  begin_piece(frame, from);
}

uint32_t PathArchiveBuilder::root(uint32_t function) {
  // Most programs have few functions; numbers from there on are looked up.
  constexpr uint32_t kTable = 1u << 16;
  if (function < roots_.size() && roots_[function] != 0) return roots_[function];
  const uint32_t found = trie_.child(0, function);
  if (found >= nodes_.size()) nodes_.push_back({.item = function});
  if (function < kTable) {
    if (roots_.size() <= function) roots_.resize(function + 1);
    roots_[function] = found;
  }
  return found;
}

void PathArchiveBuilder::exit() {
  CHECK(depth_ > 0) << "an exit outside of any function";
  Frame& frame = frames_[depth_ - 1];
  if (frame.slot == kNone) begin_piece(frame, site({frame.function, SiteKey::kContinues, 0}));
  if (frame.words.empty() && frame.run_segment == kNone && frame.node != frame.root) {
    // One segment, and that is all.
    uint32_t segment = nodes_[frame.node].segment;
    if (segment == kNone) segment = new_segment(frame);
    if (segments_[segment].lone_piece == kNone) {
      const uint32_t word = segments_[segment].number << 1;
      const uint32_t piece = intern_piece({&word, 1}, frame.function << 1 | 1);
      segments_[segment].lone_piece = piece;
    }
    slots_[frame.slot] = pair(frame.site, segments_[segment].lone_piece);
    frame.slot = kNone;
  } else {
    end_segment(frame);
    end_piece(frame, true);
  }
  --depth_;
  low_ = std::min(low_, depth_);
}

void PathArchiveBuilder::begin_piece(Frame& frame, uint32_t site_number) {
  frame.slot = static_cast<uint32_t>(slots_.size());
  frame.node = frame.root;
  frame.floor = 0;
  frame.run_segment = kNone;
  frame.site = site_number;
  slots_.push_back(kNone);
}

uint32_t PathArchiveBuilder::new_segment(const Frame& frame) {
  const auto segment = static_cast<uint32_t>(segments_.size());
  segments_.push_back({frame.function, segments_of_[frame.function]++});
  segment_nodes_.push_back(frame.node);
  for (uint32_t node = frame.node; node != frame.root; node = nodes_[node].parent) ++pending_words_;
  return nodes_[frame.node].segment = segment;
}

void PathArchiveBuilder::end_segment(Frame& frame) {
  if (frame.node == frame.root) return;
  uint32_t segment = nodes_[frame.node].segment;
  if (segment == kNone) segment = new_segment(frame);
  frame.node = frame.root;
  frame.floor = 0;
  if (segment == frame.run_segment && frame.turns < (1u << 30)) {
    ++frame.turns;
    return;
  }
  end_run(frame);
  frame.run_segment = segment;
  frame.turns = 1;
}

void PathArchiveBuilder::end_run(Frame& frame) {
  if (frame.run_segment == kNone) return;
  const size_t before = frame.words.size();
  frame.words.push_back(segments_[frame.run_segment].number << 1);
  if (frame.turns > 1) frame.words.push_back(frame.turns << 1 | 1);
  pending_frames_ += (frame.words.size() - before) * sizeof(uint32_t);
  frame.run_segment = kNone;
}

void PathArchiveBuilder::end_piece(Frame& frame, bool exits) {
  end_run(frame);
  const uint32_t piece = intern_piece(frame.words, frame.function << 1 | (exits ? 1 : 0));
  slots_[frame.slot] = pair(frame.site, piece);
  frame.slot = kNone;
  pending_frames_ -= frame.words.size() * sizeof(uint32_t);
  frame.words.clear();
}

uint64_t PathArchiveBuilder::hash_of_piece(uint32_t piece) const {
  const Piece& p = pieces_[piece];
  return XXH3_64bits_withSeed(words_.data() + p.words_at, p.bytes, p.kind);
}

uint32_t PathArchiveBuilder::intern_piece(std::span<const uint32_t> words, uint32_t kind) {
  coded_.clear();
  for (const uint32_t word : words) {
    uint64_t rest = uint64_t{word} + 1;
    for (; rest >= 0x80; rest >>= 7) coded_.push_back(static_cast<uint8_t>(rest | 0x80));
    coded_.push_back(static_cast<uint8_t>(rest));
  }
  const ByteSpan coded = coded_;
  const uint32_t known = piece_numbers_.find(
      XXH3_64bits_withSeed(coded.data(), coded.size(), kind), [&](uint32_t number) {
        const Piece& piece = pieces_[number];
        return piece.kind == kind && piece.bytes == coded.size() &&
               std::equal(coded.begin(), coded.end(), words_.data() + piece.words_at);
      });
  if (known != NumberTable::kNone) return known;
  const auto number = static_cast<uint32_t>(pieces_.size());
  CHECK(number < kNone - 1);
  pieces_.push_back({words_.size(), static_cast<uint32_t>(coded.size()), kind});
  for (const uint8_t byte : coded) words_.push_back(byte);
  pending_words_ += words.size() + 2;
  piece_numbers_.add(number, [&](uint32_t piece) { return hash_of_piece(piece); });
  return number;
}

uint32_t PathArchiveBuilder::pair(uint32_t site_number, uint32_t piece) {
  SiteState& state = sites_[site_number];
  if (state.recent_piece == piece) return state.recent_pair;
  const auto hash = [](uint32_t site, uint32_t its_piece) {
    const uint64_t h = (uint64_t{site} << 32 | its_piece) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
  };
  uint32_t number = pair_numbers_.find(hash(site_number, piece), [&](uint32_t other) {
    return pairs_[other].site == site_number && pairs_[other].piece == piece;
  });
  if (number == NumberTable::kNone) {
    number = static_cast<uint32_t>(pairs_.size());
    pairs_.push_back({site_number, piece});
    pair_numbers_.add(
        number, [&](uint32_t other) { return hash(pairs_[other].site, pairs_[other].piece); });
  }
  state.recent_piece = piece;
  return state.recent_pair = number;
}

std::vector<uint32_t> PathArchiveBuilder::order_slots(ByteWriter& streams) const {
  struct Use {
    uint32_t count = 0;
    uint32_t pair = 0;  // the first
    bool is_same = true;
    bool has_stream = false;
    uint32_t next = 0;
  };
  std::vector<Use> uses(sites_.size());
  size_t used_sites = 0;
  for (const uint32_t slot : slots_) {
    Use& use = uses[pairs_[slot].site];
    if (use.count++ == 0) {
      ++used_sites;
      use.pair = slot;
    }
    use.is_same = use.is_same && use.pair == slot;
  }
  const bool has_streams = slots_.size() >= used_sites * options_.site_uses;
  std::vector<uint32_t> ordered;
  uint32_t distance = 0;
  for (Use& use : uses) {
    use.has_stream = has_streams && use.count >= options_.stream_uses;
    if (!use.has_stream) {
      ++distance;
      continue;
    }
    streams.varint(distance);
    streams.varint(uint64_t{use.count} << 1 | (use.is_same ? 1 : 0));
    distance = 0;
    use.next = static_cast<uint32_t>(ordered.size());
    ordered.resize(ordered.size() + (use.is_same ? 1 : use.count), use.pair);
  }
  for (const uint32_t slot : slots_) {
    Use& use = uses[pairs_[slot].site];
    if (!use.has_stream) {
      ordered.push_back(slot);
    } else if (!use.is_same) {
      ordered[use.next++] = slot;
    }
  }
  return ordered;
}

void PathArchiveBuilder::write_codes(ByteWriter& streams, ByteWriter& codes, ByteWriter& fresh) {
  // Pieces of this chunk get their numbers in this order, so that a new one needs none.
  auto next_new = static_cast<uint32_t>(written_pieces_);
  file_numbers_.resize(pieces_.size(), kNone);
  new_order_.clear();
  for (const uint32_t slot : order_slots(streams)) {
    Pair& pair = pairs_[slot];
    codes.varint(pair.code);
    if (pair.code != 0) continue;
    pair.code = ++sites_[pair.site].known;
    if (file_numbers_[pair.piece] == kNone) {
      file_numbers_[pair.piece] = next_new++;
      new_order_.push_back(pair.piece);
      fresh.varint(0);
    } else {
      fresh.varint(next_new - file_numbers_[pair.piece]);
    }
  }
}

void PathArchiveBuilder::write_segments(ByteWriter& out) {
  // By function, and the segments of each in the order of their numbers.
  std::vector<uint32_t> fresh(segments_.size() - written_segments_);
  std::iota(fresh.begin(), fresh.end(), static_cast<uint32_t>(written_segments_));
  std::ranges::stable_sort(fresh, {}, [&](uint32_t i) { return segments_[i].function; });
  std::vector<uint32_t> items;
  uint32_t before = 0;
  for (size_t begin = 0; begin < fresh.size();) {
    const uint32_t function = segments_[fresh[begin]].function;
    size_t end = begin;
    while (end < fresh.size() && segments_[fresh[end]].function == function) ++end;
    out.varint(function - before);
    out.varint(end - begin);
    before = function;
    for (; begin < end; ++begin) {
      items.clear();
      for (uint32_t node = segment_nodes_[fresh[begin]]; nodes_[node].parent != 0;
           node = nodes_[node].parent)
        items.push_back(nodes_[node].item);
      uint32_t next_block = 0;
      for (size_t k = items.size(); k-- > 0;) {
        if (items[k] == kCallItem) {
          out.varint(1);
        } else {
          out.varint(uint64_t{items[k] - next_block} + 2);
          next_block = items[k] + 1;
        }
      }
      out.varint(0);
    }
  }
}

void PathArchiveBuilder::flush() {
  pending_peak_ = std::max(pending_peak_, pending());
  // Only the innermost frame acts, so it is the frames from the lowest innermost one on.
  for (size_t i = low_ == 0 ? 0 : low_ - 1; i < depth_; ++i) {
    Frame& frame = frames_[i];
    if (frame.slot == kNone) continue;
    end_segment(frame);
    end_piece(frame, false);
  }
  low_ = depth_;
  if (chunk_events_ == 0) return;

  std::array<ByteWriter, kSections> raw;
  write_segments(raw[path_archive::kSegments]);
  write_codes(raw[path_archive::kStreams], raw[path_archive::kCodes],
              raw[path_archive::kNewPieces]);
  CHECK(new_order_.size() == pieces_.size() - written_pieces_);
  for (const uint32_t number : new_order_) {
    const Piece& piece = pieces_[number];
    raw[path_archive::kPieces].varint(piece.kind);
    raw[path_archive::kWords].raw({words_.data() + piece.words_at, piece.bytes});
    raw[path_archive::kWords].varint(0);
  }

  ChunkHeader header;
  header.segments = static_cast<uint32_t>(segments_.size() - written_segments_);
  header.pieces = static_cast<uint32_t>(pieces_.size() - written_pieces_);
  header.sites = static_cast<uint32_t>(sites_.size());
  header.events = chunk_events_;
  Bytes body;
  for (size_t s = 0; s < kSections; ++s) {
    if (raw[s].bytes().empty()) continue;
    CHECK(raw[s].bytes().size() <= path_archive::kMostSectionBytes) << s;
    const Bytes coded = zstd_[s].add(raw[s].bytes());
    header.raw_bytes[s] = static_cast<uint32_t>(raw[s].bytes().size());
    header.coded_bytes[s] = static_cast<uint32_t>(coded.size());
    body.insert(body.end(), coded.begin(), coded.end());
  }
  header.checksum = XXH3_64bits_withSeed(body.data(), body.size(),
                                         XXH3_64bits(&header, offsetof(ChunkHeader, checksum)));
  write_({reinterpret_cast<const uint8_t*>(&header), sizeof header});
  write_(body);

  events_ += chunk_events_;
  chunk_events_ = 0;
  ++chunks_;
  written_segments_ = segments_.size();
  written_pieces_ = pieces_.size();
  slots_.clear();
  pending_words_ = 0;
}

}  // namespace twinrun
