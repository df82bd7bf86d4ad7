// SPDX-License-Identifier: MIT
// Pairs the iterations of loops in two runs by what they do, not by their number.
//
// A run with one record more goes once more round its loops. Pairing by number, as the execution
// index of differential slicing does (section III-A), then compares every later record with its
// neighbour. Here each iteration is reduced to hashes of what it executed (calls/loop_instances.h),
// and the two sequences are paired like the lines of two files (pair_sequences.h).
//
// Loops are matched from the outside in: within iterations that are paired, and are not equal, the
// loops that are reached the same way correspond in order. A pairing is used where it leaves over
// less than numbers do. It becomes marks: paired iterations get the same number, and numbers that
// only the other run has are left out.
//
// Right because numbers still increase strictly: indices stay unique, ordered and nested, whatever
// is paired, so that a bad pairing can only align less; the caller measures that.
//
// Values. Where neighbours look alike, control flow does not tell which of them is the one that the
// other run has not: the gap could be anywhere in a window of them. There the values of loads and
// stores are looked at. A place in the code whose values are nearly the same sequence in both runs,
// but not by number, has read what belongs to the records; counters, addresses and sums have not.
// Of such places those count that agree about where the gap is.
//
// Example: A goes round for records x y z, B for x q y z: B's second iteration stands alone, and A
// has a mark at its second: it gets number 3. If all four look alike, numbers leave B's last one
// over; but what x y z read tells.
#include "align/pair_loops.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace twinrun {
namespace {

constexpr double kLeastGain = 200;                // blocks that a pairing must save
constexpr uint32_t kLeastToLookInto = 128;        // blocks of an iteration
constexpr uint64_t kMostCellsOfAll = 192u << 20;  // of all tables
constexpr uint64_t kLeastWindow = 192;            // blocks in which a gap can be anywhere
constexpr uint32_t kLeastSlide = 2;               // iterations of that
constexpr double kMostLoss = 0.02;        // control flow that values may cost, of an instance
constexpr uint32_t kMostValueEdits = 64;  // of values that tell records apart

uint64_t mix_bits(uint64_t value) {
  value = (value ^ value >> 32) * 0xd6e8feb86659fd93;
  value = (value ^ value >> 32) * 0xd6e8feb86659fd93;
  return value ^ value >> 32;
}

/// The instances of a thread by the iteration that they are in.
class Children {
 public:
  explicit Children(const ThreadLoops& loops) : loops_(loops), order_(loops.instances.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    std::ranges::sort(order_, {}, [&](uint32_t i) {
      const LoopInstance& x = loops.instances[i];
      return std::tuple(x.parent, x.parent_number, x.begin, i);
    });
  }
  [[nodiscard]] std::span<const uint32_t> of(uint32_t parent, uint32_t number) const {
    const auto [first, last] =
        std::ranges::equal_range(order_, std::pair(parent, number), {}, [&](uint32_t i) {
          return std::pair(loops_.instances[i].parent, loops_.instances[i].parent_number);
        });
    return {first, last};
  }

 private:
  const ThreadLoops& loops_;
  std::vector<uint32_t> order_;
};

std::vector<WeightedElement> elements_of(const LoopInstance& loop) {
  std::vector<WeightedElement> out(loop.iterations.size());
  for (uint32_t i = 0; i < out.size(); ++i)
    out[i] = {loop.iterations[i].full, loop.iterations[i].shallow, loop.length(i)};
  return out;
}

SequencePairs by_number(size_t n, size_t m) {
  SequencePairs out(std::min(n, m));
  for (uint32_t i = 0; i < out.size(); ++i) out[i] = {i, i};
  return out;
}

/// Iterations in which gaps can be anywhere, as far as control flow shows.
struct Window {
  uint32_t a0 = 0;
  uint32_t a1 = 0;
  uint32_t b0 = 0;
  uint32_t b1 = 0;
};

class LoopPairer {
 public:
  LoopPairer(const ThreadLoops& a, const ThreadLoops& b, const AskValues& ask)
      : a_(a), b_(b), ask_(ask), in_a_(a), in_b_(b) {}

  Result<LoopPairing> run() {
    todo_.push_back({LoopInstance::kNone, 0, LoopInstance::kNone, 0});
    while (!todo_.empty()) {
      const Within within = todo_.back();
      todo_.pop_back();
      TRY_VOID(match(within));
    }
    for (auto& marks : out_.marks) std::ranges::stable_sort(marks, {}, &IterationMark::block);
    return std::move(out_);
  }

 private:
  /// Iterations that are paired: of instances, or all of the threads.
  struct Within {
    uint32_t a = 0;
    uint32_t number_a = 0;
    uint32_t b = 0;
    uint32_t number_b = 0;
  };

