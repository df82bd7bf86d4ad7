// SPDX-License-Identifier: MIT
// The four schemes of the paper: its figures, and the same answers as by definition.
#include "paths/path_samples.h"
#include "paths/schemes/rule_flags.h"
#include "paths/schemes/scheme1.h"
#include "paths/schemes/scheme2.h"
#include "paths/schemes/scheme3.h"
#include "paths/schemes/scheme4.h"
#include "paths/schemes/sequitur.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

constexpr uint32_t kMain = 0;
constexpr uint32_t kF1 = 1;

/// "main B1 F1 B1 ... E E": the notation of the figures.
PathTrace of_figure(std::string_view text) {
  PathTrace trace;
  while (!text.empty()) {
    const std::string word(text.substr(0, text.find(' ')));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word == "E") {
      trace.push_back(PathEvent::exit());
    } else if (word == "main") {
      trace.push_back(PathEvent::entry(kMain));
    } else if (word[0] == 'F') {
      trace.push_back(PathEvent::entry(static_cast<uint32_t>(std::stoul(word.substr(1)))));
    } else {
      trace.push_back(PathEvent::block(static_cast<uint32_t>(std::stoul(word.substr(1)))));
    }
  }
  return trace;
}

Grammar wpp_of(PathTraceView trace) {
  Sequitur sequitur;
  for (const PathEvent event : trace) sequitur.append(event);
  return sequitur.grammar();
}

/// What all four schemes must say.
void expect_all(PathTraceView trace, const PathQuery& query, std::vector<PathPosition> positions) {
  const Grammar wpp = wpp_of(trace);
  const ChunkedWpp chunked_wpp(wpp, 3);
  ChunkedTrace chunked({.chunk_events = 5, .level = 1});
  for (const PathEvent event : trace) chunked.append(event);
  chunked.finish();
  const PathPosition first = positions.empty() ? kNoPosition : positions.front();
  for (const PathWanted wanted : {PathWanted::kFirst, PathWanted::kCount, PathWanted::kAll}) {
    const PathAnswer answers[] = {match_scheme1(trace, query, wanted),
                                  match_scheme1(wpp, query, wanted),
                                  match_scheme2(wpp, query, wanted), *chunked.match(query, wanted),
                                  chunked_wpp.match(query, wanted)};
    for (size_t i = 0; i < std::size(answers); ++i) {
      SCOPED_TRACE(testing::Message() << "way " << i << " wanted " << int(wanted));
      const PathAnswer& answer = answers[i];
      switch (wanted) {
        case PathWanted::kFirst:
          ASSERT_EQ(answer.first, first);
          ASSERT_EQ(answer.count, positions.empty() ? 0u : 1u);
          break;
        case PathWanted::kCount: ASSERT_EQ(answer.count, positions.size()); break;
        case PathWanted::kAll:
          ASSERT_EQ(answer.all, positions);
          ASSERT_EQ(answer.first, first);
          break;
      }
    }
  }
}

// A run as sections 3.1 and 3.2 tell of Figure 1, whose drawing is not in the text: F1 executes the
// path B1 B2 B3 twice and never in sequence, because B2 calls F1 again; main has blocks of the same
// numbers and can execute the same path; B3 and E follow on each other.
const char* const kFigure1 = "main B1 B2 F1 B1 B2 F1 B1 B2 F1 B1 B3 E B3 E B3 E B3 E";

TEST(Schemes, FindThePathsOfFigure1) {
  const PathTrace trace = of_figure(kFigure1);
  // "The path B1 B2 B3 of function F1 was executed 2 times, but no such sequence appears."
  expect_all(trace, {kF1, {1, 2, 3}}, {13, 15});
  expect_all(trace, {kMain, {1, 2, 3}}, {17});
  expect_all(trace, {kF1, {1, 3}}, {11});
  expect_all(trace, {kF1, {2, 3}}, {13, 15});
  expect_all(trace, {kMain, {1, 3}}, {});
  expect_all(trace, {kF1, {3, 1}}, {});
  expect_all(trace, {7, {1}}, {});
}

TEST(Schemes, HaveTheStatesOfFigure2) {
  // E1: main calls F1; E2: F1 calls itself; E3: that one ends; E4: F1 ends; E5: B3 of main.
  const PathTrace trace = of_figure("main B1 F1 B1 B2 F1 B1 B2 E B3 E B3 E");
  const PathAutomaton automaton({kF1, {1, 2, 3}});
  PathStates states;
  std::vector<PathStates> after;
  std::vector<bool> hits;
  for (const PathEvent event : trace) {
    hits.push_back(step_states(automaton, states, event));
    after.push_back(states);
  }
  EXPECT_EQ(after[1], (PathStates{-1}));        // Q1
  EXPECT_EQ(after[2], (PathStates{-1, 0}));     // Q2
  EXPECT_EQ(after[4], (PathStates{-1, 2}));     // Q3
  EXPECT_EQ(after[5], (PathStates{-1, 2, 0}));  // Q4
  EXPECT_EQ(after[7], (PathStates{-1, 2, 2}));  // Qx
  EXPECT_EQ(after[8], (PathStates{-1, 2}));     // Q5
  EXPECT_EQ(after[9], (PathStates{-1, 3}));     // Q6, a match
  EXPECT_EQ(after[10], (PathStates{-1}));       // Q8
  EXPECT_EQ(after[11], (PathStates{-1})) << "B3 of main does not go with B1 B2 of F1";
  EXPECT_EQ(std::count(hits.begin(), hits.end(), true), 1);
  EXPECT_TRUE(hits[9]);
  expect_all(trace, {kF1, {1, 2, 3}}, {9});
}

