// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "format/trace_format.h"

namespace twinrun {

inline constexpr int kZstdLevel = 1;
/// For what is written once per block, not per execution.
inline constexpr int kZstdLevelOnce = 3;

/// A zstd frame of the bytes. Uses a context of the calling thread.
Bytes zstd_compress(ByteSpan raw, int level = kZstdLevel);
/// Exactly `raw_size` bytes, or T006. Allocates only after comparing raw_size with the most that
/// the coded bytes can yield.
Result<Bytes> zstd_decompress(ByteSpan coded, uint64_t raw_size);

/// Chooses the coding that fits the stream and appends the coded bytes to `out`; returns the
/// TwCoding used.
uint8_t encode_stream(TwStream stream, ByteSpan raw, Bytes& out);

/// The inverse. Fails with T006 on anything that is not exactly raw_size bytes.
Result<Bytes> decode_stream(TwStream stream, uint8_t coding, ByteSpan coded, uint64_t raw_size);

// The transformations behind TW_CODING_SUCCESSOR and TW_CODING_DELTA, before zstd. The raw bytes
// are whole little-endian u32 numbers, in any alignment.
Bytes successor_encode(ByteSpan blocks);
Result<Bytes> successor_decode(ByteSpan coded, uint64_t raw_size);
Bytes delta_encode(ByteSpan positions);
Result<Bytes> delta_decode(ByteSpan coded, uint64_t raw_size);

}  // namespace twinrun
