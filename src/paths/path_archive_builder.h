// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "paths/growing_array.h"
#include "paths/number_table.h"
#include "paths/path_archive.h"
#include "paths/path_event.h"
#include "paths/schemes/item_trie.h"
#include "trace/zstd_stream.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace twinrun {

/// Writes the archive of a trace while its events come in. What is not yet written stays below the
/// limit, however long functions are active; the tables by which segments and pieces are known
/// again follow what is different in the trace.
class PathArchiveBuilder {
 public:
  struct Options {
    int level = 11;                  // of zstd; 19 for small archives
    size_t pending_bytes = 1 << 20;  // at most
    uint32_t piece_words = 48;       // at most
    // Sites have streams in chunks that use each so often on average, if they are used so often
    // there. An interpreter uses its sites 700 times or more in a chunk, a compiler 15 to 30 times:
    // then what follows what in time says more than a site does. Archives of cc1 are a third
    // smaller without streams, those of lua and gawk 40 and 25 % smaller with them.
    uint32_t site_uses = 64;
    uint32_t stream_uses = 16;  // at least 1
  };
  using Write = std::function<void(ByteSpan)>;

  PathArchiveBuilder(Options options, Write write);

  /// The next events of a well-formed trace.
  void take(PathTraceView events);
  /// Writes what is pending: a chunk ends here. Also behind the last event.
  void flush();

  [[nodiscard]] uint64_t events() const { return events_; }
  [[nodiscard]] uint64_t chunks() const { return chunks_; }
  [[nodiscard]] size_t segments() const { return segments_.size(); }
  [[nodiscard]] size_t pieces() const { return pieces_.size(); }
  /// The most that was pending.
  [[nodiscard]] size_t pending_peak() const { return pending_peak_; }

 private:
  static constexpr uint32_t kNone = ~0u;
  static constexpr uint32_t kMostCalls = 64;         // behind one block of a segment
  static constexpr size_t kMostOfAnEvent = 1 << 16;  // bytes that it makes pending

  struct Frame {
    uint32_t function = 0;
    uint32_t root = 0;      // of the function's segments in the trie
    uint32_t node = 0;      // where the segment under way is there
    uint32_t floor = 0;     // a block below it begins a segment
    uint32_t slot = kNone;  // of the piece under way; kNone: there is none
    uint32_t site = 0;      // that took it
    uint32_t run_segment = kNone;
    uint32_t turns = 0;
    std::vector<uint32_t> words;  // of the piece under way, but for the last run
  };
  struct Segment {
    uint32_t function = 0;
    uint32_t number = 0;          // in its function
    uint32_t lone_piece = kNone;  // the piece of an invocation that is this segment
  };
  struct Piece {
    uint64_t words_at = 0;  // in words_
    uint32_t bytes = 0;
    uint32_t kind = 0;  // function * 2 + (1: the invocation ends)
  };
  /// Of a node of the trie.
  struct NodeInfo {
    uint32_t parent = 0;
    uint32_t item = 0;
    uint32_t block = path_archive::SiteKey::kNoBlock;  // the last one
    uint32_t calls = 0;                                // behind it
    uint32_t segment = kNone;                          // that ends here
    uint32_t site = kNone;                             // of the call that the node ends with
  };
  /// A piece that a site has taken.
  struct Pair {
    uint32_t site = 0;
    uint32_t piece = 0;
    uint32_t code = 0;  // 0: has not been written
  };

  void enter(uint32_t function);
  void exit();
  PathTraceView::iterator take_blocks(PathTraceView::iterator at, PathTraceView::iterator end);
  uint32_t child(uint32_t node, uint32_t item);
  void begin_segment(Frame& frame);
  void begin_piece(Frame& frame, uint32_t site);
  void end_segment(Frame& frame);
  void end_run(Frame& frame);
  void end_piece(Frame& frame, bool exits);
  uint32_t new_segment(const Frame& frame);
  uint32_t pair(uint32_t site_number, uint32_t piece);
  [[nodiscard]] uint64_t hash_of_piece(uint32_t piece) const;
  uint32_t intern_piece(std::span<const uint32_t> words, uint32_t kind);
  uint32_t site(const path_archive::SiteKey& key);
  uint32_t root(uint32_t function);
  [[nodiscard]] size_t pending() const {
    return slots_.size() * sizeof(uint32_t) + pending_words_ * sizeof(uint32_t) + pending_frames_;
  }
  void write_segments(ByteWriter& out);
  /// As their codes are written: by site, those of sites that have streams, then the others. Of a
  /// stream that is always the same piece there is one.
  [[nodiscard]] std::vector<uint32_t> order_slots(ByteWriter& streams) const;
  void write_codes(ByteWriter& streams, ByteWriter& codes, ByteWriter& fresh);

  Options options_;
  Write write_;
  std::vector<ZstdWriter> zstd_;  // by section
  uint64_t events_ = 0;
  uint64_t chunk_events_ = 0;
  uint64_t chunks_ = 0;
  size_t pending_peak_ = 0;

  std::vector<Frame> frames_;  // those from depth_ on are kept for their memory
  size_t depth_ = 0;
  size_t low_ = 0;  // frames below have done nothing in this chunk
  size_t pending_frames_ = 0;
  size_t pending_words_ = 0;
  std::vector<uint32_t> slots_;  // pairs, in the order in which pieces began

  ItemTrie trie_;
  std::vector<NodeInfo> nodes_;
  std::vector<uint32_t> roots_;  // nodes, by function
  std::vector<Segment> segments_;
  std::vector<uint32_t> segment_nodes_;
  boost::unordered_flat_map<uint32_t, uint32_t> segments_of_;  // how many, by function
  GrowingArray<uint8_t> words_;                                // of all pieces, as they are written
  Bytes coded_;                                                // those of the one that is looked up
  std::vector<Piece> pieces_;
  NumberTable piece_numbers_;
  size_t written_segments_ = 0;
  size_t written_pieces_ = 0;
  boost::unordered_flat_map<path_archive::SiteKey, uint32_t> site_numbers_;
  struct SiteState {
    uint32_t known = 0;  // pieces
    uint32_t recent_piece = kNone;
    uint32_t recent_pair = 0;
  };
  std::vector<SiteState> sites_;
  std::vector<Pair> pairs_;
  NumberTable pair_numbers_;
  std::vector<uint32_t> file_numbers_;  // of pieces
  std::vector<uint32_t> new_order_;     // pieces of this chunk by that
  uint32_t outermost_ = 0;
};

}  // namespace twinrun