  /// Loops that are reached the same way correspond in order.
  Result<void> match(const Within& within) {
    const auto in_a = in_a_.of(within.a, within.number_a);
    const auto in_b = in_b_.of(within.b, within.number_b);
    if (in_a.empty() || in_b.empty()) return {};
    boost::unordered_flat_map<uint64_t, std::vector<uint32_t>> of_b;
    for (const uint32_t i : in_b) of_b[b_.instances[i].key].push_back(i);
    boost::unordered_flat_map<uint64_t, size_t> taken;
    for (const uint32_t i : in_a) {
      const auto found = of_b.find(a_.instances[i].key);
      if (found == of_b.end()) continue;
      size_t& next = taken[found->first];
      if (next == found->second.size()) continue;
      TRY_VOID(pair(i, found->second[next++]));
    }
    return {};
  }

  Result<void> pair(uint32_t number_a, uint32_t number_b) {
    const LoopInstance& a = a_.instances[number_a];
    const LoopInstance& b = b_.instances[number_b];
    if (a.first != b.first ||
        std::ranges::equal(a.iterations, b.iterations, {}, &Iteration::full, &Iteration::full))
      return {};
    const std::vector<WeightedElement> of_a = elements_of(a);
    const std::vector<WeightedElement> of_b = elements_of(b);
    SequencePairs pairs = by_number(of_a.size(), of_b.size());
    const double numbered = cost_of(of_a, of_b, pairs);
    bool is_used = false;
    bool is_moved = false;
    if (numbered > kLeastGain || ask_) {
      SequencePairs found = pair_weighted(of_a, of_b, cells_);
      is_used = cost_of(of_a, of_b, found) + kLeastGain < numbered;
      // Also one that saves little: the gap may be elsewhere.
      TRY(is_moved, place_by_values(a, of_a, b, of_b, found));
      if (is_used || is_moved) pairs = std::move(found);
    }
    if (is_used || is_moved) mark(a, b, pairs);
    out_.is_by_values |= is_moved;
    for (const auto& [i, j] : pairs)
      if (of_a[i].full != of_b[j].full &&
          std::min(of_a[i].weight, of_b[j].weight) >= kLeastToLookInto)
        todo_.push_back({number_a, i, number_b, j});
    return {};
  }

  void mark(const LoopInstance& a, const LoopInstance& b, const SequencePairs& pairs) {
    uint64_t number = 0;
    const auto give = [&](RunSide side, const ThreadLoops& thread, const LoopInstance& loop,
                          uint32_t iteration, uint64_t& last) {
      if (number != last + 1)
        out_.marks[static_cast<size_t>(side)].push_back(
            {thread.block_in_process(loop.begin + loop.iterations[iteration].start), loop.site,
             number - last - 1});
      last = number;
    };
    uint64_t last_a = 0;
    uint64_t last_b = 0;
    uint32_t i = 0;
    uint32_t j = 0;
    const auto alone = [&](size_t to_i, size_t to_j) {
      for (; i < to_i; ++i) ++number, give(RunSide::kA, a_, a, i, last_a);
      for (; j < to_j; ++j) ++number, give(RunSide::kB, b_, b, j, last_b);
    };
    for (const auto& [x, y] : pairs) {
      alone(x, y);
      ++number;
      give(RunSide::kA, a_, a, i++, last_a);
      give(RunSide::kB, b_, b, j++, last_b);
    }
    alone(a.iterations.size(), b.iterations.size());
  }

  /// Where the gaps of a pairing could be elsewhere: to where values say. Whether that changed it.
  Result<bool> place_by_values(const LoopInstance& a, std::span<const WeightedElement> of_a,
                               const LoopInstance& b, std::span<const WeightedElement> of_b,
                               SequencePairs& pairs) {
    if (!ask_) return false;
    bool is_moved = false;
    for (const Window& window : windows(of_a, of_b, pairs)) {
      if (a.iterations[window.a0].start + kLeastWindow > end_of(a, window.a1)) continue;
      TRY(const SlotValues values_a, ask_(RunSide::kA, a, window.a0, window.a1));
      if (values_a.empty()) continue;
      TRY(const SlotValues values_b, ask_(RunSide::kB, b, window.b0, window.b1));
      if (values_b.empty()) continue;
      const ValueKeys keys =
          value_keys(values_a, window.a1 - window.a0, values_b, window.b1 - window.b0);
      if (!keys.a.empty()) is_moved |= place(window, keys, of_a, of_b, pairs);
    }
    return is_moved;
  }

  static uint64_t end_of(const LoopInstance& loop, uint32_t iteration) {
    return iteration < loop.iterations.size() ? loop.iterations[iteration].start : loop.blocks();
  }

