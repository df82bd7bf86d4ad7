// SPDX-License-Identifier: MIT
#include "trace/coding.h"

#include "trace/zstd_stream.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace twinrun {
namespace {

Bytes as_bytes(const std::vector<uint32_t>& numbers) {
  ByteWriter out;
  for (const uint32_t number : numbers) out.fixed(number);
  return out.take();
}

bool is(const Result<Bytes>& got, const Bytes& expected) { return got && *got == expected; }

TwStream some_stream() { return static_cast<TwStream>(*rc::gen::inRange<int>(0, TW_STREAM_COUNT)); }

RC_GTEST_PROP(Coding, EveryStreamComesBackFromItsCoding, (const Bytes& raw)) {
  const TwStream stream = some_stream();
  Bytes coded;
  const uint8_t coding = encode_stream(stream, raw, coded);
  RC_ASSERT(is(decode_stream(stream, coding, coded, raw.size()), raw));
}

RC_GTEST_PROP(Coding, SuccessorPredictionIsLossless, ()) {
  // Few different ids, so that predictions hit and miss.
  const auto ids = *rc::gen::container<std::vector<uint32_t>>(
      rc::gen::oneOf(rc::gen::inRange<uint32_t>(0, 6), rc::gen::arbitrary<uint32_t>()));
  const Bytes raw = as_bytes(ids);
  RC_ASSERT(is(successor_decode(successor_encode(raw), raw.size()), raw));
}

RC_GTEST_PROP(Coding, MissPositionDeltasAreLossless, (const std::vector<uint32_t>& positions)) {
  const Bytes raw = as_bytes(positions);
  RC_ASSERT(is(delta_decode(delta_encode(raw), raw.size()), raw));
}

RC_GTEST_PROP(Coding, GarbageIsRefusedOrHasTheRightSize, (const Bytes& coded)) {
  const TwStream stream = some_stream();
  const auto coding = static_cast<uint8_t>(*rc::gen::inRange(0, 6));
  const auto size = *rc::gen::inRange<uint64_t>(0, 4096);
  const auto raw = decode_stream(stream, coding, coded, size);
  if (raw) RC_ASSERT(raw->size() == size);
}

TEST(Coding, FlippedBitsOfTransformedStreamsAreRefusedOrHaveTheRightSize) {
  std::mt19937 random(3);
  std::vector<uint32_t> ids;
  for (int i = 0; i < 500; ++i) ids.push_back(1 + random() % 30);
  const Bytes raw = as_bytes(ids);
  for (const bool successor : {true, false}) {
    Bytes coded = successor ? successor_encode(raw) : delta_encode(raw);
    for (size_t bit = 0; bit < coded.size() * 8; ++bit) {
      coded[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
      const auto got =
          successor ? successor_decode(coded, raw.size()) : delta_decode(coded, raw.size());
      if (got) {
        EXPECT_EQ(got->size(), raw.size());
      }
      coded[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    }
  }
}

TEST(Coding, ALoopOfBlocksTakesAlmostNothing) {
  std::vector<uint32_t> ids;
  for (int i = 0; i < 100'000; ++i) ids.push_back(1 + i % 17);
  Bytes coded;
  EXPECT_EQ(encode_stream(TW_STREAM_BLOCKS, as_bytes(ids), coded), TW_CODING_SUCCESSOR);
  EXPECT_LT(coded.size(), 200u);
}

TEST(Coding, ASizeThatNoZstdFrameCanYieldIsRefusedBeforeItIsAllocated) {
  const Bytes coded = zstd_compress(Bytes(10, 0));
  EXPECT_FALSE(zstd_decompress(coded, 1ull << 40).has_value());
}

TEST(Coding, PartsOfAStreamAreReadAgainInTheirOrder) {
  std::mt19937 random(5);
  for (const int level : {1, 3, 19}) {
    ZstdWriter writer(level);
    ZstdReader reader;
    Bytes all;
    for (int part = 0; part < 40; ++part) {
      Bytes raw(random() % 5000 + 1);
      for (uint8_t& byte : raw) byte = static_cast<uint8_t>(random() % 3 == 0 ? random() : 7);
      // What was there before takes little.
      const bool repeats = part > 0 && part % 4 == 0;
      if (repeats) raw = all;
      const Bytes coded = writer.add(raw);
      if (repeats) {
        EXPECT_LT(coded.size(), 200u);
      }
      ASSERT_TRUE(is(reader.add(coded, raw.size()), raw));
      if (!repeats) all.insert(all.end(), raw.begin(), raw.end());
    }
  }
  EXPECT_FALSE(ZstdReader().add(ZstdWriter(1).add(Bytes(10, 0)), 11).has_value());
  EXPECT_FALSE(ZstdReader().add(ZstdWriter(1).add(Bytes(10, 0)), 9).has_value());
  EXPECT_FALSE(ZstdReader().add(ZstdWriter(1).add(Bytes(10, 0)), 1ull << 40).has_value());
  EXPECT_FALSE(ZstdReader().add(zstd_compress(Bytes(10, 0)), 10).has_value()) << "it ends";
}

TEST(Coding, UnknownCodingsAreRefused) {
  EXPECT_FALSE(decode_stream(TW_STREAM_EVENTS, 77, {}, 0).has_value());
  EXPECT_FALSE(decode_stream(TW_STREAM_EVENTS, TW_CODING_SUCCESSOR, {}, 0).has_value());
}

}  // namespace
}  // namespace twinrun
