// SPDX-License-Identifier: MIT
// Which elements of two sequences correspond, as with the lines of two files.
//
// Equal elements: what both begin and end with is taken off; the rest is Myers' shortest edit
// script
// ("An O(ND) difference algorithm and its variations", 1986, section 4), with the furthest points
// of every round kept to find the way back. Where that would take too many edits, stretches that
// occur once in each part both sequences (patience), the long ones first, and the pieces are
// compared in turn.
//
// Elements also have a weight and a second, weaker likeness. Pairs of equal elements alone would
// leave out what differs a little, and would take equal short elements from far away. So gaps
// between equal ones are filled with those that are alike and then in order; and between long firm
// runs of pairs the cheapest pairing is computed outright, by dynamic programming. Where little is
// equal, alike elements are tried as the first criterion; the cheaper of both is taken.
//
// Symmetric: the sequences are put into an order of their own first, by lengths and weights.
//
// Example: weights in brackets, a: x(9) y(4) z(9), b: x(9) q(5) y(4) z(9): q is left over, cost 5.
#include "align/pair_sequences.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace twinrun {
namespace {

constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
constexpr uint32_t kMostEdits = 3000;         // of equal elements
constexpr uint32_t kMostEditsInGaps = 1000;   // of those that are alike
constexpr uint64_t kMostSnakes = 400u << 20;  // comparisons in one table
constexpr uint32_t kFirm = 32;                // pairs in a row that are not doubted
constexpr uint64_t kMostCells = 16u << 20;    // of one table
constexpr int kMostDepth = 24;
constexpr double kAlike = 0.15;   // of what is paired and alike, the part that differs
constexpr double kUnalike = 0.6;  // the same of what is not
constexpr double kPoor = 0.02;    // a cost, as part of all, that is worth another try

using Keys = std::span<const uint64_t>;

/// Parts of two sequences.
struct Part {
  uint32_t a0 = 0;
  uint32_t a1 = 0;
  uint32_t b0 = 0;
  uint32_t b1 = 0;

  [[nodiscard]] bool is_empty() const { return a0 == a1 || b0 == b1; }
};

class Differ {
 public:
  Differ(Keys a, Keys b, uint32_t most_edits) : a_(a), b_(b), most_edits_(most_edits) {}

  void pair(Part part, SequencePairs& out, int depth = 0) {
    while (!part.is_empty() && a_[part.a0] == b_[part.b0]) out.emplace_back(part.a0++, part.b0++);
    uint32_t tail = 0;
    while (!part.is_empty() && a_[part.a1 - 1] == b_[part.b1 - 1]) {
      --part.a1;
      --part.b1;
      ++tail;
    }
    if (!part.is_empty() && !by_edits(part, out, depth == 0 ? most_edits_ : most_edits_ / 4) &&
        depth < kMostDepth)
      by_anchors(part, out, depth);
    for (uint32_t i = 0; i < tail; ++i) out.emplace_back(part.a1 + i, part.b1 + i);
  }

  /// Edits of the shortest script; nothing is paired. most_edits + 1: more.
  uint32_t distance() {
    Part part{0, static_cast<uint32_t>(a_.size()), 0, static_cast<uint32_t>(b_.size())};
    const int found = rounds(part, static_cast<int>(most_edits_));
    return found < 0 ? most_edits_ + 1 : static_cast<uint32_t>(found);
  }

 private:
  /// The furthest points by diagonal, round by round; the number of the last one, or -1.
  int rounds(const Part& part, int most) {
    const int n = static_cast<int>(part.a1 - part.a0);
    const int m = static_cast<int>(part.b1 - part.b0);
    most = std::min(n + m, most);
    if (std::abs(n - m) > most) return -1;
    furthest_.assign(static_cast<size_t>(2 * most) + 3, 0);
    history_.clear();
    uint64_t compared = 0;
    const int zero = most + 1;
    for (int edits = 0; edits <= most; ++edits) {
      for (int k = -edits; k <= edits; k += 2) {
        int* const here = furthest_.data() + zero + k;
        const int less = here[-1];
        const int more = here[1];
        int x = k == -edits || (k != edits && less < more) ? more : less + 1;
        if (edits == 0) x = 0;
        while (x < n && x - k >= 0 && x - k < m &&
               a_[part.a0 + static_cast<uint32_t>(x)] ==
                   b_[part.b0 + static_cast<uint32_t>(x - k)]) {
          ++x;
          ++compared;
        }
        *here = x;
        if (x >= n && x - k >= m) return edits;
      }
      // What the next round comes from.
      history_.insert(history_.end(), furthest_.begin() + (zero - edits),
                      furthest_.begin() + (zero + edits + 1));
      if (compared > kMostSnakes) return -1;
    }
    return -1;
  }

