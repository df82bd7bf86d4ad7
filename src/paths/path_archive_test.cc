// SPDX-License-Identifier: MIT
#include "paths/path_archive_builder.h"
#include "paths/path_archive_reader.h"
#include "paths/path_samples.h"

#include <gtest/gtest.h>

#include <xxhash.h>

#include <cstring>

namespace twinrun {
namespace {

struct Built {
  Bytes bytes;
  uint64_t chunks = 0;
  size_t pending_peak = 0;
  size_t pieces = 0;
};

/// `flush_every`: events; 0: never before the end.
Built build(PathTraceView trace, PathArchiveBuilder::Options options, size_t flush_every = 0) {
  Built out;
  PathArchiveBuilder builder(options, [&](ByteSpan bytes) {
    out.bytes.insert(out.bytes.end(), bytes.begin(), bytes.end());
  });
  while (flush_every != 0 && trace.size() > flush_every) {
    builder.take(trace.first(flush_every));
    trace = trace.subspan(flush_every);
    builder.flush();
  }
  builder.take(trace);
  builder.flush();
  out.chunks = builder.chunks();
  out.pending_peak = builder.pending_peak();
  out.pieces = builder.pieces();
  return out;
}

TEST(PathArchive, MakesTheTraceAgain) {
  SampleRandom random(11);
  for (int round = 0; round < rounds(10000); ++round) {
    const PathTrace trace = sample_trace(random, SampleShape::any(random));
    const Built built = build(trace,
                              {.level = 1,
                               .piece_words = 1 + below(random, 5),
                               .site_uses = below(random, 5),
                               .stream_uses = 1 + below(random, 4)},
                              below(random, 2) == 0 ? 0 : 1 + below(random, 30));
    const auto again = expand_archive(built.bytes);
    ASSERT_TRUE(again) << again.error().message << " " << text_of(trace);
    ASSERT_EQ(text_of(*again), text_of(trace));
  }
}

TEST(PathArchive, KeepsLittlePendingWhenAFunctionIsActiveForTheWholeRun) {
  // An interpreter: a loop in one invocation, with calls, that takes other ways all the time; and a
  // deep recursion around it.
  SampleRandom random(12);
  PathTrace trace;
  for (int i = 0; i < 3000; ++i) {
    trace.push_back(PathEvent::entry(i % 3));
    trace.push_back(PathEvent::block(i % 7));
  }
  trace.push_back(PathEvent::entry(9));
  while (trace.size() < 3000000) {
    trace.push_back(PathEvent::block(0));
    trace.push_back(PathEvent::block(1 + below(random, 200)));
    if (below(random, 3) != 0) continue;
    trace.push_back(PathEvent::entry(10));
    trace.push_back(PathEvent::block(below(random, 5)));
    trace.push_back(PathEvent::exit());
  }
  const Built built = build(trace, {.level = 1});
  EXPECT_LE(built.pending_peak, 1u << 20);
  EXPECT_GT(built.pending_peak, 1u << 19);
  EXPECT_GT(built.chunks, 3u);
  const auto again = expand_archive(built.bytes);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(*again == trace);
}

TEST(PathArchive, StoresEqualInvocationsOnce) {
  PathTrace trace{PathEvent::entry(0)};
  for (int i = 0; i < 1000; ++i)
    for (const PathEvent event : {PathEvent::block(1), PathEvent::entry(1), PathEvent::block(1),
                                  PathEvent::block(2), PathEvent::exit(), PathEvent::block(2)})
      trace.push_back(event);
  EXPECT_EQ(build(trace, {}).pieces, 2u);
}

TEST(PathArchive, CanBeReadWhileItGrows) {
  SampleRandom random(13);
  const PathTrace trace = sample_trace(random, {.events = 5000});
  const Built built = build(trace, {.level = 1}, 700);
  size_t last = 0;
  for (size_t size = sizeof(path_archive::FileHeader); size <= built.bytes.size(); ++size) {
    const auto part = expand_archive(ByteSpan(built.bytes).first(size));
    ASSERT_TRUE(part) << part.error().message;
    ASSERT_TRUE(part->size() >= last && part->size() <= trace.size());
    ASSERT_TRUE(std::equal(part->begin(), part->end(), trace.begin()));
    last = part->size();
  }
  EXPECT_EQ(last, trace.size());
}

TEST(PathArchive, RefusesDamage) {
  SampleRandom random(14);
  const Built built = build(sample_trace(random, {.events = 2000}), {.level = 1}, 600);
  for (size_t i = 0; i < built.bytes.size(); ++i) {
    Bytes bad = built.bytes;
    bad[i] ^= static_cast<uint8_t>(1 + below(random, 255));
    const auto trace = expand_archive(bad);
    // A size that has become too large looks like an archive that is cut.
    if (trace) {
      EXPECT_LT(trace->size(), 2000u) << i;
    }
  }
}

/// With checksums that fit, so that the parser behind them is tested: errors, never a crash.
TEST(PathArchive, RefusesContradictions) {
  SampleRandom random(15);
  size_t refused = 0;
  for (int round = 0; round < rounds(3000); ++round) {
    const Built built = build(sample_trace(random, {.events = 200}),
                              {.level = 1, .site_uses = 0, .stream_uses = 4}, 100);
    Bytes bad = built.bytes;
    path_archive::ChunkHeader header;
    std::memcpy(&header, bad.data() + sizeof(path_archive::FileHeader), sizeof header);
    // Small sections are stored as they are in their zstd frame, so that changes get through.
    size_t body = 0;
    for (const uint32_t size : header.coded_bytes) body += size;
    const size_t body_at = sizeof(path_archive::FileHeader) + sizeof header;
    for (int n = 0; n < 2; ++n)
      bad[body_at + below(random, static_cast<uint32_t>(body))] = static_cast<uint8_t>(random());
    if (below(random, 4) == 0) header.events = random();
    header.checksum =
        XXH3_64bits_withSeed(bad.data() + body_at, body,
                             XXH3_64bits(&header, offsetof(path_archive::ChunkHeader, checksum)));
    std::memcpy(bad.data() + sizeof(path_archive::FileHeader), &header, sizeof header);
    auto reader = PathArchiveReader::open(bad);
    ASSERT_TRUE(reader);
    uint64_t events = 0;
    for (;;) {
      const auto more = reader->next_chunk([&](PathTraceView part) { events += part.size(); });
      if (!more) ++refused;
      if (!more || !*more) break;
    }
    ASSERT_LE(events, uint64_t{1} << 34);
  }
  EXPECT_GT(refused, of_rounds(1500));
}

/// Writes the events that the first chunk says it has, with a checksum that fits.
void set_events(Bytes& archive, uint64_t events) {
  path_archive::ChunkHeader header;
  uint8_t* const at = archive.data() + sizeof(path_archive::FileHeader);
  std::memcpy(&header, at, sizeof header);
  header.events = events;
  size_t body = 0;
  for (const uint32_t size : header.coded_bytes) body += size;
  header.checksum =
      XXH3_64bits_withSeed(at + sizeof header, body,
                           XXH3_64bits(&header, offsetof(path_archive::ChunkHeader, checksum)));
  std::memcpy(at, &header, sizeof header);
}

TEST(PathArchive, DeclaresNoMoreThanItsPiecesHave) {
  SampleRandom random(16);
  const PathTrace trace = sample_trace(random, {.events = 300});
  const Built built = build(trace, {.level = 1});
  for (const uint64_t events : {uint64_t{1} << 60, uint64_t{1} << 33, ~uint64_t{0},
                                uint64_t{trace.size() + 1}, uint64_t{trace.size() - 1}}) {
    Bytes bad = built.bytes;
    set_events(bad, events);
    uint64_t told = 0;
    auto reader = PathArchiveReader::open(bad);
    ASSERT_TRUE(reader);
    const auto more = reader->next_chunk([&](PathTraceView part) { told += part.size(); });
    EXPECT_FALSE(more) << events;
    EXPECT_LE(told, trace.size());
  }
}

TEST(PathArchive, RefusesSectionsThatNoBuilderWrites) {
  // A few hundred bytes that become many megabytes.
  ZstdWriter zstd(1);
  const Bytes coded = zstd.add(Bytes(size_t{64} << 20));
  path_archive::ChunkHeader header;
  header.events = 1;
  header.raw_bytes[path_archive::kSegments] = 64u << 20;
  header.coded_bytes[path_archive::kSegments] = static_cast<uint32_t>(coded.size());
  header.checksum =
      XXH3_64bits_withSeed(coded.data(), coded.size(),
                           XXH3_64bits(&header, offsetof(path_archive::ChunkHeader, checksum)));
  const path_archive::FileHeader file;
  ByteWriter out;
  out.raw({reinterpret_cast<const uint8_t*>(&file), sizeof file});
  out.raw({reinterpret_cast<const uint8_t*>(&header), sizeof header});
  out.raw(coded);
  const auto trace = expand_archive(out.bytes());
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("the most is"), std::string::npos);
}

TEST(PathArchive, HasNoMoreEventsThanAreWanted) {
  // A loop of a million turns takes a few bytes.
  PathTrace trace{PathEvent::entry(0)};
  trace.resize(2000001, PathEvent::block(3));
  const Built built = build(trace, {.level = 1});
  EXPECT_LT(built.bytes.size(), 300u);
  const auto whole = expand_archive(built.bytes, trace.size());
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_TRUE(*whole == trace);
  const auto part = expand_archive(built.bytes, trace.size() - 1);
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().code, "T006");
}

}  // namespace
}  // namespace twinrun
