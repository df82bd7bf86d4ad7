// SPDX-License-Identifier: MIT
// From executions of every instruction, and branches that were taken, to blocks and edges.
//
// A block was executed as often as its first instruction, and left as often as its last one; the
// two differ where a signal, an exception or the end of the program came between. Of the edges,
//   a jump's        has the count of its last instruction,
//   a taken one     that of its branch, and a jump not taken what is left of its executions,
//   one behind a call what the block there was entered more often than by jumps: calls can come
//   back
//                   less often than they are made (exit, exceptions), or more often (setjmp),
//   an exception's  what is left then: if several calls lead to one landing pad, those that came
//   back
//                   less often than they were made get it, in their order.
// What the entry block was entered more often than from inside are the entries of the function. So
// the counts that enter a block, and those that leave it, add up to its own wherever the program
// does.
//
// Counts of a string instruction with a rep prefix are those of its turns, and its branches to
// itself are no edges: another instruction of the block tells how often the block was executed.
#include "profile/code_counter.h"

#include <algorithm>
#include <set>

namespace twinrun {
namespace {

using Branch = AddressProfile::Branch;

class CompleteCounter : public CodeCounter {
 public:
  using CodeCounter::CodeCounter;

  CountedCode run() {
    std::set<uint32_t> executed;
    for (const AddressProfile::Hits& hit : profile_.hits) {
      weigh(hit.count);
      if (const auto spot = index_.find(hit.address))
        executed.insert(spot->function);
      else if (!is_in_stub(hit.address))
        misfit(hit.count);
    }
    for (const Branch& branch : profile_.branches) check(branch);
    for (const uint32_t f : executed) count(f);
    return finish();
  }

 private:
  void check(const Branch& branch) {
    if (branch.from == AddressProfile::kElsewhere || is_in_stub(branch.from)) return;
    weigh(branch.count);
    const auto spot = index_.find(branch.from);
    if (!spot) return misfit(branch.count);
    const auto& all = index_.instructions(*spot);
    const auto at = std::ranges::lower_bound(all, branch.from, {}, &Instruction::address);
    const bool goes_on = branch.to == at->end() || branch.to == AddressProfile::kElsewhere;
    if (at->flow == Flow::kNone && !at->repeats && !goes_on) return misfit(branch.count);
  }

  [[nodiscard]] std::span<const Branch> branches_from(uint64_t from) const {
    const auto begin = std::ranges::lower_bound(profile_.branches, from, {}, &Branch::from);
    return {begin,
            std::ranges::upper_bound(begin, profile_.branches.end(), from, {}, &Branch::from)};
  }

  [[nodiscard]] uint64_t taken(uint64_t from, uint64_t to) const {
    for (const Branch& branch : branches_from(from))
      if (branch.to == to) return branch.count;
    return 0;
  }

  [[nodiscard]] uint64_t executions(const Instruction& instruction) const {
    const auto& hits = profile_.hits;
    const auto at =
        std::ranges::lower_bound(hits, instruction.address, {}, &AddressProfile::Hits::address);
    if (at == hits.end() || at->address != instruction.address) return 0;
    if (instruction.repeats)
      return minus(at->count, taken(instruction.address, instruction.address));
    return leads_to_stub(instruction)
               ? std::min(at->count, left_from(instruction.address, at->count))
               : at->count;
  }

  // Its count can be more than its executions.
  [[nodiscard]] bool is_uncertain(const Instruction& instruction) const {
    return instruction.repeats || leads_to_stub(instruction);
  }

  [[nodiscard]] bool leads_to_stub(const Instruction& instruction) const {
    if (instruction.flow != Flow::kCall && instruction.flow != Flow::kJump) return false;
    const FunctionTable& functions = binary_.flow().functions();
    const auto target = functions.at(instruction.target);
    return target && functions[*target].is_stub;
  }

  // All branches from there; `otherwise` when the profile tells of none.
  [[nodiscard]] uint64_t left_from(uint64_t from, uint64_t otherwise) const {
    uint64_t out = 0;
    for (const Branch& branch : branches_from(from)) out = add_counts(out, branch.count);
    return out == 0 ? otherwise : out;
  }

  struct Executed {
    uint64_t first = 0;
    uint64_t last = 0;
  };

  Executed executed(const std::vector<Instruction>& all) {
    Executed out;
    if (all.empty()) return out;
    out = {executions(all.front()), executions(all.back())};
    std::optional<uint64_t> first;
    for (const Instruction& instruction : all) {
      if (is_uncertain(instruction)) continue;
      const uint64_t count = executions(instruction);
      if (!first) {
        first = out.first = count;
      } else if (count != *first) {
        ++fit_.disagreeing_blocks;
        break;
      }
    }
    if (first && is_uncertain(all.back())) out.last = *first;
    return out;
  }

  // The counts of one function while they are worked out.
  struct Work {
    const Cfg& cfg;
    FunctionCounts& counts;
    std::vector<Executed> executed;
    std::vector<uint64_t> inflow;  // of each block, by the edges known so far
  };

