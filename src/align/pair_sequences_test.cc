// SPDX-License-Identifier: MIT
#include "align/pair_sequences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace twinrun {
namespace {

using Sequence = std::vector<uint64_t>;

Sequence random_sequence(std::mt19937& random, size_t most, uint64_t letters) {
  Sequence out(random() % (most + 1));
  for (uint64_t& letter : out) letter = random() % letters + 1;
  return out;
}

/// Some elements left out, some put in.
Sequence edited(std::mt19937& random, const Sequence& of, uint64_t letters) {
  Sequence out;
  for (const uint64_t letter : of) {
    if (random() % 10 == 0) out.push_back(random() % letters + 1);
    if (random() % 10 != 0) out.push_back(letter);
  }
  return out;
}

/// The most elements that can be paired, by the definition.
size_t longest_common(const Sequence& a, const Sequence& b) {
  std::vector<std::vector<size_t>> most(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j)
      most[i][j] =
          a[i - 1] == b[j - 1] ? most[i - 1][j - 1] + 1 : std::max(most[i - 1][j], most[i][j - 1]);
  return most[a.size()][b.size()];
}

bool ascends(const SequencePairs& pairs) {
  return std::ranges::adjacent_find(pairs, [](const auto& x, const auto& y) {
           return x.first >= y.first || x.second >= y.second;
         }) == pairs.end();
}

TEST(PairSequences, AsManyEqualElementsArePairedAsThereAre) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    const uint64_t letters = random() % 6 + 1;
    const Sequence a = random_sequence(random, 40, letters);
    const Sequence b =
        round % 2 == 0 ? edited(random, a, letters) : random_sequence(random, 40, letters);
    const SequencePairs pairs = pair_equal(a, b, 200);
    EXPECT_TRUE(ascends(pairs));
    for (const auto& [i, j] : pairs) EXPECT_EQ(a[i], b[j]);
    const size_t most = longest_common(a, b);
    EXPECT_EQ(pairs.size(), most);
    EXPECT_EQ(edit_distance(a, b, 200), a.size() + b.size() - 2 * most);
  }
}

TEST(PairSequences, ManyEditsArePairedByWhatOccursOnce) {
  std::mt19937 random(9);
  const Sequence a = random_sequence(random, 4000, 1u << 30);
  const Sequence b = edited(random, a, 1u << 30);
  const SequencePairs pairs = pair_equal(a, b, 8);
  EXPECT_TRUE(ascends(pairs));
  for (const auto& [i, j] : pairs) EXPECT_EQ(a[i], b[j]);
  EXPECT_GT(pairs.size(), longest_common(a, b) * 98 / 100);
  EXPECT_EQ(edit_distance(a, b, 8), 9u);
}

std::vector<WeightedElement> weighted(const Sequence& of, std::mt19937& random) {
  std::vector<WeightedElement> out;
  for (const uint64_t letter : of)
    out.push_back({letter, letter % 3, static_cast<uint32_t>(letter * 7 + random() % 3)});
  return out;
}

TEST(PairSequences, TheOrderOfTheArgumentsDoesNotMatter) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const Sequence letters = random_sequence(random, 120, 9);
    const auto a = weighted(letters, random);
    const auto b = weighted(edited(random, letters, 9), random);
    uint64_t cells = 1u << 20;
    const SequencePairs forth = pair_weighted(a, b, cells);
    cells = 1u << 20;
    SequencePairs back = pair_weighted(b, a, cells);
    for (auto& [x, y] : back) std::swap(x, y);
    EXPECT_TRUE(ascends(forth));
    EXPECT_EQ(cost_of(a, b, forth), cost_of(a, b, back));
  }
}

TEST(PairSequences, WhatIsInsertedStandsAlone) {
  const std::vector<WeightedElement> a{{1, 1, 9}, {2, 1, 4}, {3, 1, 9}};
  const std::vector<WeightedElement> b{{1, 1, 9}, {8, 5, 5}, {2, 1, 4}, {3, 1, 9}};
  uint64_t cells = 1000;
  EXPECT_EQ(pair_weighted(a, b, cells), (SequencePairs{{0, 0}, {1, 2}, {2, 3}}));
}

}  // namespace
}  // namespace twinrun