  bool by_edits(const Part& part, SequencePairs& out, uint32_t most) {
    const int edits = rounds(part, static_cast<int>(most));
    if (edits < 0) return false;
    int x = static_cast<int>(part.a1 - part.a0);
    int y = static_cast<int>(part.b1 - part.b0);
    const size_t first = out.size();
    const auto back_to = [&](int to_x, int to_y) {
      while (x > to_x && y > to_y)
        out.emplace_back(part.a0 + static_cast<uint32_t>(--x),
                         part.b0 + static_cast<uint32_t>(--y));
    };
    // Round e has the diagonals -e to e, behind those of e * e in front of it.
    for (int e = edits; e > 0; --e) {
      const int before = e - 1;
      const auto at = [&](int k) {
        return history_[static_cast<size_t>(before) * static_cast<size_t>(before) +
                        static_cast<size_t>(k + before)];
      };
      const int k = x - y;
      const bool from_above =
          k == -e || (k != e && (k - 1 < -before || (k + 1 <= before && at(k - 1) < at(k + 1))));
      const int from = from_above ? at(k + 1) : at(k - 1);
      const int from_y = from - (from_above ? k + 1 : k - 1);
      back_to(from_above ? from : from + 1, from_above ? from_y + 1 : from_y);
      x = from;
      y = from_y;
    }
    back_to(0, 0);
    std::reverse(out.begin() + static_cast<ptrdiff_t>(first), out.end());
    return true;
  }

  struct Seen {
    uint32_t in_a = 0;
    uint32_t in_b = 0;
    uint32_t a = 0;
    uint32_t b = 0;
  };

  /// Stretches of a length that occur once in each part, in the order of the first.
  SequencePairs unique(const Part& part, uint32_t length) {
    SequencePairs out;
    if (part.a1 - part.a0 < length || part.b1 - part.b0 < length) return out;
    boost::unordered_flat_map<uint64_t, Seen> seen;
    uint64_t power = 1;
    for (uint32_t i = 0; i < length; ++i) power *= kFactor;
    const auto roll = [&](Keys keys, uint32_t from, uint32_t to, const auto& take) {
      uint64_t hash = 0;
      for (uint32_t i = from; i < to; ++i) {
        hash = hash * kFactor + keys[i];
        if (i >= from + length) hash -= keys[i - length] * power;
        if (i + 1 >= from + length) take(hash, i + 1 - length);
      }
    };
    roll(a_, part.a0, part.a1, [&](uint64_t hash, uint32_t at) {
      Seen& one = seen[hash];
      ++one.in_a;
      one.a = at;
    });
    roll(b_, part.b0, part.b1, [&](uint64_t hash, uint32_t at) {
      const auto found = seen.find(hash);
      if (found == seen.end()) return;
      ++found->second.in_b;
      found->second.b = at;
    });
    for (const auto& [hash, one] : seen)
      if (one.in_a == 1 && one.in_b == 1 && a_[one.a] == b_[one.b]) out.emplace_back(one.a, one.b);
    std::ranges::sort(out);
    return out;
  }

  /// The longest part of pairs that ascends in both.
  static SequencePairs ascending(const SequencePairs& pairs) {
    std::vector<uint32_t> ends;  // of the best chain of each length: numbers of pairs
    std::vector<int64_t> before(pairs.size(), -1);
    for (uint32_t i = 0; i < pairs.size(); ++i) {
      const auto place = std::ranges::lower_bound(ends, pairs[i].second, {},
                                                  [&](uint32_t end) { return pairs[end].second; });
      if (place != ends.begin()) before[i] = *std::prev(place);
      if (place == ends.end())
        ends.push_back(i);
      else
        *place = i;
    }
    SequencePairs out;
    for (int64_t i = ends.empty() ? -1 : int64_t{ends.back()}; i >= 0;
         i = before[static_cast<size_t>(i)])
      out.push_back(pairs[static_cast<size_t>(i)]);
    std::ranges::reverse(out);
    return out;
  }

  void by_anchors(const Part& part, SequencePairs& out, int depth) {
    for (const uint32_t length : {32u, 12u, 4u, 1u}) {
      const SequencePairs anchors = ascending(unique(part, length));
      if (anchors.empty()) continue;
      Part rest = part;
      for (const auto& [a, b] : anchors) {
        if (a < rest.a0 || b < rest.b0) continue;
        pair({rest.a0, a, rest.b0, b}, out, depth + 1);
        rest.a0 = a;
        rest.b0 = b;
        while (!rest.is_empty() && a_[rest.a0] == b_[rest.b0])
          out.emplace_back(rest.a0++, rest.b0++);
      }
      return pair(rest, out, depth + 1);
    }
  }