  void count(uint32_t number) {
    const Cfg& cfg = index_.cfg(number);
    Work work{cfg, function(number), {}, std::vector<uint64_t>(cfg.blocks.size())};
    for (uint32_t b = 0; b < cfg.blocks.size(); ++b) {
      work.executed.push_back(executed(index_.instructions({number, b})));
      work.counts.blocks[b] = measured(work.executed[b].first);
      calls(number, b, work.executed[b].last);
    }
    if (!profile_.has_every_branch) return;  // what the edges counted, nobody knows
    for (size_t e = 0; e < cfg.edges.size(); ++e)
      if (const auto value = jump_count(work, cfg.edges[e])) set(work, e, *value);
    for (size_t e = 0; e < cfg.edges.size(); ++e)
      if (cfg.edges[e].kind == EdgeKind::kCallReturn)
        set(work, e, return_count(work, cfg.edges[e]));
    exceptions(work);
    work.counts.entries =
        measured(minus(work.counts.blocks[cfg.entry].value, work.inflow[cfg.entry]));
  }

  static void set(Work& work, size_t edge, uint64_t value, bool is_sure = true) {
    work.counts.edges[edge] = is_sure ? measured(value) : inferred(value);
    uint64_t& inflow = work.inflow[work.cfg.edges[edge].to];
    inflow = add_counts(inflow, value);
  }

  // Of an edge that is neither behind a call nor an exception's.
  std::optional<uint64_t> jump_count(const Work& work, const CfgEdge& edge) {
    const Spot from{work.cfg.function, edge.from};
    const uint64_t executions = work.executed[edge.from].last;
    const uint64_t to = work.cfg.blocks[edge.to].start;
    const Instruction last = index_.last(from);
    switch (edge.kind) {
      case EdgeKind::kTaken:
        return last.flow == Flow::kConditionalJump ? std::min(executions, taken(last.address, to))
                                                   : executions;
      case EdgeKind::kFallThrough:
        return last.flow == Flow::kConditionalJump
                   ? minus(executions, taken(last.address, last.target))
                   : executions;
      case EdgeKind::kTable:
      case EdgeKind::kObserved: return std::min(executions, taken(last.address, to));
      case EdgeKind::kCallReturn:
      case EdgeKind::kException: break;
    }
    return std::nullopt;
  }

  static uint64_t return_count(const Work& work, const CfgEdge& edge) {
    const uint64_t rest = minus(work.counts.blocks[edge.to].value, work.inflow[edge.to]);
    // Other things than this call can have led there, too.
    const bool has_others = edge.to == work.cfg.entry || work.cfg.blocks[edge.to].landing_pad;
    return has_others ? std::min(rest, work.executed[edge.from].last) : rest;
  }

  static void exceptions(Work& work) {
    const auto& edges = work.cfg.edges;
    std::vector<uint64_t> left(work.cfg.blocks.size());  // calls that did not come back
    std::vector<uint32_t> sources(work.cfg.blocks.size());
    for (uint32_t b = 0; b < left.size(); ++b) left[b] = work.executed[b].last;
    for (size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].kind == EdgeKind::kCallReturn)
        left[edges[e].from] = minus(left[edges[e].from], work.counts.edges[e].value);
      if (edges[e].kind == EdgeKind::kException) ++sources[edges[e].to];
    }
    for (size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].kind != EdgeKind::kException) continue;
      const uint64_t rest = minus(work.counts.blocks[edges[e].to].value, work.inflow[edges[e].to]);
      const uint64_t value = std::min(rest, left[edges[e].from]);
      left[edges[e].from] -= value;
      set(work, e, value, sources[edges[e].to] == 1 || rest == 0);
    }
  }

  void calls(uint32_t function, uint32_t block, uint64_t executions) {
    const CodeBlock& b = index_.block({function, block});
    const Instruction last = index_.last({function, block});
    const uint64_t site = last.address;
    switch (last.flow) {
      case Flow::kCall:
        if (is_function(last.target)) add_call(site, last.target, executions);
        break;
      case Flow::kJump:
        if (b.tail_call && is_function(last.target)) add_call(site, last.target, executions);
        break;
      case Flow::kConditionalJump:
        if (b.tail_call && is_function(last.target))
          add_call(site, last.target, taken(site, last.target));
        break;
      case Flow::kIndirectCall:
      case Flow::kIndirectJump:
        for (const Branch& branch : branches_from(site)) {
          const bool inside =
              last.flow == Flow::kIndirectJump && has_edge(function, block, branch.to);
          if (branch.to == AddressProfile::kElsewhere || inside || branch.to == last.end())
            continue;
          if (is_function(branch.to))
            add_call(site, branch.to, std::min(executions, branch.count));
          else
            unplaced(branch.count);
        }
        break;
      default: break;
    }
  }

  [[nodiscard]] bool has_edge(uint32_t function, uint32_t block, uint64_t to) const {
    const Cfg& cfg = index_.cfg(function);
    return std::ranges::any_of(edges_from(cfg, block),
                               [&](const CfgEdge& e) { return cfg.blocks[e.to].start == to; });
  }
};

}  // namespace

CountedCode count_complete(const ModuleCode& binary, const AddressProfile& profile) {
  return CompleteCounter(binary, profile).run();
}

}  // namespace twinrun
