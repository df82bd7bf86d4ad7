// SPDX-License-Identifier: MIT
#include "paths/schemes/sequitur.h"

#include "paths/path_samples.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace twinrun {
namespace {

/// Empty when both properties hold.
std::string broken_property(const Grammar& grammar) {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<uint32_t, size_t>> digrams;
  std::vector<uint32_t> uses(grammar.rules());
  for (uint32_t r = 0; r < grammar.rules(); ++r) {
    const auto rule = grammar.rule(r);
    if (r > 0 && rule.size() < 2) return "a rule of one symbol";
    for (size_t i = 0; i < rule.size(); ++i) {
      if (Grammar::is_rule(rule[i])) ++uses[Grammar::rule_of(rule[i])];
      if (i + 1 == rule.size()) continue;
      const auto [it, is_new] = digrams.try_emplace({rule[i], rule[i + 1]}, r, i);
      if (is_new) continue;
      if (it->second.first != r || it->second.second + 1 != i) return "digram uniqueness";
    }
  }
  for (uint32_t r = 1; r < grammar.rules(); ++r)
    if (uses[r] < 2) return "rule utility";
  return {};
}

std::string of_text(std::string_view text) {
  Sequitur sequitur;
  for (const char c : text) sequitur.append(static_cast<uint32_t>(c));
  const Grammar grammar = sequitur.grammar();
  std::string out;
  for (uint32_t r = 0; r < grammar.rules(); ++r) {
    out += r == 0 ? "S->" : std::string(" ") + static_cast<char>('A' + r - 1) + "->";
    for (const uint32_t symbol : grammar.rule(r))
      out +=
          static_cast<char>(Grammar::is_rule(symbol) ? 'A' + Grammar::rule_of(symbol) - 1 : symbol);
  }
  return out;
}

TEST(Sequitur, MakesTheGrammarsOfSection31) {
  EXPECT_EQ(of_text("aabaa"), "S->AbA A->aa");
  EXPECT_EQ(of_text("aabaab"), "S->AA A->aab") << "A->aa was used once only and went into B->Ab";
}

TEST(Sequitur, MakesTheGrammarsOfItsAuthors) {
  EXPECT_EQ(of_text("abcdbc"), "S->aAdA A->bc");
  EXPECT_EQ(of_text("abcdbcabcdbc"), "S->AA A->aBdB B->bc");
  EXPECT_EQ(of_text("aaa"), "S->aaa") << "overlapping digrams are no repetition";
  EXPECT_EQ(of_text("aaaa"), "S->AA A->aa");
}

TEST(Sequitur, KeepsBothPropertiesAfterEverySymbol) {
  SampleRandom random(3);
  size_t rules = 0;
  for (int round = 0; round < rounds(700); ++round) {
    Sequitur sequitur;
    PathTrace text;
    const uint32_t alphabet = 1 + below(random, 5);
    const uint32_t length = 1 + below(random, 60);
    for (uint32_t i = 0; i < length; ++i) {
      // Repetitions of what was there make deep grammars.
      if (text.size() > 4 && below(random, 6) == 0) {
        const uint32_t begin = below(random, static_cast<uint32_t>(text.size()));
        for (uint32_t k = begin; k < std::min<size_t>(text.size(), begin + 12); ++k) {
          const PathEvent copied = text[k];
          text.push_back(copied);
          sequitur.append(copied);
          ASSERT_EQ(broken_property(sequitur.grammar()), "") << text_of(text);
        }
      }
      text.push_back(PathEvent::block(below(random, alphabet)));
      sequitur.append(text.back());
      ASSERT_EQ(broken_property(sequitur.grammar()), "") << text_of(text);
    }
    ASSERT_EQ(text_of(sequitur.grammar().expand()), text_of(text));
    rules += sequitur.grammar().rules();
  }
  EXPECT_GT(rules, of_rounds(2000));
}

TEST(Sequitur, GeneratesTheTraceAgain) {
  SampleRandom random(4);
  for (int round = 0; round < rounds(10000); ++round) {
    const PathTrace trace = sample_trace(random, SampleShape::any(random));
    ASSERT_TRUE(is_well_formed(trace));
    Sequitur sequitur;
    for (const PathEvent event : trace) sequitur.append(event);
    const Grammar grammar = sequitur.grammar();
    ASSERT_EQ(broken_property(grammar), "");
    ASSERT_EQ(grammar.expand(), trace);
    ASSERT_EQ(grammar.lengths()[0], trace.size());
    const auto again = Grammar::decode(grammar.encode(1));
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(again->expand(), trace);
  }
}

TEST(Sequitur, RefusesDamagedGrammars) {
  Sequitur sequitur;
  SampleRandom random(5);
  for (const PathEvent event : sample_trace(random, {.events = 300})) sequitur.append(event);
  const Bytes good = sequitur.grammar().encode(1);
  size_t refused = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    Bytes bad = good;
    bad[i] ^= static_cast<uint8_t>(1u << (i % 8));
    const auto grammar = Grammar::decode(bad);  // must not fail otherwise than by an error
    if (!grammar) ++refused;
    EXPECT_FALSE(Grammar::decode(ByteSpan(good).first(i)));
  }
  EXPECT_GT(refused, good.size() / 2);
}

}  // namespace
}  // namespace twinrun
