// SPDX-License-Identifier: MIT
#include "paths/path_index.h"

#include "paths/path_archive_builder.h"
#include "paths/path_finder.h"
#include "paths/path_gram_builder.h"
#include "paths/path_index_groups.h"
#include "paths/path_samples.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

PathGrams grams_of(PathTraceView trace) {
  PathGramBuilder builder;
  builder.take(trace.first(trace.size() / 2));
  builder.take(trace.subspan(trace.size() / 2));
  return builder.finish();
}

TEST(PathIndex, SaysTheSameAsTheDefinition) {
  SampleRandom random(21);
  uint64_t found = 0;
  uint64_t unknown = 0;
  uint64_t asked = 0;
  for (int round = 0; round < rounds(10000); ++round) {
    const SampleShape shape = SampleShape::any(random);
    const PathTrace trace = sample_trace(random, shape);
    const std::vector<NaiveInvocation> invocations = naive_invocations(trace);
    PathGrams grams = grams_of(trace);
    const size_t all = grams.grams.size();
    switch (below(random, 3)) {
      case 0: grams.limit_order(1 + below(random, PathGrams::kMostOrder)); break;
      case 1: {
        const size_t most = below(random, static_cast<uint32_t>(all) + 1);
        grams.reduce_to(most);
        ASSERT_LE(grams.grams.size(), std::max(most, grams.segments.size()));
        break;
      }
      default: break;
    }
    const auto index = PathIndex::decode(PathIndex::encode(grams, 1));
    ASSERT_TRUE(index) << index.error().message;
    ASSERT_EQ(index->events(), trace.size());
    for (int i = 0; i < 4; ++i) {
      const PathQuery query = sample_query(random, shape, invocations);
      const std::vector<PathPosition> expected = naive_all(invocations, query);
      const auto answer = index->find(query);
      ++asked;
      size_t parts = 1;
      for (size_t b = 1; b < query.blocks.size(); ++b)
        parts += query.blocks[b] <= query.blocks[b - 1] ? 1 : 0;
      if (!answer) {
        ASSERT_GT(parts, index->order(query.function));
        ++unknown;
        continue;
      }
      SCOPED_TRACE(testing::Message() << text_of(trace) << " of F" << query.function << ": "
                                      << testing::PrintToString(query.blocks));
      ASSERT_EQ(answer->count, expected.size());
      ASSERT_EQ(answer->first, expected.empty() ? kNoPosition : expected.front());
      ASSERT_EQ(answer->last, expected.empty() ? kNoPosition : expected.back());
      found += expected.size();
    }
  }
  EXPECT_GT(found, of_rounds(60000));
  EXPECT_LT(unknown, asked / 5);
}

TEST(PathIndex, KnowsPositionsAcrossRecursion) {
  // The outer invocation begins its segment first and ends it last.
  PathTrace trace;
  const auto f = PathEvent::entry(1);
  const auto e = PathEvent::exit();
  for (const PathEvent event :
       {f, PathEvent::block(1), f, PathEvent::block(1), f, PathEvent::block(1), PathEvent::block(2),
        e, PathEvent::block(2), e, PathEvent::block(2), e})
    trace.push_back(event);
  const PathIndex index(grams_of(trace));
  const auto ones = index.find({1, {1}});
  EXPECT_EQ(ones->count, 3u);
  EXPECT_EQ(ones->first, 1u);
  EXPECT_EQ(ones->last, 5u);
  const auto both = index.find({1, {1, 2}});
  EXPECT_EQ(both->count, 3u);
  EXPECT_EQ(both->first, 6u);
  EXPECT_EQ(both->last, 10u);
}

