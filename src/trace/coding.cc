// SPDX-License-Identifier: MIT
// How the streams of a segment become small.
//
// Block ids: most blocks are followed by the block that followed them last time. The coder walks
// the ids with a table that maps a hash of the two previous ids to the id that came next; a stretch
// of right predictions is one number, a wrong one is written out. The table starts empty in each
// segment, so that segments can be decoded alone. zstd then takes the repetition out of what is
// left. (bzip2, 120 MB of ids: 0.029 of their size, zstd alone 0.041; gawk: 0.0055 and 0.0052; the
// speed is about the same. Longer contexts gain less than they cost.) Example: 7 8 9 7 8 9 7 8 9
// with an empty table costs five written ids (7 8 9 7 8: the contexts (0,0) (0,7) (7,8) (8,9) (9,7)
// are new) and then one run of four hits.
//
// Miss positions: ordinals grow slowly, load numbers are small; deltas and load numbers go into two
// sections of varints, then zstd.
#include "trace/coding.h"

#include "base/check.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>

namespace twinrun {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* compress_context() {
  thread_local std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  CHECK(context != nullptr) << "out of memory";
  return context.get();
}

ZSTD_DCtx* decompress_context() {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  CHECK(context != nullptr) << "out of memory";
  return context.get();
}

// A zstd block of at least 3 bytes yields at most 128 KiB.
constexpr uint64_t kZstdRatioMax = (128 << 10) / 3 + 1;
constexpr size_t kTooSmallToCode = 32;

uint32_t load_u32(const uint8_t* p) {
  uint32_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}
void store_u32(uint8_t* p, uint32_t value) { std::memcpy(p, &value, sizeof value); }

// ---- Successor prediction ----

constexpr unsigned kTableBits = 14;

constexpr uint32_t kPreviousFactor = 0x9e3779b1u;
constexpr uint32_t kLastFactor = 0x85ebca77u;

class Successors {
 public:
  [[nodiscard]] uint32_t& next() { return table_[hash_]; }
  void advance(uint32_t value) {
    hash_ = ((previous_ * kPreviousFactor) ^ (value * kLastFactor)) >> (32 - kTableBits);
    previous_ = value;
  }

 private:
  std::array<uint32_t, 1u << kTableBits> table_{};
  uint32_t hash_ = 0;
  uint32_t previous_ = 0;
};

constexpr uint32_t inverse(uint32_t odd) {
  uint32_t out = odd;  // right in its lowest three bits; each step doubles them
  for (int i = 0; i < 4; ++i) out *= 2 - odd * out;
  return out;
}
static_assert(inverse(kLastFactor) * kLastFactor == 1);

/// The same table for decoding, where each id waits for the one before it: the way from an id to
/// the next one is all that its time depends on. The table holds ids times kLastFactor, which is
/// odd, so that they can be got back, and no multiplication is on that way.
class ScaledSuccessors {
 public:
  /// The id that is predicted.
  uint32_t advance_as_predicted() {
    const uint32_t scaled = table_[hash_];
    advance(scaled);
    return scaled * inverse(kLastFactor);
  }
  void advance_otherwise(uint32_t value) {
    table_[hash_] = value * kLastFactor;
    advance(value * kLastFactor);
  }

 private:
  void advance(uint32_t scaled) {
    hash_ = (previous_ ^ scaled) >> (32 - kTableBits);
    previous_ = scaled * (inverse(kLastFactor) * kPreviousFactor);
  }

  std::array<uint32_t, 1u << kTableBits> table_{};
  uint32_t hash_ = 0;
  uint32_t previous_ = 0;  // times kPreviousFactor
};

uint8_t* put_varint(uint8_t* p, uint32_t value) {
  while (value >= 0x80) {
    *p++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *p++ = static_cast<uint8_t>(value);
  return p;
}

// Two sections: varint size of the first, the first, the second.
Bytes join_sections(ByteSpan first, ByteSpan second) {
  ByteWriter out;
  out.varint(first.size());
  out.raw(first);
  out.raw(second);
  return out.take();
}

constexpr uint32_t kOrdinalMask = (1u << (32 - TW_MISS_LOAD_BITS)) - 1;
constexpr uint32_t kLoadMask = (1u << TW_MISS_LOAD_BITS) - 1;

std::unexpected<Error> malformed(const char* what) {
  return fail("T006", "the {} of a segment cannot be decoded", what);
}

// The zstd frame around a transformed stream, whose size only the zstd frame knows.
Result<Bytes> unwrap(ByteSpan coded, uint64_t most) {
  const unsigned long long size = ZSTD_getFrameContentSize(coded.data(), coded.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > most)
    return malformed("compressed data");
  return zstd_decompress(coded, size);
}

}  // namespace

Bytes zstd_compress(ByteSpan raw, int level) {
  Bytes out(ZSTD_compressBound(raw.size()));
  const size_t size =
      ZSTD_compressCCtx(compress_context(), out.data(), out.size(), raw.data(), raw.size(), level);
  CHECK(!ZSTD_isError(size)) << ZSTD_getErrorName(size);
  out.resize(size);
  return out;
}

Result<Bytes> zstd_decompress(ByteSpan coded, uint64_t raw_size) {
  if (raw_size > coded.size() * kZstdRatioMax) return malformed("compressed data");
  Bytes out(raw_size);
  const size_t size =
      ZSTD_decompressDCtx(decompress_context(), out.data(), out.size(), coded.data(), coded.size());
  if (ZSTD_isError(size) || size != raw_size) return malformed("compressed data");
  return out;
}

Bytes successor_encode(ByteSpan blocks) {
  const size_t count = blocks.size() / 4;
  // Each miss takes at most five bytes of a run length and five of the id.
  const auto runs = std::make_unique_for_overwrite<uint8_t[]>(count * 5);
  const auto misses = std::make_unique_for_overwrite<uint8_t[]>(count * 5);
  uint8_t* run_end = runs.get();
  uint8_t* miss_end = misses.get();
  Successors successors;
  uint32_t run = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t value = load_u32(blocks.data() + 4 * i);
    uint32_t& predicted = successors.next();
    if (predicted == value) {
      ++run;
    } else {
      predicted = value;
      run_end = put_varint(run_end, run);
      run = 0;
      miss_end = put_varint(miss_end, value);
    }
    successors.advance(value);
  }
  return join_sections({runs.get(), run_end}, {misses.get(), miss_end});
}

