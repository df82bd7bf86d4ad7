// SPDX-License-Identifier: MIT
#include "explain/target/output_stretches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

namespace twinrun {
namespace {

/// Written in pieces of so many bytes.
Output output(std::string_view text, size_t piece = 7) {
  Output out;
  for (size_t at = 0; at < text.size(); at += piece) {
    const std::string_view part = text.substr(at, piece);
    out.pieces.push_back({0, {part.begin(), part.end()}, {}, at});
  }
  out.size = text.size();
  return out;
}

/// What each text goes on with at each stretch.
std::string told(std::string_view a, std::string_view b, size_t most = 10) {
  std::string out;
  for (const OutputStretch& at : differing_stretches(output(a), output(b), most)) {
    const auto text = [](std::string_view from, uint64_t begin) {
      return std::string(from.substr(std::min<size_t>(begin, from.size()), 3));
    };
    out += "[" + text(a, at.at_a) + "|" + text(b, at.at_b) + "]";
  }
  return out;
}

TEST(OutputStretches, EqualTextsHaveNone) {
  EXPECT_EQ(told("", ""), "");
  EXPECT_EQ(told("one\ntwo\n", "one\ntwo\n"), "");
}

TEST(OutputStretches, WordsOfALine) {
  EXPECT_EQ(told("good.lua:5: index (field 'xx')\n", "bad.lua:5: index (field 'yy')\n"),
            "[goo|bad][xx'|yy']");
  EXPECT_EQ(told("a b c\n", "a x y c\n"), "[b c|x y]");
}

TEST(OutputStretches, WhatIsEqualInFrontBelongsToTheTextBefore) {
  EXPECT_EQ(told("start=123\n", "start=129\n"), "[3\n|9\n]");
}

TEST(OutputStretches, LinesThatOneHasMore) {
  EXPECT_EQ(told("first\nlast line\nend 1\n", "first\nnew\nlast line\nend 2\n"),
            "[las|new][1\n|2\n]");
  EXPECT_EQ(told("first\nold\nlast line\nend 1\n", "first\nlast line\nend 2\n"),
            "[old|las][1\n|2\n]");
}

TEST(OutputStretches, OneEndsFirst) {
  EXPECT_EQ(told("one\ntwo\n", "one\n"), "[two|]");
  EXPECT_EQ(told("", "x"), "[|x]");
}

TEST(OutputStretches, ALineThatDiffersEverywhereIsAFewDifferences) {
  EXPECT_EQ(told("a.b.c.d.e.f\nx", "g.h.i.j.k.l\ny"), "[a.b|g.h][x|y]");
}

/// Whatever the texts are: the first stretch is where they first differ, each byte that is told
/// differs, and they ascend.
TEST(OutputStretches, HoldForAnyTexts) {
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same texts each time.
  constexpr std::string_view kLetters = "ab .\n";
  const auto text = [&] {
    std::string out(random() % 40, ' ');
    for (char& c : out) c = kLetters[random() % kLetters.size()];
    return out;
  };
  for (int i = 0; i < 3000; ++i) {
    const std::string a = text();
    const std::string b = text();
    const auto found = differing_stretches(output(a), output(b), 20);
    ASSERT_EQ(found.empty(), a == b) << a << "\n--\n" << b;
    if (found.empty()) continue;
    const auto first = std::ranges::mismatch(a, b);
    ASSERT_EQ(found[0].at_a, static_cast<uint64_t>(first.in1 - a.begin()));
    ASSERT_EQ(found[0].at_b, found[0].at_a);
    for (size_t k = 0; k < found.size(); ++k) {
      const OutputStretch& at = found[k];
      ASSERT_TRUE(at.at_a < a.size() || at.at_b < b.size());
      const bool both = at.at_a < a.size() && at.at_b < b.size();
      ASSERT_TRUE(!both || a[at.at_a] != b[at.at_b]);
      ASSERT_TRUE(k == 0 || found[k - 1] < at);
    }
  }
}

}  // namespace
}  // namespace twinrun
