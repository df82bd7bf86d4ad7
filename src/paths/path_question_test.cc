// SPDX-License-Identifier: MIT
#include "paths/path_question.h"

#include "paths/path_automaton.h"
#include "paths/path_expander.h"
#include "paths/path_gram_builder.h"
#include "paths/path_samples.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace twinrun {
namespace {

TEST(PathPattern, ReadsPlaces) {
  const auto pattern = parse_path("a/b.c:33 :34,b7 0x1163 f/b2 g/:9 h/0x20");
  ASSERT_TRUE(pattern) << pattern.error().message;
  ASSERT_EQ(pattern->places.size(), 7u);
  EXPECT_TRUE(pattern->is_plain());
  EXPECT_EQ(pattern->places[0].file, "a/b.c");
  EXPECT_EQ(pattern->places[0].number, 33u);
  EXPECT_EQ(pattern->places[2].kind, PathPlace::Kind::kBlock);
  EXPECT_EQ(pattern->places[3].number, 0x1163u);
  EXPECT_EQ(pattern->places[4].function, "f");
  EXPECT_EQ(pattern->places[5].function, "g");
  EXPECT_EQ(pattern->places[5].number, 9u);
  EXPECT_EQ(pattern->places[6].kind, PathPlace::Kind::kAddress);
  EXPECT_FALSE(parse_path(":1 :2?")->is_plain());
  EXPECT_FALSE(parse_path(":1 ... :2")->is_plain());
}

TEST(PathPattern, RefusesWhatIsNoPath) {
  for (const char* text : {"",
                           " ",
                           "(",
                           ")",
                           ":1 )",
                           "(:1",
                           ":",
                           ":0",
                           ":x",
                           "b",
                           "bx",
                           "0x",
                           "|",
                           ":1 |",
                           "*",
                           ":1 ( )",
                           "...",
                           ":1*",
                           "(:1|...)",
                           "hello",
                           ":99999999999",
                           "f/",
                           "/b1 x",
                           ":1 ...",
                           ":1 (:2 | ...)"}) {
    const auto pattern = parse_path(text);
    ASSERT_FALSE(pattern) << text;
    EXPECT_EQ(pattern.error().code, "Q001") << text;
  }
  EXPECT_FALSE(parse_path(std::string(200, '(') + ":1" + std::string(200, ')')));
}

/// A random path, as users write it and as a regular expression in which line n is a letter.
struct SamplePattern {
  std::string text;
  std::string regex;
};

SamplePattern sample_pattern(SampleRandom& random, uint32_t lines, bool is_of_lines, int depth) {
  switch (below(random, depth > 2 ? 1 : 6)) {
    case 0:
    case 1:
    case 2: {
      const uint32_t line = below(random, lines);
      return {(is_of_lines ? ":" : "b") + std::to_string(is_of_lines ? line + 1 : line),
              std::string(1, static_cast<char>('a' + line))};
    }
    case 3: {
      const SamplePattern a = sample_pattern(random, lines, is_of_lines, depth + 1);
      const SamplePattern b = sample_pattern(random, lines, is_of_lines, depth + 1);
      return {"(" + a.text + " | " + b.text + ")", "(?:" + a.regex + "|" + b.regex + ")"};
    }
    case 4: {
      const SamplePattern a = sample_pattern(random, lines, is_of_lines, depth + 1);
      const char* sign = std::array{"*", "+", "?"}[below(random, 3)];
      return {"(" + a.text + ")" + sign, "(?:" + a.regex + ")" + sign};
    }
    default: {
      SamplePattern all;
      for (uint32_t n = 2 + below(random, 3); n > 0; --n) {
        const bool is_gap = depth == 0 && below(random, 6) == 0;
        const SamplePattern one = is_gap ? SamplePattern{"...", ".*"}
                                         : sample_pattern(random, lines, is_of_lines, depth + 1);
        all.text += (all.text.empty() ? "" : " ") + one.text;
        all.regex += one.regex;
      }
      return all;
    }
  }
}

/// One function whose blocks have some lines each; its traces go along its edges, but for a few.
struct SampleCode {
  Bytes bytes;
  PathBody body;
  static constexpr uint32_t kLines = 5;

  explicit SampleCode(SampleRandom& random) {
    const uint32_t blocks = 1 + below(random, 6);
    body.blocks.resize(blocks);
    for (uint32_t b = 0; b < blocks; ++b) {
      PathBlock& block = body.blocks[b];
      block.address = 0x1000 + b * 16;
      block.end = block.address + 16;
      block.instructions = 1 + below(random, 4);
      std::set<uint32_t> next;
      for (uint32_t n = below(random, 3); n > 0; --n) next.insert(below(random, blocks));
      block.next.assign(next.begin(), next.end());
      for (uint32_t n = below(random, 4); n > 0; --n) {
        const PathLine line{0, 1 + below(random, kLines)};
        if (block.lines.empty() || block.lines.back() != line) block.lines.push_back(line);
      }
    }
    PathCode code;
    code.modules.push_back({"/bin/x", {}, true});
    code.files.push_back("/src/a.c");
    // Another function in front, with all lines, so that places can be resolved.
    code.functions.push_back({"other", {}, 0, 0x500, true});
    code.functions.push_back({"f", {"g"}, 0, 0x1000, true});
    bytes = PathCode::encode(code, {PathBody{}, body});
  }