Result<Bytes> successor_decode(ByteSpan coded, uint64_t raw_size) {
  if (raw_size % 4 != 0 || raw_size > 4ull * TW_SEGMENT_BLOCKS_MAX) return malformed("block ids");
  ByteReader in(coded);
  ByteReader runs(in.take(in.varint()));
  ByteReader misses(in.take(in.left()));
  Bytes out(raw_size);
  uint8_t* to = out.data();
  uint8_t* const end = to + raw_size;
  ScaledSuccessors successors;
  const auto hits = [&](uint64_t count) {
    for (; count > 0; --count, to += 4) store_u32(to, successors.advance_as_predicted());
  };
  while (!misses.at_end()) {
    const uint64_t run = runs.varint();
    const auto room = static_cast<uint64_t>(end - to) / 4;
    if (runs.failed() || run >= room) return malformed("block ids");
    hits(run);
    const uint64_t number = misses.varint();
    if (misses.failed() || number > UINT32_MAX) return malformed("block ids");
    const auto value = static_cast<uint32_t>(number);
    successors.advance_otherwise(value);
    store_u32(to, value);
    to += 4;
  }
  if (in.failed() || !runs.at_end()) return malformed("block ids");
  hits(static_cast<uint64_t>(end - to) / 4);
  return out;
}

Bytes delta_encode(ByteSpan positions) {
  const size_t count = positions.size() / 4;
  const auto deltas = std::make_unique_for_overwrite<uint8_t[]>(count * 3);
  const auto loads = std::make_unique_for_overwrite<uint8_t[]>(count * 2);
  uint8_t* delta_end = deltas.get();
  uint8_t* load_end = loads.get();
  uint32_t ordinal = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t position = load_u32(positions.data() + 4 * i);
    const uint32_t here = position >> TW_MISS_LOAD_BITS;
    delta_end = put_varint(delta_end, (here - ordinal) & kOrdinalMask);
    load_end = put_varint(load_end, position & kLoadMask);
    ordinal = here;
  }
  return join_sections({deltas.get(), delta_end}, {loads.get(), load_end});
}

Result<Bytes> delta_decode(ByteSpan coded, uint64_t raw_size) {
  // Each position takes two bytes at least.
  if (raw_size % 4 != 0 || raw_size / 2 > coded.size()) return malformed("miss positions");
  ByteReader in(coded);
  ByteReader deltas(in.take(in.varint()));
  ByteReader loads(in.take(in.left()));
  Bytes out(raw_size);
  uint32_t ordinal = 0;
  for (size_t at = 0; at < raw_size; at += 4) {
    ordinal = (ordinal + static_cast<uint32_t>(deltas.varint())) & kOrdinalMask;
    const auto load = static_cast<uint32_t>(loads.varint()) & kLoadMask;
    store_u32(out.data() + at, ordinal << TW_MISS_LOAD_BITS | load);
  }
  if (in.failed() || deltas.failed() || loads.failed() || !deltas.at_end() || !loads.at_end())
    return malformed("miss positions");
  return out;
}

uint8_t encode_stream(TwStream stream, ByteSpan raw, Bytes& out) {
  if (raw.size() >= kTooSmallToCode) {
    Bytes coded;
    uint8_t coding = TW_CODING_ZSTD;
    if (stream == TW_STREAM_BLOCKS && raw.size() % 4 == 0) {
      coded = zstd_compress(successor_encode(raw));
      coding = TW_CODING_SUCCESSOR;
    } else if (stream == TW_STREAM_MISS_POS && raw.size() % 4 == 0) {
      coded = zstd_compress(delta_encode(raw));
      coding = TW_CODING_DELTA;
    } else {
      coded = zstd_compress(raw, stream == TW_STREAM_DEFS ? kZstdLevelOnce : kZstdLevel);
    }
    if (coded.size() < raw.size()) {
      out.insert(out.end(), coded.begin(), coded.end());
      return coding;
    }
  }
  out.insert(out.end(), raw.begin(), raw.end());
  return TW_CODING_RAW;
}

Result<Bytes> decode_stream(TwStream stream, uint8_t coding, ByteSpan coded, uint64_t raw_size) {
  switch (coding) {
    case TW_CODING_RAW:
      if (coded.size() != raw_size) return malformed("uncompressed data");
      return Bytes(coded.begin(), coded.end());
    case TW_CODING_ZSTD: return zstd_decompress(coded, raw_size);
    case TW_CODING_SUCCESSOR: {
      if (stream != TW_STREAM_BLOCKS) return malformed("block ids");
      TRY(const Bytes inner, unwrap(coded, 10ull * TW_SEGMENT_BLOCKS_MAX + 16));
      return successor_decode(inner, raw_size);
    }
    case TW_CODING_DELTA: {
      if (stream != TW_STREAM_MISS_POS) return malformed("miss positions");
      TRY(const Bytes inner, unwrap(coded, raw_size * 2 + 16));
      return delta_decode(inner, raw_size);
    }
    default: return fail("T006", "a stream has the unknown coding {}", coding);
  }
}

}  // namespace twinrun
