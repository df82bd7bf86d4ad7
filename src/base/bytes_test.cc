// SPDX-License-Identifier: MIT
#include "base/bytes.h"

#include <gtest/gtest.h>

#include <rapidcheck.h>

namespace twinrun {
namespace {

TEST(Bytes, ReadsBackWhatWasWritten) {
  EXPECT_TRUE(rc::check([](uint64_t number, int32_t word, const std::string& text) {
    ByteWriter writer;
    writer.varint(number);
    writer.fixed(word);
    writer.string(text);
    ByteReader reader(writer.bytes());
    RC_ASSERT(reader.varint() == number);
    RC_ASSERT(reader.fixed<int32_t>() == word);
    RC_ASSERT(reader.string() == text);
    RC_ASSERT(reader.at_end());
    RC_ASSERT(!reader.failed());
  }));
}

TEST(Bytes, EveryTruncationFailsAndYieldsNoBytesFromBeyond) {
  ByteWriter writer;
  writer.varint(1'000'000);
  writer.string("hello");
  for (size_t size = 0; size < writer.bytes().size(); ++size) {
    ByteReader reader(ByteSpan(writer.bytes()).first(size));
    reader.varint();
    reader.string();
    EXPECT_TRUE(reader.failed()) << size;
    EXPECT_LE(reader.position(), size);
  }
}

TEST(Bytes, AnEndlessVarintFails) {
  const Bytes bytes(11, 0x80);
  ByteReader reader(bytes);
  EXPECT_EQ(reader.varint(), 0u);
  EXPECT_TRUE(reader.failed());
}

}  // namespace
}  // namespace twinrun