  [[nodiscard]] PathTrace trace(SampleRandom& random) const {
    PathTrace out;
    for (uint32_t calls = 1 + below(random, 4); calls > 0; --calls) {
      out.push_back(PathEvent::entry(1));
      uint32_t at = 0;
      for (uint32_t n = below(random, 14); n > 0; --n) {
        out.push_back(PathEvent::block(at));
        if (below(random, 8) == 0) {
          out.push_back(PathEvent::entry(0));
          out.push_back(PathEvent::block(0));
          out.push_back(PathEvent::exit());
        }
        const std::vector<uint32_t>& next = body.blocks[at].next;
        const auto size = static_cast<uint32_t>(body.blocks.size());
        at = next.empty() || below(random, 20) == 0
                 ? below(random, size)
                 : next[below(random, static_cast<uint32_t>(next.size()))];
      }
      out.push_back(PathEvent::exit());
    }
    return out;
  }
};

/// Where paths end, by the definition alone.
std::set<PathPosition> naive_ends(const SampleCode& code, const PathTrace& trace,
                                  const std::string& regex, bool is_of_lines) {
  const std::regex expression(regex);
  std::set<PathPosition> out;
  for (const NaiveInvocation& invocation : naive_invocations(trace)) {
    if (invocation.function != 1) continue;
    std::string symbols;
    std::vector<PathPosition> positions;
    for (size_t i = 0; i < invocation.blocks.size(); ++i) {
      if (!is_of_lines) {
        symbols += static_cast<char>('a' + invocation.blocks[i]);
        positions.push_back(invocation.positions[i]);
        continue;
      }
      for (const PathLine& line : code.body.blocks[invocation.blocks[i]].lines) {
        const char symbol = static_cast<char>('a' + line.line - 1);
        if (!symbols.empty() && symbols.back() == symbol) continue;
        symbols += symbol;
        positions.push_back(invocation.positions[i]);
      }
    }
    for (size_t end = 1; end <= symbols.size(); ++end)
      for (size_t begin = 0; begin < end; ++begin)
        if (std::regex_match(symbols.substr(begin, end - begin), expression))
          out.insert(positions[end - 1]);
  }
  return out;
}

TEST(PathCode, KnowsTheFunctionsAtAnAddress) {
  // What stands apart, as the cold part of a function does, is its own as well.
  PathBody apart;
  for (const auto& [address, end] : std::initializer_list<std::pair<uint64_t, uint64_t>>{
           {0x2000, 0x2010}, {0x1000, 0x1008}, {0x2010, 0x2018}, {0x1004, 0x1010}})
    apart.blocks.push_back({.address = address, .end = end, .next = {}, .lines = {}});
  PathBody inside;
  inside.blocks.push_back({.address = 0x1800, .end = 0x1801, .next = {}, .lines = {}});
  inside.blocks.push_back({.address = 0x1008, .end = 0x100c, .next = {}, .lines = {}});
  PathCode made;
  made.modules.push_back({"/bin/x", {}, true});
  made.functions.push_back({"apart", {}, 0, 0x2000, true});
  made.functions.push_back({"none", {}, 0, 0x3000, false});
  made.functions.push_back({"inside", {}, 0, 0x1800, true});
  const std::vector<PathBody> bodies = {apart, PathBody{}, inside};
  const Bytes bytes = PathCode::encode(made, bodies);
  const auto code = PathCode::decode(bytes);
  ASSERT_TRUE(code);
  for (uint64_t address = 0xff0; address < 0x3010; ++address) {
    std::vector<uint32_t> expected;
    for (uint32_t f = 0; f < bodies.size(); ++f)
      if (std::ranges::any_of(bodies[f].blocks, [&](const PathBlock& block) {
            return block.address <= address && address < block.end;
          }))
        expected.push_back(f);
    ASSERT_EQ(code->at(address), expected) << address;
  }
}

TEST(PathQuestion, SaysTheSameAsTheDefinition) {
  SampleRandom random(31);
  uint64_t found = 0;
  uint64_t expanded = 0;
  uint64_t parsed = 0;
  uint64_t asked = 0;
  for (int round = 0; round < rounds(6000); ++round) {
    const SampleCode sample(random);
    const auto code = PathCode::decode(sample.bytes);
    ASSERT_TRUE(code) << code.error().message;
    const PathTrace trace = sample.trace(random);
    const bool is_of_lines = below(random, 3) != 0;
    const auto places =
        is_of_lines ? SampleCode::kLines : static_cast<uint32_t>(sample.body.blocks.size());
    const SamplePattern written = sample_pattern(random, places, is_of_lines, 0);
    SCOPED_TRACE(written.text + " in " + text_of(trace));
    auto pattern = parse_path(written.text);
    if (std::regex_match("", std::regex(written.regex))) {
      ASSERT_FALSE(pattern);
    }
    if (!pattern) continue;
    ++parsed;
    const auto question = PathQuestion::make(*code, 1, std::move(*pattern));
    if (!question) {
      ASSERT_EQ(question.error().code, "Q005");  // a line that the function does not have
      continue;
    }
    const std::set<PathPosition> expected = naive_ends(sample, trace, written.regex, is_of_lines);
    auto table = make_path_table(question->pattern(), question->alphabet());
    ASSERT_TRUE(table);
    const PathAutomaton automaton(1, question->kinds(1), std::move(*table));
    PathStates states;
    std::set<PathPosition> ends;
    for (size_t i = 0; i < trace.size(); ++i)
      if (step_states(automaton, states, trace[i])) ends.insert(i);
    ASSERT_EQ(ends, expected);
    if (!expected.empty() && !question->impossible(*code).empty()) {
      // Only an edge that the code does not have can be the reason.
      bool leaves_code = false;
      for (const NaiveInvocation& invocation : naive_invocations(trace))
        for (size_t i = 1; invocation.function == 1 && i < invocation.blocks.size(); ++i)
          leaves_code =
              leaves_code || std::ranges::find(sample.body.blocks[invocation.blocks[i - 1]].next,
                                               invocation.blocks[i]) ==
                                 sample.body.blocks[invocation.blocks[i - 1]].next.end();
      ASSERT_TRUE(leaves_code);
    }
    found += expected.size();
    PathGramBuilder builder;
    builder.take(trace);
    const PathIndex index(builder.finish());
    ++asked;
    const auto paths = PathExpander(*question, index).expand();
    if (!paths) continue;
    PathCount sum;
    bool is_known = true;
    for (const PathQuery& path : *paths) {
      const auto one = index.find(path);
      is_known = is_known && one.has_value();
      if (!one || one->count == 0) continue;
      sum.last = sum.count == 0 ? one->last : std::max(sum.last, one->last);
      sum.first = std::min(sum.first, one->first);
      sum.count += one->count;
    }
    if (!is_known) continue;
    ++expanded;
    ASSERT_EQ(sum.count, expected.size());
    if (expected.empty()) continue;
    ASSERT_EQ(sum.first, *expected.begin());
    ASSERT_EQ(sum.last, *expected.rbegin());
  }
  EXPECT_GT(parsed, of_rounds(3000));
  EXPECT_GT(found, of_rounds(10000));
  EXPECT_GT(expanded, asked / 2);
}

TEST(PathQuestion, SaysWhyAPathCannotBe) {
  PathCode made;
  made.modules.push_back({"/bin/x", {}, true});
  made.files = {"/src/a.c", "/src/b.h"};
  made.functions.push_back({"f", {}, 0, 0x1000, true});
  PathBody body;
  body.blocks.resize(3);
  for (uint32_t b = 0; b < 3; ++b) {
    body.blocks[b].address = 0x1000 + b;
    body.blocks[b].end = 0x1001 + b;
    body.blocks[b].lines = {{0, b + 1}};
  }
  body.blocks[0].next = {1};
  body.blocks[1].next = {2};
  body.blocks[2].lines.push_back({1, 1});
  const Bytes bytes = PathCode::encode(made, {body});
  const auto code = PathCode::decode(bytes);
  ASSERT_TRUE(code);
  const auto why = [&](const char* text) {
    const auto question = PathQuestion::make(*code, 0, *parse_path(text));
    return question ? question->impossible(*code) : question.error().code;
  };
  EXPECT_EQ(why("b0 b1 b2"), "");
  EXPECT_EQ(why("b0 b2"), "there is no edge from b0 to b2; behind b0 comes b1");
  EXPECT_EQ(why("b2 b0"), "there is no edge from b2 to b0; the function ends there");
  EXPECT_EQ(why("a.c:1 :3"), "there is no edge from a.c:1 to :3; behind a.c:1 comes a.c:2");
  EXPECT_EQ(why(":3 ... :2"), "no edges of the function lead along it");
  EXPECT_EQ(why(":1"), "Q006");
  EXPECT_EQ(why(":7"), "Q005");
  EXPECT_EQ(why("b3"), "Q005");
  EXPECT_EQ(why("0x1003"), "Q005");
  EXPECT_EQ(why("b1 :2"), "Q001");
}

}  // namespace
}  // namespace twinrun
