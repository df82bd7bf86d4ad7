// SPDX-License-Identifier: MIT
#include "paths/path_archive_times.h"
#include "paths/path_archive_builder.h"
#include "paths/path_samples.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

/// Chunks of at most so many events.
Bytes archive_of(PathTraceView trace, PathArchiveBuilder::Options options, size_t chunk) {
  Bytes out;
  PathArchiveBuilder builder(
      options, [&](ByteSpan bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); });
  for (size_t at = 0; at < trace.size(); at += chunk) {
    builder.take(trace.subspan(at, std::min(chunk, trace.size() - at)));
    builder.flush();
  }
  return out;
}

TEST(PathTimes, SayTheSameAsTheDefinition) {
  SampleRandom random(31);
  uint64_t found_some = 0;
  for (int round = 0; round < rounds(3000); ++round) {
    const SampleShape shape = SampleShape::any(random);
    const PathTrace trace = sample_trace(random, shape);
    const std::vector<NaiveInvocation> invocations = naive_invocations(trace);
    const Bytes archive = archive_of(trace, {.level = 1, .piece_words = 1 + below(random, 5)},
                                     below(random, 3) == 0 ? trace.size() : 1 + below(random, 60));
    const auto times = PathTimes::make(archive, size_t{1} << 30);
    ASSERT_TRUE(times) << times.error().message;
    ASSERT_TRUE(*times);
    for (int i = 0; i < 4; ++i) {
      const PathQuery query = sample_query(random, shape, invocations);
      const std::vector<PathPosition> expected = naive_all(invocations, query);
      const PathFound found = (*times)->find(query, true);
      ASSERT_EQ(found.all, expected) << text_of(trace);
      ASSERT_EQ(found.count, expected.size());
      ASSERT_EQ(found.first, expected.empty() ? kNoPosition : expected.front());
      ASSERT_EQ(found.last, expected.empty() ? kNoPosition : expected.back());
      ASSERT_EQ((*times)->find(query, false).count, expected.size());
      found_some += expected.size() > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(found_some, of_rounds(1000));
}

TEST(PathTimes, TakeNoMoreMemoryThanTheyMay) {
  SampleRandom random(32);
  const PathTrace trace = sample_trace(random, {.events = 20000});
  const Bytes archive = archive_of(trace, {.level = 1}, 1000);
  const auto times = PathTimes::make(archive, size_t{1} << 30);
  ASSERT_TRUE(times && *times);
  const size_t memory = (*times)->memory();
  EXPECT_EQ((*times)->chunks(), (trace.size() + 999) / 1000);
  const auto as_much = PathTimes::make(archive, memory);
  EXPECT_TRUE(as_much && *as_much);
  const auto too_little = PathTimes::make(archive, memory - 1);
  EXPECT_TRUE(too_little && !*too_little);
}

TEST(PathTimes, StoreEqualRecordsOnce) {
  // A million calls that take the same time each are a byte each.
  PathTrace trace{PathEvent::entry(0)};
  for (int i = 0; i < 1000000; ++i)
    for (const PathEvent event :
         {PathEvent::block(1), PathEvent::entry(1), PathEvent::block(2), PathEvent::exit()})
      trace.push_back(event);
  const Bytes archive = archive_of(trace, {.level = 1}, trace.size());
  const auto times = PathTimes::make(archive, size_t{1} << 30);
  ASSERT_TRUE(times && *times);
  EXPECT_LT((*times)->memory(), 2300000u);
  const PathFound found = (*times)->find({1, {2}}, true);
  ASSERT_EQ(found.count, 1000000u);
  EXPECT_EQ(found.all[999999], 3u + 999999u * 4);
}

}  // namespace
}  // namespace twinrun
