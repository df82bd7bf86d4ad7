// SPDX-License-Identifier: MIT
#include "paths/path_clock.h"

#include "paths/path_gram_builder.h"
#include "paths/path_index.h"
#include "paths/path_samples.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

/// Steps for a trace: blocks take their length, calls a stub's, and now and then something else
/// happens.
std::vector<PathPosition> sample_steps(SampleRandom& random, const PathTrace& trace,
                                       const PathLengths& lengths) {
  std::vector<PathPosition> steps;
  std::vector<uint32_t> functions;
  PathPosition now = below(random, 5);
  for (const PathEvent event : trace) {
    if (event.is_entry()) {
      functions.push_back(event.function());
      now += event.function() % 3;
    }
    if (below(random, 30) == 0) now += below(random, 100);
    steps.push_back(now);
    if (event.is_block()) now += lengths.of(functions.back(), event.block());
    if (event.is_exit()) functions.pop_back();
  }
  return steps;
}

PathLengths sample_lengths(SampleRandom& random, const SampleShape& shape) {
  PathLengths lengths;
  for (uint32_t f = 0; f < shape.functions; ++f)
    for (uint32_t b = 0; b < shape.blocks; ++b) lengths.set(f, b, 1 + below(random, 6));
  return lengths;
}

TEST(PathClock, KnowsStepsAgain) {
  SampleRandom random(41);
  for (int round = 0; round < rounds(3000); ++round) {
    const SampleShape shape = SampleShape::any(random);
    const PathTrace trace = sample_trace(random, shape);
    const PathLengths lengths = sample_lengths(random, shape);
    const std::vector<PathPosition> steps = sample_steps(random, trace, lengths);
    PathClockBuilder builder;
    tell_in_parts(random, trace, steps, lengths, builder);
    const Bytes bytes = builder.finish(1);
    auto reader = PathClockReader::open(bytes, lengths);
    ASSERT_TRUE(reader) << reader.error().message;
    std::vector<PathPosition> again;
    std::vector<PathPosition> part;
    for (size_t at = 0; at < trace.size(); at += 7) {
      reader->steps(PathTraceView(trace).subspan(at, std::min<size_t>(7, trace.size() - at)), part);
      again.insert(again.end(), part.begin(), part.end());
    }
    for (size_t i = 0; i < trace.size(); ++i)
      if (!trace[i].is_exit()) {
        ASSERT_EQ(again[i], steps[i]) << i << " of " << text_of(trace);
      }
  }
}

TEST(PathIndex, KnowsStepsOfFirstAndLast) {
  SampleRandom random(42);
  uint64_t found = 0;
  for (int round = 0; round < rounds(4000); ++round) {
    const SampleShape shape = SampleShape::any(random);
    const PathTrace trace = sample_trace(random, shape);
    const PathLengths lengths = sample_lengths(random, shape);
    const std::vector<PathPosition> steps = sample_steps(random, trace, lengths);
    PathGramBuilder builder;
    tell_in_parts(random, trace, steps, lengths, builder);
    const auto index = PathIndex::decode(PathIndex::encode(builder.finish(), 1), lengths);
    ASSERT_TRUE(index) << index.error().message;
    const std::vector<NaiveInvocation> invocations = naive_invocations(trace);
    for (int i = 0; i < 3; ++i) {
      const PathQuery query = sample_query(random, shape, invocations);
      const auto answer = index->find(query);
      const std::vector<PathPosition> expected = naive_all(invocations, query);
      if (!answer) continue;
      ASSERT_EQ(answer->count, expected.size());
      if (expected.empty()) continue;
      ++found;
      ASSERT_EQ(answer->first, steps[expected.front()]) << text_of(trace);
      ASSERT_EQ(answer->last, steps[expected.back()]) << text_of(trace);
    }
  }
  EXPECT_GT(found, of_rounds(3000));
}

}  // namespace
}  // namespace twinrun
