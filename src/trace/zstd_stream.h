// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <cstdint>
#include <memory>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace twinrun {

/// Compresses bytes that come in parts. Each part can be decompressed when those in front of it
/// have been, and is compressed with what they had: one endless zstd frame, flushed behind each
/// part.
class ZstdWriter {
 public:
  explicit ZstdWriter(int level) : level_(level) {}
  Bytes add(ByteSpan raw);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  int level_;
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;  // made for the first part
};

/// Reads the parts again, in their order.
class ZstdReader {
 public:
  /// Exactly `raw_size` bytes, or T006. Allocates only after comparing raw_size with the most that
  /// the coded bytes can yield.
  Result<Bytes> add(ByteSpan coded, uint64_t raw_size);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace twinrun
