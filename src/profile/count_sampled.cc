// SPDX-License-Identifier: MIT
// From branches, executed ranges or samples to blocks and edges.
//
// A branch is an edge, a call, or a return, by the instruction that it comes from; a range walks
// over the blocks from its first instruction to its last one and counts the edges between them. A
// block then was executed as often as it was entered or left, whichever is more. Profiles that know
// nothing of returns do not tell how often the block behind a call was executed: as often as the
// call, unless what leaves it says more. With samples only, a block has the count of its most
// sampled instruction, and edges are unknown. A range that no branch leads to counts only where
// nothing else does.
#include "profile/code_counter.h"

#include <algorithm>

namespace twinrun {
namespace {

using Branch = AddressProfile::Branch;
using Range = AddressProfile::Range;

class SampledCounter : public CodeCounter {
 public:
  using CodeCounter::CodeCounter;

  CountedCode run() {
    if (profile_.branches.empty() && profile_.ranges.empty()) {
      for (const AddressProfile::Hits& hit : profile_.hits) sample(hit);
      for (auto& [number, counts] : functions_)
        for (Count& count : counts.blocks) count = measured(count.value);
      return finish();
    }
    for (const Branch& b : profile_.branches) branch(b);
    for (const Range& r : profile_.ranges) range(r);
    for (auto& [number, counts] : functions_) settle(number, counts);
    return finish();
  }

 private:
  static constexpr uint64_t kElsewhere = AddressProfile::kElsewhere;

  void sample(const AddressProfile::Hits& hit) {
    weigh(hit.count);
    const auto spot = index_.find(hit.address);
    if (!spot && is_in_stub(hit.address)) return;
    if (!spot) return misfit(hit.count);
    FunctionCounts& counts = function(spot->function);
    uint64_t& value = counts.blocks[spot->block].value;
    value = std::max(value, hit.count);
  }

  // Adds to the first edge between the blocks; false when there is none.
  bool add_edge(uint32_t f, uint32_t from, uint32_t to, uint64_t count) {
    const Cfg& cfg = index_.cfg(f);
    for (const CfgEdge& edge : edges_from(cfg, from)) {
      if (edge.to != to || edge.kind == EdgeKind::kException) continue;
      uint64_t& value = function(f).edges[static_cast<size_t>(&edge - cfg.edges.data())].value;
      value = add_counts(value, count);
      return true;
    }
    return false;
  }

  void enter(uint64_t address, uint64_t count) {
    const auto spot = index_.starting_at(address);
    if (!spot || spot->block != index_.cfg(spot->function).entry) return;
    uint64_t& value = function(spot->function).entries.value;
    value = add_counts(value, count);
  }

  void branch(const Branch& b) {
    weigh(b.count);
    if (b.from == kElsewhere || is_in_stub(b.from)) return arrive(b);
    const auto from = index_.find(b.from);
    if (!from) return misfit(b.count);
    const CodeBlock& block = index_.block(*from);
    const Instruction last = index_.last(*from);
    if (b.from != block.last || last.address != b.from) {
      // Interrupts lead out of the binary from anywhere, and a rep prefix to the instruction
      // itself.
      if (b.to != kElsewhere && b.to != b.from) misfit(b.count);
      return;
    }
    function(from->function);
    if (b.to == kElsewhere) return;
    const auto to = index_.find(b.to);
    if (!to && !is_function(b.to)) return misfit(b.count);
    switch (last.flow) {
      case Flow::kCall:
      case Flow::kIndirectCall:
        if (b.to != last.end() || b.to == last.target) return call(b, last);
        break;
      case Flow::kReturn: return arrive(b);
      case Flow::kJump:
      case Flow::kConditionalJump:
        if (b.to != last.target && (b.to != last.end() || last.flow == Flow::kJump))
          return misfit(b.count);
        break;
      case Flow::kIndirectJump: break;
      case Flow::kNone:
      case Flow::kTrap:
      case Flow::kSyscall:
        if (b.to == b.from && last.repeats) return;
        if (b.to != last.end()) return misfit(b.count);
        break;
    }
    if (to && to->function == from->function && index_.block(*to).start == b.to &&
        add_edge(from->function, from->block, to->block, b.count))
      return;
    if (is_function(b.to))
      add_call(b.from, b.to, b.count), enter(b.to, b.count);
    else
      unplaced(b.count);
  }

  void call(const Branch& b, const Instruction& last) {
    if (last.flow == Flow::kCall && b.to != last.target) return misfit(b.count);
    if (!is_function(b.to)) return unplaced(b.count);
    add_call(b.from, b.to, b.count);
    enter(b.to, b.count);
  }

  // From another object, or by a return: to the entry of a function, behind a call, or, when an
  // interrupt is over, anywhere.
  void arrive(const Branch& b) {
    if (b.to == kElsewhere) return;
    const auto to = index_.find(b.to);
    if (!to && is_in_stub(b.to)) return;
    if (!to) return misfit(b.count);
    function(to->function);
    if (index_.block(*to).start != b.to) return;
    if (const auto before = index_.ending_at(to->function, b.to))
      if (index_.last({to->function, *before}).is_call() &&
          add_edge(to->function, *before, to->block, b.count))
        return;
    enter(b.to, b.count);
  }

