// SPDX-License-Identifier: MIT
// The paper's examples, as far as its text states them, and a naive Figure 9.
#include "history/match_graphs.h"
#include "history/match_roots.h"

#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace twinrun {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Names = std::vector<std::string>;

/// Roots of an executed path, "m a b a": by first execution, with their counts.
struct PathRoots {
  explicit PathRoots(const Names& path) {
    std::map<std::string, size_t> known;
    for (const std::string& name : path) {
      const auto [at, is_new] = known.try_emplace(name, names.size());
      if (is_new) {
        roots.push_back({static_cast<uint32_t>(names.size()), 0});
        names.push_back(name);
      }
      ++roots[at->second].count;
    }
  }
  Names names;
  std::vector<RootNode> roots;
};

/// The first letter says which computation it is: i, i0 and i1 are one.
bool same_letter(const std::string& a, const std::string& b) { return a[0] == b[0]; }

TEST(MatchRoots, FindsTheCounterpartsOfFigure1) {
  const PathRoots a({"m", "a",  "b", "c0", "d", "e", "d", "e", "h", "i", "j",
                     "b", "c1", "f", "g",  "f", "g", "h", "i", "j", "k"});
  const PathRoots b({"a", "c", "b", "d", "e", "e", "i0", "h", "j", "c", "b", "f", "f", "g", "i1",
                     "h", "j", "k", "n"});
  const RootMatches found = match_roots(a.roots, b.roots, [&](uint32_t x, uint32_t y) {
    return same_letter(a.names[x], b.names[y]);
  });
  Pairs pairs;
  for (const auto& [x, y] : found.pairs) pairs.emplace_back(a.names[x], b.names[y]);
  std::ranges::sort(pairs);
  EXPECT_EQ(pairs, (Pairs{{"a", "a"},
                          {"b", "b"},
                          {"c0", "c"},
                          {"c1", "c"},
                          {"d", "d"},
                          {"e", "e"},
                          {"f", "f"},
                          {"g", "g"},
                          {"h", "h"},
                          {"i", "i0"},
                          {"i", "i1"},
                          {"j", "j"},
                          {"k", "k"}}));
  ASSERT_EQ(found.unmatched_a.size(), 1u);
  EXPECT_EQ(a.names[found.unmatched_a[0]], "m");
  ASSERT_EQ(found.unmatched_b.size(), 1u);
  EXPECT_EQ(b.names[found.unmatched_b[0]], "n");
}

TEST(MatchRoots, AccountsForEachOnce) {
  EXPECT_TRUE(rc::check([](const std::vector<uint8_t>& x, const std::vector<uint8_t>& y) {
    const auto path = [](const std::vector<uint8_t>& of) {
      Names out;
      for (const uint8_t one : of) out.push_back(std::string(1, static_cast<char>('a' + one % 7)));
      return PathRoots(out);
    };
    const PathRoots a = path(x);
    const PathRoots b = path(y);
    const RootMatches found = match_roots(a.roots, b.roots, [&](uint32_t i, uint32_t j) {
      return same_letter(a.names[i], b.names[j]);
    });
    std::set<uint32_t> of_a(found.unmatched_a.begin(), found.unmatched_a.end());
    std::set<uint32_t> of_b(found.unmatched_b.begin(), found.unmatched_b.end());
    for (const auto& [i, j] : found.pairs) {
      RC_ASSERT(same_letter(a.names[i], b.names[j]));
      of_a.insert(i);
      of_b.insert(j);
    }
    RC_ASSERT(of_a.size() == a.names.size());
    RC_ASSERT(of_b.size() == b.names.size());
  }));
}

/// A graph whose nodes have names, "a>c" for each edge. Nodes are numbered as they are named.
struct NamedGraph {
  explicit NamedGraph(const Names& nodes, const Names& edges) : names(nodes) {
    const auto number = [&](const std::string& name) {
      return static_cast<uint32_t>(std::ranges::find(names, name) - names.begin());
    };
    for (const std::string& edge : edges) {
      const size_t at = edge.find('>');
      list.emplace_back(number(edge.substr(0, at)), number(edge.substr(at + 1)));
    }
  }
  [[nodiscard]] DependenceGraph graph() const {
    return {static_cast<uint32_t>(names.size()), list};
  }
  Names names;
  std::vector<DependenceGraph::Edge> list;
};

using Same = std::function<bool(const std::string&, const std::string&)>;

struct Matched {
  std::map<std::string, Names> of_a;
  size_t iterations = 0;
};