  bool place(const Window& window, const ValueKeys& keys, std::span<const WeightedElement> of_a,
             std::span<const WeightedElement> of_b, SequencePairs& pairs) {
    const auto valued = [](std::span<const WeightedElement> elements, uint32_t from,
                           const std::vector<uint64_t>& of) {
      std::vector<WeightedElement> out(of.size());
      for (size_t i = 0; i < of.size(); ++i) {
        out[i] = elements[from + i];
        out[i].full = mix_bits(out[i].shallow ^ of[i]);
      }
      return out;
    };
    const std::vector<WeightedElement> a = valued(of_a, window.a0, keys.a);
    const std::vector<WeightedElement> b = valued(of_b, window.b0, keys.b);
    const auto first =
        std::ranges::lower_bound(pairs, window.a0, {}, [](const auto& pair) { return pair.first; });
    const auto last = std::ranges::lower_bound(first, pairs.end(), window.a1, {},
                                               [](const auto& pair) { return pair.first; });
    SequencePairs now(first, last);
    for (auto& [x, y] : now) {
      x -= window.a0;
      y -= window.b0;
    }
    SequencePairs better = pair_weighted(a, b, cells_);
    const auto agreeing = [&](const SequencePairs& of) {
      return std::ranges::count_if(
          of, [&](const auto& pair) { return a[pair.first].full == b[pair.second].full; });
    };
    if (agreeing(better) < agreeing(now) + kLeastSlide) return false;
    const auto inside_a = of_a.subspan(window.a0, a.size());
    const auto inside_b = of_b.subspan(window.b0, b.size());
    double blocks = 0;
    for (const WeightedElement& element : of_a) blocks += element.weight;
    if (cost_of(inside_a, inside_b, better) > cost_of(inside_a, inside_b, now) + kMostLoss * blocks)
      return false;
    for (auto& [x, y] : better) {
      x += window.a0;
      y += window.b0;
    }
    const auto at = pairs.erase(first, last);
    pairs.insert(at, better.begin(), better.end());
    return true;
  }

  /// A gap can slide over pairs that are alike as long as what it would leave is like what it would
  /// take.
  static std::vector<Window> windows(std::span<const WeightedElement> a,
                                     std::span<const WeightedElement> b,
                                     const SequencePairs& pairs) {
    std::vector<Window> out;
    const auto alike = [](const WeightedElement& x, const WeightedElement& y) {
      return x.shallow == y.shallow;
    };
    // In front of pair `p`, [from, to) of the longer side stand alone.
    const auto slide = [&](size_t p, bool is_a, uint32_t from, uint32_t to) {
      const std::span<const WeightedElement> own = is_a ? a : b;
      const auto of = [&](const auto& pair) { return is_a ? pair.first : pair.second; };
      const uint32_t gap = to - from;
      size_t left = p;
      uint32_t low = from;
      while (left > 0 && of(pairs[left - 1]) + 1 == low &&
             (left == p || is_next(pairs[left - 1], pairs[left])) &&
             alike(a[pairs[left - 1].first], b[pairs[left - 1].second]) &&
             alike(own[low - 1], own[low - 1 + gap])) {
        --left;
        --low;
      }
      size_t right = p;
      uint32_t high = to;
      while (right < pairs.size() && of(pairs[right]) == high &&
             (right == p || is_next(pairs[right - 1], pairs[right])) &&
             alike(a[pairs[right].first], b[pairs[right].second]) &&
             alike(own[high], own[high - gap])) {
        ++right;
        ++high;
      }
      if (right - left < kLeastSlide) return;
      Window window;
      const auto [a0, b0] = pairs[left];
      window.a0 = is_a ? low : a0;
      window.b0 = is_a ? b0 : low;
      const auto count = static_cast<uint32_t>(right - left);
      window.a1 = window.a0 + count + (is_a ? gap : 0);
      window.b1 = window.b0 + count + (is_a ? 0 : gap);
      if (!out.empty() && window.a0 <= out.back().a1 && window.b0 <= out.back().b1) {
        out.back().a0 = std::min(out.back().a0, window.a0);
        out.back().b0 = std::min(out.back().b0, window.b0);
        out.back().a1 = std::max(out.back().a1, window.a1);
        out.back().b1 = std::max(out.back().b1, window.b1);
      } else {
        out.push_back(window);
      }
    };
    uint32_t i = 0;
    uint32_t j = 0;
    for (size_t p = 0; p <= pairs.size(); ++p) {
      const uint32_t to_i = p < pairs.size() ? pairs[p].first : static_cast<uint32_t>(a.size());
      const uint32_t to_j = p < pairs.size() ? pairs[p].second : static_cast<uint32_t>(b.size());
      if (i < to_i && j == to_j) slide(p, true, i, to_i);
      if (i == to_i && j < to_j) slide(p, false, j, to_j);
      i = to_i + 1;
      j = to_j + 1;
    }
    return out;
  }