TEST(Schemes, HaveTheLevelFlagsOfSection42) {
  // aEbEcFdFgFh as one rule: fentry 3, fexit 4, freturn 2.
  std::vector<uint32_t> symbols{Grammar::symbol_of(1), Grammar::symbol_of(1)};
  for (const PathEvent event : of_figure("B1 E B2 E B3 F1 B4 F1 B5 F1 B6"))
    symbols.push_back(event.word());
  const Grammar grammar(symbols, {2, symbols.size()});
  RuleFlags flags(grammar, {kF1, {4}});
  flags.prepare_all();
  EXPECT_EQ(flags.fentry(1), 3u);
  EXPECT_EQ(flags.fexit(1), 4u);
  EXPECT_EQ(flags.freturn(1), 2u);
  EXPECT_EQ(flags.gain({}, 1), 1u);
}

TEST(Schemes, DoNotCountAPathBeforeItsFunctionIsKnown) {
  // "1 2 E" is a rule that is used in F1 and in F2.
  const PathTrace trace = of_figure("main F2 B1 B2 E F1 B1 B2 E F2 B1 B2 E F1 B1 B2 E E");
  expect_all(trace, {kF1, {1, 2}}, {7, 15});
  expect_all(trace, {2, {1, 2}}, {3, 11});
}

TEST(Schemes, KnowAnInvocationWhoseBlocksBeginInTheNextChunk) {
  // Chunks of 5: the first has no block of F1, only the call.
  const PathTrace trace = of_figure("main B1 B1 B1 F1 B1 B2 B1 B2 E E");
  expect_all(trace, {kF1, {1, 2}}, {6, 8});
}

TEST(Schemes, SayTheSameAsTheDefinition) {
  SampleRandom random(6);
  uint64_t found = 0;
  for (int round = 0; round < rounds(10000); ++round) {
    const SampleShape shape = SampleShape::any(random);
    const PathTrace trace = sample_trace(random, shape);
    const std::vector<NaiveInvocation> invocations = naive_invocations(trace);
    const PathQuery query = sample_query(random, shape, invocations);
    const std::vector<PathPosition> expected = naive_all(invocations, query);
    expect_all(trace, query, expected);
    if (HasFatalFailure()) {
      FAIL() << "round " << round << " " << text_of(trace) << " of F" << query.function << ": "
             << testing::PrintToString(query.blocks);
    }
    found += expected.size();
  }
  EXPECT_GT(found, of_rounds(20000));
}

TEST(Schemes, DecompressToTheTrace) {
  SampleRandom random(7);
  for (int round = 0; round < rounds(2000); ++round) {
    const PathTrace trace = sample_trace(random, SampleShape::any(random));
    ChunkedTrace chunked({.chunk_events = 1 + below(random, 40), .level = 1});
    for (const PathEvent event : trace) chunked.append(event);
    chunked.finish();
    ASSERT_EQ(*chunked.expand(), trace);
  }
}

TEST(Schemes, WorkAsLittleAsThePaperSays) {
  // F1 is in the middle of the trace only.
  PathTrace trace = of_figure("main");
  const auto repeat = [&](std::string_view text, int times) {
    const PathTrace part = of_figure(text);
    for (int i = 0; i < times; ++i) trace.insert(trace.end(), part.begin(), part.end());
  };
  SampleRandom random(8);
  const auto noise = [&] {
    for (int i = 0; i < 3000; ++i)
      repeat(below(random, 2) == 0 ? "F2 B1 B2 E" : "F2 B1 B3 B2 E", 1);
  };
  noise();
  repeat("F1 B1 B2 E", 3);
  noise();
  const Grammar wpp = wpp_of(trace);
  const PathQuery query{kF1, {1, 2}};
  const PathAnswer one = match_scheme1(wpp, query, PathWanted::kAll);
  EXPECT_EQ(one.count, 3u);
  EXPECT_EQ(one.stats.terminals_expanded, trace.size());
  const PathAnswer two = match_scheme2(wpp, query, PathWanted::kCount);
  EXPECT_EQ(two.count, 3u);
  EXPECT_EQ(two.stats.terminals_expanded, 0u);
  EXPECT_GE(two.stats.rules_visited, wpp.rules() - 1u);
  ChunkedTrace chunked({.chunk_events = 1000, .level = 1, .keep = true});
  for (const PathEvent event : trace) chunked.append(event);
  chunked.finish();
  const PathAnswer three = *chunked.match(query, PathWanted::kAll);
  EXPECT_EQ(three.all, one.all);
  EXPECT_LE(three.stats.chunks_opened, 2u);
  EXPECT_GE(three.stats.chunks_opened, 1u);
  EXPECT_EQ(three.stats.terminals_expanded, 1000 * three.stats.chunks_opened);
  EXPECT_EQ(chunked.match(query, PathWanted::kAll)->stats.chunks_opened, 0u) << "they were kept";
  const ChunkedWpp chunked_wpp(wpp);
  const PathAnswer four = chunked_wpp.match(query, PathWanted::kAll);
  EXPECT_EQ(four.all, one.all);
  EXPECT_EQ(four.stats.terminals_expanded, 0u);
  EXPECT_LE(four.stats.chunks_opened, 2u);
  EXPECT_LT(four.stats.rules_visited, two.stats.rules_visited / 2);
}

}  // namespace
}  // namespace twinrun