Matched match(const NamedGraph& a, const NamedGraph& b, const Same& same,
              NoRelatives no_relatives = NoRelatives::kAnything) {
  const DependenceGraph graph_a = a.graph();
  const DependenceGraph graph_b = b.graph();
  const SameSignature by_node = [&](uint32_t x, uint32_t y) {
    return same(a.names[x], b.names[y]);
  };
  const auto roots = [](const DependenceGraph& of) {
    std::vector<RootNode> out;
    for (uint32_t n = 0; n < of.nodes(); ++n)
      if (of.is_root(n)) out.push_back({n, 1});
    return out;
  };
  // Exhaustive, as in the paper's experiments: the examples say what roots match.
  RootMatches pairs;
  for (const RootNode& x : roots(graph_a))
    for (const RootNode& y : roots(graph_b))
      if (by_node(x.node, y.node)) pairs.pairs.emplace_back(x.node, y.node);
  const GraphMatches found = match_graphs(graph_a, graph_b, pairs, by_node, no_relatives);
  Matched out;
  out.iterations = found.iterations();
  for (uint32_t n = 0; n < graph_a.nodes(); ++n) {
    Names& names = out.of_a[a.names[n]];
    for (const uint32_t one : found.of_a[n]) names.push_back(b.names[one]);
    std::ranges::sort(names);
  }
  return out;
}

NamedGraph figure3_a() {
  return NamedGraph({"a", "b", "c", "d", "e"}, {"a>c", "b>d", "c>e", "d>e"});
}
NamedGraph figure3_b() {
  return NamedGraph({"a", "b", "i", "c", "d", "g", "h", "e", "f"},
                    {"a>c", "a>g", "b>d", "i>h", "c>e", "d>e", "g>f", "h>f"});
}
/// sign(b) = sign(b') = sign(i'), sign(c) = sign(c') = sign(g'), sign(d) = sign(d') = sign(h').
bool figure3_same(const std::string& a, const std::string& b) {
  static const std::map<std::string, std::string> kSame{{"b", "bi"}, {"c", "cg"}, {"d", "dh"}};
  const auto found = kSame.find(a);
  return found == kSame.end() ? a == b : found->second.find(b) != std::string::npos;
}

TEST(MatchGraphs, RefinesFigure3ToFigure5) {
  const Matched found = match(figure3_a(), figure3_b(), figure3_same);
  EXPECT_EQ(found.of_a.at("a"), Names{"a"});
  EXPECT_EQ(found.of_a.at("b"), Names{"b"});
  EXPECT_EQ(found.of_a.at("c"), Names{"c"});
  EXPECT_EQ(found.of_a.at("d"), Names{"d"});
  EXPECT_EQ(found.of_a.at("e"), Names{"e"});
  EXPECT_EQ(found.iterations, 2u) << "one pass each way, and one that finds nothing";
}

TEST(MatchGraphs, KeepsBothWhenEMatchesFToo) {
  const Matched found =
      match(figure3_a(), figure3_b(), [](const std::string& a, const std::string& b) {
        return figure3_same(a, b) || (a == "e" && b == "f");
      });
  EXPECT_EQ(found.of_a.at("c"), (Names{"c", "g"}));
  EXPECT_EQ(found.of_a.at("d"), (Names{"d", "h"}));
  EXPECT_EQ(found.of_a.at("e"), (Names{"e", "f"}));
}

// Figure 6: a move more (e1), a spill less (f2, f3), two computations that became one (f0, f1), one
// that became two (h), and an intermediate result that is another one (i, n).
TEST(MatchGraphs, CrossesWhatWasAddedAndRemovedInFigure6) {
  const NamedGraph a(
      {"r", "s", "e", "f0", "f1", "f2", "f3", "g", "h", "i", "k"},
      {"r>e", "r>f0", "r>f1", "f0>f2", "f2>f3", "f3>g", "e>g", "s>h", "f1>i", "h>i", "i>k", "h>k"});
  const NamedGraph b(
      {"r", "s", "e0", "e1", "f", "g", "h0", "h1", "n", "k"},
      {"r>e0", "e0>e1", "e1>g", "r>f", "f>g", "s>h0", "s>h1", "h0>n", "n>k", "f>k", "h1>k"});
  const Matched found = match(a, b, same_letter);
  for (const char* f : {"f0", "f1", "f2", "f3"}) EXPECT_EQ(found.of_a.at(f), Names{"f"}) << f;
  EXPECT_EQ(found.of_a.at("e"), (Names{"e0", "e1"}));
  EXPECT_EQ(found.of_a.at("h"), (Names{"h0", "h1"}));
  EXPECT_EQ(found.of_a.at("i"), Names{});
  EXPECT_EQ(found.of_a.at("g"), Names{"g"});
  EXPECT_EQ(found.of_a.at("k"), Names{"k"});
}

// By the letter of Figure 9 a leaf without a counterpart takes all that leads to it away.
TEST(MatchGraphs, OneUnmatchedLeafNeedNotWipeOutItsAncestors) {
  const NamedGraph a({"r", "x", "z"}, {"r>x", "x>z"});
  const NamedGraph b({"r", "x"}, {"r>x"});
  EXPECT_EQ(match(a, b, same_letter).of_a.at("x"), Names{"x"});
  EXPECT_EQ(match(a, b, same_letter, NoRelatives::kNothing).of_a.at("x"), Names{});
}