  static bool is_next(const std::pair<uint32_t, uint32_t>& x,
                      const std::pair<uint32_t, uint32_t>& y) {
    return x.first + 1 == y.first && x.second + 1 == y.second;
  }

  const ThreadLoops& a_;
  const ThreadLoops& b_;
  const AskValues& ask_;
  Children in_a_;
  Children in_b_;
  std::vector<Within> todo_;
  uint64_t cells_ = kMostCellsOfAll;
  LoopPairing out_;
};

/// A place whose values could tell records apart.
struct Witness {
  uint64_t slot = 0;
  // With one gap only: the iterations of the longer run at which it can begin.
  std::optional<std::pair<uint32_t, uint32_t>> gap;
};

std::optional<Witness> witness(uint64_t slot, const std::vector<SlotValue>& of_a,
                               const std::vector<SlotValue>& of_b) {
  const std::vector<SlotValue>& shorter = of_a.size() < of_b.size() ? of_a : of_b;
  const std::vector<SlotValue>& longer = of_a.size() < of_b.size() ? of_b : of_a;
  if (shorter.size() == longer.size() || shorter.size() < 2) return std::nullopt;
  const auto is_same = [](const SlotValue& x, const SlotValue& y) { return x.hash == y.hash; };
  const auto prefix =
      static_cast<size_t>(std::ranges::mismatch(shorter, longer, is_same).in1 - shorter.begin());
  if (prefix == shorter.size()) return std::nullopt;  // by number
  const auto suffix = static_cast<size_t>(
      std::mismatch(shorter.rbegin(), shorter.rend(), longer.rbegin(), is_same).first -
      shorter.rbegin());
  if (prefix + suffix >= shorter.size())
    return Witness{slot,
                   std::pair(longer[shorter.size() - suffix].iteration, longer[prefix].iteration)};
  std::vector<uint64_t> a;
  std::vector<uint64_t> b;
  a.reserve(shorter.size());
  b.reserve(longer.size());
  for (const SlotValue& value : shorter) a.push_back(value.hash);
  for (const SlotValue& value : longer) b.push_back(value.hash);
  const auto extra = static_cast<uint32_t>(longer.size() - shorter.size());
  const auto most = static_cast<uint32_t>(
      std::min<size_t>(extra + kMostValueEdits, extra + 4 + shorter.size() / 8));
  uint64_t numbered = extra;
  for (size_t i = 0; i < a.size(); ++i) numbered += a[i] != b[i] ? 2 : 0;
  const uint32_t edits = edit_distance(a, b, most);
  if (edits > most || edits * 2 >= numbered) return std::nullopt;
  return Witness{slot, std::nullopt};
}

/// Those that agree about where the gap is: as many as possible.
std::vector<uint64_t> agreeing(const std::vector<Witness>& witnesses) {
  std::vector<std::pair<uint32_t, int>> ends;  // of the places that each leaves open
  for (const Witness& one : witnesses) {
    if (!one.gap) continue;
    ends.emplace_back(one.gap->first, -1);
    ends.emplace_back(one.gap->second, 1);
  }
  std::ranges::sort(ends);
  int open = 0;
  int most = 0;
  uint32_t best = 0;
  for (const auto& [at, kind] : ends) {
    open -= kind;
    if (open <= most) continue;
    most = open;
    best = at;
  }
  std::vector<uint64_t> out;
  for (const Witness& one : witnesses)
    if (most == 0 || (one.gap && one.gap->first <= best && best <= one.gap->second))
      out.push_back(one.slot);
  return out;
}

}  // namespace

ValueKeys value_keys(const SlotValues& a, uint32_t n, const SlotValues& b, uint32_t m) {
  std::vector<Witness> witnesses;
  for (const auto& [slot, values] : a) {
    const auto other = b.find(slot);
    if (other == b.end()) continue;
    if (auto found = witness(slot, values, other->second)) witnesses.push_back(*found);
  }
  if (witnesses.empty()) return {};
  std::ranges::sort(witnesses, {}, &Witness::slot);
  ValueKeys out{std::vector<uint64_t>(n), std::vector<uint64_t>(m)};
  for (const uint64_t slot : agreeing(witnesses)) {
    for (const SlotValue& value : a.at(slot))
      out.a[value.iteration] += mix_bits(slot + mix_bits(value.hash));
    for (const SlotValue& value : b.at(slot))
      out.b[value.iteration] += mix_bits(slot + mix_bits(value.hash));
  }
  return out;
}

Result<LoopPairing> pair_loops(const ThreadLoops& a, const ThreadLoops& b, const AskValues& ask) {
  return LoopPairer(a, b, ask).run();
}

}  // namespace twinrun