TEST(PathFinder, SaysTheSameAsTheDefinition) {
  SampleRandom random(23);
  uint64_t scanned = 0;
  for (int round = 0; round < rounds(3000); ++round) {
    const SampleShape shape = SampleShape::any(random);
    const PathTrace trace = sample_trace(random, shape);
    const std::vector<NaiveInvocation> invocations = naive_invocations(trace);
    Bytes archive;
    PathArchiveBuilder builder({.level = 1, .piece_words = 3}, [&](ByteSpan bytes) {
      archive.insert(archive.end(), bytes.begin(), bytes.end());
    });
    for (size_t at = 0; at < trace.size(); at += 50) {
      builder.take(PathTraceView(trace).subspan(at, std::min<size_t>(50, trace.size() - at)));
      builder.flush();
    }
    const Bytes file = encode_index_within(grams_of(trace), below(random, 600), 1 << 20, 1);
    auto index = PathIndex::decode(file);
    ASSERT_TRUE(index) << index.error().message;
    PathFinder finder(archive, std::move(*index));
    for (int i = 0; i < 3; ++i) {
      const PathQuery query = sample_query(random, shape, invocations);
      const std::vector<PathPosition> expected = naive_all(invocations, query);
      const auto found = finder.find(query);
      ASSERT_TRUE(found) << found.error().message;
      scanned += finder.stats().chunks_opened > 0 ? 1 : 0;
      ASSERT_EQ(found->count, expected.size());
      ASSERT_EQ(found->first, expected.empty() ? kNoPosition : expected.front());
      ASSERT_EQ(found->last, expected.empty() ? kNoPosition : expected.back());
      ASSERT_EQ(*finder.all(query), expected);
    }
  }
  EXPECT_GT(scanned, of_rounds(100));
}

TEST(PathIndexGroups, SayTheSameAsTheWhole) {
  SampleRandom random(25);
  size_t most_groups = 0;
  for (int round = 0; round < rounds(1000); ++round) {
    SampleShape shape = SampleShape::any(random);
    shape.functions += below(random, 8);
    const PathTrace trace = sample_trace(random, shape);
    PathGramBuilder builder;
    builder.take(trace);
    const PathGrams grams = builder.finish();
    const Bytes bytes =
        PathIndexGroups::encode([&](const PathGrams::Tell& tell) { builder.each_function(tell); },
                                1, 1 + below(random, 12));
    const auto groups = PathIndexGroups::open(bytes);
    ASSERT_TRUE(groups) << groups.error().message;
    most_groups = std::max(most_groups, groups->size());
    const PathIndex whole(grams);
    uint64_t segments = 0;
    for (size_t g = 0; g < groups->size(); ++g) segments += groups->group(g)->segments().size();
    ASSERT_EQ(segments, whole.segments().size());
    const std::vector<NaiveInvocation> invocations = naive_invocations(trace);
    for (int i = 0; i < 3; ++i) {
      const PathQuery query = sample_query(random, shape, invocations);
      const auto index = groups->of(query.function, {});
      ASSERT_TRUE(index) << index.error().message;
      const auto part = index->find(query);
      const auto all = whole.find(query);
      ASSERT_EQ(part.has_value(), all.has_value());
      if (!all) continue;
      ASSERT_EQ(part->count, all->count);
      ASSERT_EQ(part->first, all->first);
      ASSERT_EQ(part->last, all->last);
    }
  }
  EXPECT_GT(most_groups, 4u);
}

TEST(PathIndex, FitsIntoABudget) {
  SampleRandom random(24);
  const PathGrams grams = grams_of(sample_trace(
      random, {.events = 60000, .functions = 5, .blocks = 5, .call = 5, .exit = 5, .repeat = 40}));
  const size_t full = PathIndex::encode(grams, 1).size();
  const Bytes half = encode_index_within(grams, full / 2, size_t{1} << 30, 1);
  EXPECT_LE(half.size(), full / 2);
  EXPECT_GT(half.size(), full / 8);
  const PathIndex whole(grams);
  whole.make_all();
  const size_t memory = whole.memory();
  const Bytes less = encode_index_within(grams, full, memory / 2, 1);
  const auto smaller = PathIndex::decode(less);
  smaller->make_all();
  EXPECT_LE(smaller->memory(), memory / 2);
}

TEST(PathIndex, RefusesDamage) {
  SampleRandom random(22);
  const Bytes good = PathIndex::encode(grams_of(sample_trace(random, {.events = 1000})), 1);
  for (size_t i = 0; i < good.size(); ++i) {
    Bytes bad = good;
    bad[i] ^= static_cast<uint8_t>(1 + below(random, 255));
    EXPECT_FALSE(PathIndex::decode(bad)) << i;
    EXPECT_FALSE(PathIndex::decode(ByteSpan(good).first(i)));
  }
}

}  // namespace
}  // namespace twinrun