TEST(DependenceGraph, LeavesOutWhatLeadsBack) {
  const NamedGraph loop({"a", "b", "c"}, {"a>b", "b>c", "c>b", "c>c"});
  const DependenceGraph graph = loop.graph();
  EXPECT_TRUE(graph.is_root(0));
  EXPECT_TRUE(graph.is_leaf(2));
  EXPECT_EQ(graph.depth(), 2u);
  EXPECT_TRUE(std::ranges::equal(graph.topological(), std::vector<uint32_t>{0, 1, 2}));
}

/// Figure 9 word for word, with sets of numbers and recursion; empty Cand as above.
class Naive {
 public:
  Naive(const DependenceGraph& a, const DependenceGraph& b, const RootMatches& roots,
        const SameSignature& same)
      : a_(a), b_(b), same_(same), match(a.nodes()) {
    for (uint32_t n = 0; n < a.nodes(); ++n)
      if (!a.is_root(n))
        for (uint32_t m = 0; m < b.nodes(); ++m) match[n].insert(m);
    for (const auto& [n, m] : roots.pairs) match[n].insert(m);
    for (auto before = match; step(), before != match;) before = match;
  }

 private:
  using Set = std::set<uint32_t>;

  Set closure(uint32_t n, bool down) const {
    Set out{n};
    for (const uint32_t next : down ? b_.children(n) : b_.parents(n))
      out.merge(closure(next, down));
    return out;
  }
  Set nearest(uint32_t n, bool down) const {
    Set out;
    for (const uint32_t next : down ? a_.children(n) : a_.parents(n)) {
      if (!match[next].empty())
        out.insert(next);
      else
        out.merge(nearest(next, down));
    }
    return out;
  }
  void keep(uint32_t n, const Set& candidates) {
    Set out;
    for (const uint32_t m : match[n])
      if (candidates.contains(m) && same_(n, m)) out.insert(m);
    match[n] = out;
  }
  Set all() const {
    Set out;
    for (uint32_t m = 0; m < b_.nodes(); ++m) out.insert(m);
    return out;
  }
  Set joined(uint32_t relative, bool down) const {
    Set out;
    for (const uint32_t m : match[relative]) out.merge(closure(m, down));
    return out;
  }
  void step() {
    // What is compared are signatures first: a set is empty when nothing is alike.
    for (uint32_t n = 0; n < a_.nodes(); ++n)
      if (!a_.is_root(n)) keep(n, all());
    for (const uint32_t n : a_.topological()) {
      if (a_.is_root(n)) continue;
      Set candidates = all();
      for (const uint32_t relative : nearest(n, false)) {
        const Set below = joined(relative, true);
        std::erase_if(candidates, [&](uint32_t m) { return !below.contains(m); });
      }
      keep(n, candidates);
    }
    const std::vector<uint32_t> order(a_.topological().rbegin(), a_.topological().rend());
    for (const uint32_t n : order) {
      if (a_.is_leaf(n)) continue;
      const Set relatives = nearest(n, true);
      Set candidates = relatives.empty() ? all() : Set{};
      for (const uint32_t relative : relatives) candidates.merge(joined(relative, false));
      if (a_.is_root(n)) {
        std::erase_if(match[n], [&](uint32_t m) { return !candidates.contains(m); });
      } else {
        keep(n, candidates);
      }
    }
  }

  const DependenceGraph& a_;
  const DependenceGraph& b_;
  const SameSignature& same_;

 public:
  std::vector<Set> match;
};

TEST(MatchGraphs, AgreesWithFigure9DoneNaively) {
  EXPECT_TRUE(rc::check([](uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto graph = [&] {
      const auto nodes = static_cast<uint32_t>(random() % 14 + 1);
      std::vector<DependenceGraph::Edge> edges(random() % (2 * nodes + 1));
      for (auto& [from, to] : edges) {
        from = static_cast<uint32_t>(random() % nodes);
        to = static_cast<uint32_t>(random() % nodes);
      }
      return DependenceGraph(nodes, edges);
    };
    const DependenceGraph a = graph();
    const DependenceGraph b = graph();
    std::vector<uint32_t> kind_a(a.nodes());
    std::vector<uint32_t> kind_b(b.nodes());
    for (uint32_t& kind : kind_a) kind = static_cast<uint32_t>(random() % 4);
    for (uint32_t& kind : kind_b) kind = static_cast<uint32_t>(random() % 4);
    const SameSignature same = [&](uint32_t x, uint32_t y) { return kind_a[x] == kind_b[y]; };
    RootMatches roots;
    for (uint32_t x = 0; x < a.nodes(); ++x)
      for (uint32_t y = 0; y < b.nodes(); ++y)
        if (a.is_root(x) && b.is_root(y) && same(x, y)) roots.pairs.emplace_back(x, y);
    const GraphMatches found = match_graphs(a, b, roots, same);
    const Naive naive(a, b, roots, same);
    for (uint32_t n = 0; n < a.nodes(); ++n)
      RC_ASSERT(std::set<uint32_t>(found.of_a[n].begin(), found.of_a[n].end()) == naive.match[n]);
  }));
}

}  // namespace
}  // namespace twinrun