  void range(const Range& r) {
    weigh(r.count);
    if (is_in_stub(r.first)) return;
    const auto first = index_.find(r.first);
    const auto last = index_.find(r.last);
    if (!first || !last || r.first > r.last || first->function != last->function)
      return misfit(r.count);
    const uint32_t f = first->function;
    const Cfg& cfg = index_.cfg(f);
    std::vector<uint64_t>& seen = in_ranges_[f];
    seen.resize(cfg.blocks.size());
    std::vector<uint32_t> walk{first->block};
    while (walk.back() != last->block) {
      const auto next = cfg.block_at(cfg.blocks[walk.back()].end);
      if (!next || !runs_into(cfg, walk.back(), *next)) return misfit(r.count);
      walk.push_back(*next);
    }
    function(f);
    for (size_t i = 0; i < walk.size(); ++i) {
      seen[walk[i]] = add_counts(seen[walk[i]], r.count);
      if (i > 0) add_edge(f, walk[i - 1], walk[i], r.count);
    }
  }

  static bool runs_into(const Cfg& cfg, uint32_t from, uint32_t to) {
    return std::ranges::any_of(edges_from(cfg, from), [&](const CfgEdge& e) {
      return e.to == to && (e.kind == EdgeKind::kFallThrough || e.kind == EdgeKind::kCallReturn);
    });
  }

  struct Flows {
    std::vector<uint64_t> in;
    std::vector<uint64_t> out;
    std::vector<size_t> behind;  // the unmeasured edge behind a call that ends the block, plus one
  };

  static Flows flows(const Cfg& cfg, const FunctionCounts& counts) {
    Flows out;
    out.in.resize(cfg.blocks.size());
    out.out.resize(cfg.blocks.size());
    out.behind.resize(cfg.blocks.size());
    out.in[cfg.entry] = counts.entries.value;
    for (size_t e = 0; e < cfg.edges.size(); ++e) {
      const CfgEdge& edge = cfg.edges[e];
      const uint64_t value = counts.edges[e].value;
      out.in[edge.to] = add_counts(out.in[edge.to], value);
      out.out[edge.from] = add_counts(out.out[edge.from], value);
      if (edge.kind == EdgeKind::kCallReturn && value == 0) out.behind[edge.from] = e + 1;
    }
    return out;
  }

  void settle(uint32_t number, FunctionCounts& counts) {
    const Cfg& cfg = index_.cfg(number);
    for (size_t e = 0; e < cfg.edges.size(); ++e)
      if (cfg.edges[e].kind != EdgeKind::kException)
        counts.edges[e] = measured(counts.edges[e].value);
    Flows flow = flows(cfg, counts);
    const auto ranges = in_ranges_.find(number);
    for (uint32_t b = 0; b < cfg.blocks.size(); ++b) {
      uint64_t value = std::max(flow.in[b], flow.out[b]);
      if (value == 0 && ranges != in_ranges_.end()) value = ranges->second[b];
      counts.blocks[b] = measured(value);
    }
    follow_calls(cfg, counts, flow);
    counts.entries = measured(counts.entries.value);
    const uint64_t entered = flow.in[cfg.entry];
    if (counts.blocks[cfg.entry].value > entered && counts.entries.value == 0)
      counts.entries = inferred(counts.blocks[cfg.entry].value - entered);
  }

  // Along the calls whose return was not counted: first forward, what comes to a call comes back;
  // then backward, what leaves the block behind a call came to it.
  static void follow_calls(const Cfg& cfg, FunctionCounts& counts, Flows& flow) {
    const auto blocks = static_cast<uint32_t>(cfg.blocks.size());
    const auto raise = [&](uint32_t block, uint64_t value) {
      if (value > counts.blocks[block].value) counts.blocks[block] = inferred(value);
    };
    for (uint32_t b = 0; b < blocks; ++b) {
      if (flow.behind[b] == 0 || counts.blocks[b].value == 0) continue;
      const size_t e = flow.behind[b] - 1;
      const uint32_t to = cfg.edges[e].to;
      counts.edges[e] = inferred(counts.blocks[b].value);
      flow.in[to] = add_counts(flow.in[to], counts.blocks[b].value);
      raise(to, flow.in[to]);
    }
    for (uint32_t b = blocks; b-- > 0;) {
      if (flow.behind[b] == 0) continue;
      const size_t e = flow.behind[b] - 1;
      const uint32_t to = cfg.edges[e].to;
      const uint64_t others = minus(flow.in[to], counts.edges[e].value);
      const uint64_t needed = minus(counts.blocks[to].value, others);
      if (needed <= counts.edges[e].value) continue;
      counts.edges[e] = inferred(needed);
      flow.in[to] = add_counts(others, needed);
      raise(b, needed);
    }
  }

  std::map<uint32_t, std::vector<uint64_t>> in_ranges_;
};

}  // namespace

CountedCode count_sampled(const ModuleCode& binary, const AddressProfile& profile) {
  return SampledCounter(binary, profile).run();
}

}  // namespace twinrun
