// SPDX-License-Identifier: MIT
// What an archive of a control flow trace consists of.
//
// The blocks of one invocation are cut where they go backward or stay, so that a loop's turns are
// separate: a segment is a string of ascending blocks, with marks where calls were made. A segment
// that follows on itself is a run. An invocation's runs are its path; a path that gets long, or is
// under way when a chunk ends, is cut into pieces. Segments and pieces are stored once, in the
// chunk that first has them; which piece an invocation takes is told by a stream for each call
// site that is used often, and one for all others together. So neither nested calls nor contexts
// are part of what is compared, and the trace can be made again: a piece's function is what the
// site calls, and marks say when.
//
// File: header (magic, version), then chunks. A chunk begins with its sizes and a checksum; its
// sections are parts of zstd frames that go on from chunk to chunk. See
// docs/decisions/0038-paths-index.md for the fields.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace twinrun::path_archive {

inline constexpr uint32_t kMagic = 0x50575754;       // "TWWP"
inline constexpr uint32_t kVersion = 2;              // 1: every site had a stream
inline constexpr uint32_t kChunkMagic = 0x4b4e4843;  // "CHNK"

// What a section holds, in varints. Segments: by function, its distance from the one before and the
// number of its segments; their items are 1 for a call, 0 for the end, else the distance from the
// block behind the last one + 2. Pieces: function * 2 + (1: the invocation ends). Words of pieces:
// segment of the function * 2 + 1, or turns of the run before * 2 + 2, or 0 for the end. Streams:
// for each site that has one, sites in between and the number of its codes. Codes, stream by
// stream, then those of all other sites in the order of their use: which of the site's pieces, by
// the order in which it first had them, from 1; 0 is one that is new there. New pieces: for each
// such 0 how many pieces back; 0 is the chunk's next one.
enum Section : uint8_t {
  kSegments,
  kPieces,
  kWords,
  kStreams,  // sites are numbered by their first use
  kCodes,
  kNewPieces,
  kSections,
};

struct FileHeader {
  uint32_t magic = kMagic;
  uint32_t version = kVersion;
};

struct ChunkHeader {
  uint32_t magic = kChunkMagic;
  uint32_t segments = 0;
  uint32_t pieces = 0;
  uint32_t sites = 0;  // that have been used, up to the chunk's end
  uint64_t events = 0;
  std::array<uint32_t, kSections> raw_bytes{};
  std::array<uint32_t, kSections> coded_bytes{};
  uint64_t checksum = 0;  // XXH3-64 of what stands above and of the sections
};
static_assert(sizeof(ChunkHeader) == 80);

/// A chunk's sections are smaller, before they are compressed: readers need not believe more.
inline constexpr uint32_t kMostSectionBytes = 1u << 22;
/// What may be pending, so that they are: a number takes five bytes at most in place of four.
inline constexpr size_t kMostPending = 3u << 20;
/// Pieces that a chunk's invocations take; each is 4 bytes that are pending.
inline constexpr size_t kMostTaken = kMostPending / 4;

/// In a segment: a call, which takes the place of a block.
inline constexpr uint32_t kCallItem = (1u << 30) - 1 + (1u << 30);

/// So many words of a segment can be copied at once, however long it is.
inline constexpr size_t kCopyWords = 8;

/// Where an invocation's piece is asked for: the n-th call behind a block of a function, the
/// continuation of an invocation of a function, or the outermost level.
struct SiteKey {
  static constexpr uint32_t kOutermost = ~0u;
  static constexpr uint32_t kNoBlock = ~0u;  // a call in front of the function's first block
  static constexpr uint32_t kContinues = ~0u - 1;
  uint32_t function = kOutermost;
  uint32_t block = kNoBlock;
  uint32_t call = 0;
  bool operator==(const SiteKey&) const = default;
  friend size_t hash_value(const SiteKey& key) {
    uint64_t h = (uint64_t{key.function} << 32 | key.block) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29) ^ key.call) * 0xbf58476d1ce4e5b9u;
    return static_cast<size_t>(h ^ (h >> 32));
  }
};

}  // namespace twinrun::path_archive