  Keys a_;
  Keys b_;
  uint32_t most_edits_;
  std::vector<int> furthest_;
  std::vector<int> history_;
};

using Elements = std::span<const WeightedElement>;

double pair_cost(const WeightedElement& x, const WeightedElement& y) {
  if (x.full == y.full) return 0;
  const double less = std::min(x.weight, y.weight);
  const double more = std::max(x.weight, y.weight);
  return more - less + 1 + (x.shallow == y.shallow ? kAlike : kUnalike) * less;
}

double single_cost(const WeightedElement& x) { return x.weight + 1.0; }

class WeightedPairing {
 public:
  WeightedPairing(Elements a, Elements b, uint64_t& cells) : a_(a), b_(b), cells_(cells) {}

  SequencePairs run() {
    const auto keys = [](Elements elements, auto member) {
      std::vector<uint64_t> out(elements.size());
      std::ranges::transform(elements, out.begin(), [&](const auto& x) { return x.*member; });
      return out;
    };
    shallow_a_ = keys(a_, &WeightedElement::shallow);
    shallow_b_ = keys(b_, &WeightedElement::shallow);
    const SequencePairs best = polish(fill(pair_equal(
        keys(a_, &WeightedElement::full), keys(b_, &WeightedElement::full), kMostEdits)));
    double weight = 0;
    for (const WeightedElement& element : a_) weight += element.weight;
    const double cost = cost_of(a_, b_, best);
    if (cost <= kPoor * weight) return best;
    SequencePairs other = polish(fill(pair_equal(shallow_a_, shallow_b_, kMostEdits)));
    return cost_of(a_, b_, other) < cost ? other : best;
  }

 private:
  /// Pairs in the gaps as well.
  SequencePairs fill(const SequencePairs& firm) {
    SequencePairs out;
    Differ differ(shallow_a_, shallow_b_, kMostEditsInGaps);
    uint32_t a = 0;
    uint32_t b = 0;
    const auto in_order = [&](uint32_t to_a, uint32_t to_b) {
      while (a < to_a && b < to_b) out.emplace_back(a++, b++);
      a = to_a;
      b = to_b;
    };
    const auto gap = [&](uint32_t to_a, uint32_t to_b) {
      SequencePairs alike;
      if (a < to_a && b < to_b) differ.pair({a, to_a, b, to_b}, alike);
      for (const auto& [x, y] : alike) {
        in_order(x, y);
        out.emplace_back(a++, b++);
      }
      in_order(to_a, to_b);
    };
    for (const auto& [x, y] : firm) {
      gap(x, y);
      out.emplace_back(a++, b++);
    }
    gap(static_cast<uint32_t>(a_.size()), static_cast<uint32_t>(b_.size()));
    return out;
  }

  [[nodiscard]] bool is_good(const std::pair<uint32_t, uint32_t>& pair) const {
    const WeightedElement& x = a_[pair.first];
    const WeightedElement& y = b_[pair.second];
    return x.full == y.full || x.shallow == y.shallow;
  }

  /// Computes what is between firm runs anew.
  SequencePairs polish(const SequencePairs& in) {
    SequencePairs out;
    Part rest{0, static_cast<uint32_t>(a_.size()), 0, static_cast<uint32_t>(b_.size())};
    size_t from = 0;  // the first pair behind the last firm run
    const auto window = [&](size_t to, uint32_t a1, uint32_t b1) {
      cheapest({rest.a0, a1, rest.b0, b1}, std::span(in).subspan(from, to - from), out);
    };
    for (size_t i = 0; i < in.size();) {
      size_t end = i;
      while (end < in.size() && is_good(in[end]) &&
             (end == i ||
              (in[end].first == in[end - 1].first + 1 && in[end].second == in[end - 1].second + 1)))
        ++end;
      if (end - i >= kFirm) {
        window(i, in[i].first, in[i].second);
        out.insert(out.end(), in.begin() + static_cast<ptrdiff_t>(i),
                   in.begin() + static_cast<ptrdiff_t>(end));
        rest.a0 = in[end - 1].first + 1;
        rest.b0 = in[end - 1].second + 1;
        from = end;
      }
      i = std::max(end, i + 1);
    }
    window(in.size(), rest.a1, rest.b1);
    return out;
  }

