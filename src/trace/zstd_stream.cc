// SPDX-License-Identifier: MIT
#include "trace/zstd_stream.h"

#include "base/check.h"

#include <zstd.h>

#include <algorithm>

namespace twinrun {
namespace {

// That of level 19; a file must not ask for more memory.
constexpr int kMostWindow = 23;
constexpr int kMostLevel = 19;
// A zstd block of at least 3 bytes yields at most 128 KiB.
constexpr uint64_t kMostYield = (128 << 10) / 3 + 1;

}  // namespace

void ZstdWriter::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }
void ZstdReader::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

Bytes ZstdWriter::add(ByteSpan raw) {
  if (context_ == nullptr) {
    context_.reset(ZSTD_createCCtx());
    CHECK(context_ != nullptr) << "out of memory";
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, std::min(level_, kMostLevel));
  }
  Bytes out(ZSTD_compressBound(raw.size()));
  ZSTD_inBuffer in{raw.data(), raw.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  for (;;) {
    const size_t left = ZSTD_compressStream2(context_.get(), &to, &in, ZSTD_e_flush);
    CHECK(!ZSTD_isError(left)) << ZSTD_getErrorName(left);
    if (left == 0 && in.pos == in.size) break;
    out.resize(out.size() * 2 + 64);
    to.dst = out.data();
    to.size = out.size();
  }
  out.resize(to.pos);
  return out;
}

Result<Bytes> ZstdReader::add(ByteSpan coded, uint64_t raw_size) {
  const auto malformed = [] { return fail("T006", "compressed data is malformed"); };
  if (raw_size > coded.size() * kMostYield) return malformed();
  if (context_ == nullptr) {
    context_.reset(ZSTD_createDCtx());
    CHECK(context_ != nullptr) << "out of memory";
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kMostWindow);
  }
  Bytes out(raw_size);
  ZSTD_inBuffer in{coded.data(), coded.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  while (in.pos < in.size) {
    const size_t before = in.pos + to.pos;
    const size_t left = ZSTD_decompressStream(context_.get(), &to, &in);
    // The frame never ends, and what does not get on never will.
    if (ZSTD_isError(left) || left == 0 || in.pos + to.pos == before) return malformed();
  }
  if (to.pos != raw_size) return malformed();
  // Nothing of this part may be left in the context, for which there was no room.
  uint8_t more = 0;
  ZSTD_outBuffer rest{&more, 1, 0};
  const size_t left = ZSTD_decompressStream(context_.get(), &rest, &in);
  if (ZSTD_isError(left) || rest.pos != 0) return malformed();
  return out;
}

}  // namespace twinrun