  void cheapest(const Part& part, std::span<const std::pair<uint32_t, uint32_t>> known,
                SequencePairs& out) {
    const uint64_t n = part.a1 - part.a0;
    const uint64_t m = part.b1 - part.b0;
    const uint64_t size = (n + 1) * (m + 1);
    const bool is_exact = n == m && known.size() == n && std::ranges::all_of(known, [&](auto pair) {
                            return a_[pair.first].full == b_[pair.second].full;
                          });
    if (is_exact || part.is_empty() || size > std::min(kMostCells, cells_)) {
      out.insert(out.end(), known.begin(), known.end());
      return;
    }
    cells_ -= size;
    tabulate(part, out);
  }

  void tabulate(const Part& part, SequencePairs& out) {
    enum Way : uint8_t { kBoth, kOnlyA, kOnlyB };
    const size_t n = part.a1 - part.a0;
    const size_t m = part.b1 - part.b0;
    ways_.assign((n + 1) * (m + 1), kBoth);
    std::vector<double> above(m + 1);
    std::vector<double> row(m + 1);
    for (size_t j = 1; j <= m; ++j) {
      above[j] = above[j - 1] + single_cost(b_[part.b0 + j - 1]);
      ways_[j] = kOnlyB;
    }
    for (size_t i = 1; i <= n; ++i) {
      const WeightedElement& x = a_[part.a0 + i - 1];
      row[0] = above[0] + single_cost(x);
      uint8_t* const ways = ways_.data() + i * (m + 1);
      ways[0] = kOnlyA;
      for (size_t j = 1; j <= m; ++j) {
        const WeightedElement& y = b_[part.b0 + j - 1];
        double best = above[j - 1] + pair_cost(x, y);
        if (const double cost = above[j] + single_cost(x); cost < best) {
          best = cost;
          ways[j] = kOnlyA;
        }
        if (const double cost = row[j - 1] + single_cost(y); cost < best) {
          best = cost;
          ways[j] = kOnlyB;
        }
        row[j] = best;
      }
      std::swap(above, row);
    }
    const size_t first = out.size();
    for (size_t i = n, j = m; i > 0 || j > 0;) {
      const uint8_t way = ways_[i * (m + 1) + j];
      if (way != kOnlyB) --i;
      if (way != kOnlyA) --j;
      if (way == kBoth)
        out.emplace_back(part.a0 + static_cast<uint32_t>(i), part.b0 + static_cast<uint32_t>(j));
    }
    std::reverse(out.begin() + static_cast<ptrdiff_t>(first), out.end());
  }

  Elements a_;
  Elements b_;
  uint64_t& cells_;
  std::vector<uint64_t> shallow_a_;
  std::vector<uint64_t> shallow_b_;
  std::vector<uint8_t> ways_;
};

/// An order that does not depend on which sequence is the first.
bool is_behind(Elements a, Elements b) {
  if (a.size() != b.size()) return a.size() > b.size();
  const auto [x, y] =
      std::ranges::mismatch(a, b, {}, &WeightedElement::weight, &WeightedElement::weight);
  return x != a.end() && x->weight > y->weight;
}

}  // namespace

SequencePairs pair_equal(std::span<const uint64_t> a, std::span<const uint64_t> b,
                         uint32_t most_edits) {
  SequencePairs out;
  Differ(a, b, most_edits)
      .pair({0, static_cast<uint32_t>(a.size()), 0, static_cast<uint32_t>(b.size())}, out);
  return out;
}

uint32_t edit_distance(std::span<const uint64_t> a, std::span<const uint64_t> b,
                       uint32_t most_edits) {
  return Differ(a, b, most_edits).distance();
}

double cost_of(std::span<const WeightedElement> a, std::span<const WeightedElement> b,
               const SequencePairs& pairs) {
  double out = 0;
  size_t x = 0;
  size_t y = 0;
  const auto leave = [&](size_t to_x, size_t to_y) {
    while (x < to_x) out += single_cost(a[x++]);
    while (y < to_y) out += single_cost(b[y++]);
  };
  for (const auto& [i, j] : pairs) {
    leave(i, j);
    out += pair_cost(a[x++], b[y++]);
  }
  leave(a.size(), b.size());
  return out;
}

SequencePairs pair_weighted(std::span<const WeightedElement> a, std::span<const WeightedElement> b,
                            uint64_t& cells) {
  if (!is_behind(a, b)) return WeightedPairing(a, b, cells).run();
  SequencePairs out = WeightedPairing(b, a, cells).run();
  for (auto& [x, y] : out) std::swap(x, y);
  return out;
}

}  // namespace twinrun
