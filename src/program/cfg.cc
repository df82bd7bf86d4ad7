// SPDX-License-Identifier: MIT
#include "program/cfg.h"

#include "program/explorer.h"

#include <algorithm>

namespace twinrun {
namespace {

// Bytes of a stretch of executed code: blocks of the recorder have fewer.
constexpr uint64_t kExecutedMost = 2048;

}  // namespace

std::string_view edge_kind_name(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kFallThrough: return "next";
    case EdgeKind::kTaken: return "taken";
    case EdgeKind::kTable: return "table";
    case EdgeKind::kCallReturn: return "return";
    case EdgeKind::kException: return "exception";
    case EdgeKind::kObserved: return "observed";
  }
  return "?";
}

Digraph Cfg::graph() const {
  std::vector<Digraph::Edge> out;
  out.reserve(edges.size());
  for (const CfgEdge& edge : edges) out.push_back({edge.from, edge.to});
  return {static_cast<uint32_t>(blocks.size()), std::move(out)};
}

std::vector<bool> Cfg::unused_ends(std::span<const ExecutedCode> executed) const {
  std::vector<bool> taken(blocks.size());  // part in the function: executed, or it can return
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    const CodeBlock& block = blocks[i];
    if (!block.leaves || block.no_return || block.ends == BlockEnd::kTrap) continue;
    taken[i] = true;
    open.push_back(i);
  }
  std::vector<std::vector<uint32_t>> predecessors(blocks.size());
  for (const CfgEdge& edge : edges)
    if (edge.kind != EdgeKind::kException) predecessors[edge.to].push_back(edge.from);
  while (!open.empty()) {
    const uint32_t block = open.back();
    open.pop_back();
    for (const uint32_t before : predecessors[block]) {
      if (taken[before]) continue;
      taken[before] = true;
      open.push_back(before);
    }
  }
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    if (taken[i]) continue;
    // The last stretch that begins in front of the block's end; earlier ones are no longer than a
    // block of the recorder.
    auto behind = std::ranges::lower_bound(executed, blocks[i].end, {}, &ExecutedCode::first);
    for (; behind != executed.begin() && !taken[i]; --behind) {
      const ExecutedCode& code = *std::prev(behind);
      if (code.first + kExecutedMost < blocks[i].start) break;
      taken[i] = code.last >= blocks[i].start;
    }
  }
  taken.flip();
  return taken;
}

PostDominators Cfg::post_dominators(PostDominance policy,
                                    std::span<const ExecutedCode> executed) const {
  std::vector<bool> left_out(blocks.size());
  if (policy == PostDominance::kNoUnusedEnds) left_out = unused_ends(executed);
  std::vector<Digraph::Edge> kept;
  kept.reserve(edges.size());
  for (const CfgEdge& edge : edges) {
    const bool counts = policy == PostDominance::kEveryEdge || edge.kind != EdgeKind::kException;
    if (counts && !left_out[edge.to]) kept.push_back({edge.from, edge.to});
  }
  const auto size = static_cast<uint32_t>(blocks.size());
  return twinrun::post_dominators(Digraph(size, std::move(kept)), entry, exits());
}

std::vector<Digraph::Node> Cfg::exits() const {
  std::vector<Digraph::Node> out;
  for (uint32_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].leaves) out.push_back(i);
  return out;
}

std::optional<uint32_t> Cfg::block_at(uint64_t start) const {
  const auto it = std::ranges::lower_bound(blocks, start, {}, &CodeBlock::start);
  if (it == blocks.end() || it->start != start) return std::nullopt;
  return static_cast<uint32_t>(it - blocks.begin());
}

std::optional<uint32_t> Cfg::block_ending_at(uint64_t last) const {
  const auto it = std::ranges::find(blocks, last, &CodeBlock::last);
  if (it == blocks.end()) return std::nullopt;
  return static_cast<uint32_t>(it - blocks.begin());
}

// Makes blocks of explored instructions. A block begins at the entry, at the target of an edge, and
// where two instructions fall through to the same place (overlapping code that comes together).
class CfgMaker {
 public:
  CfgMaker(const Explorer& explorer, const std::function<bool(uint64_t)>& tail)
      : e_(explorer), tail_(tail), leads_(explorer.indices_.size()) {
    std::stable_sort(extras_.begin(), extras_.end(),
                     [](const Extra& a, const Extra& b) { return a.from < b.from; });
  }

  Cfg run(uint32_t function) {
    out_.function = function;
    find_leaders();
    make_blocks();
    for (uint32_t i = 0; i < out_.blocks.size(); ++i) leave(i);
    std::sort(out_.edges.begin(), out_.edges.end());
    out_.edges.erase(std::unique(out_.edges.begin(), out_.edges.end()), out_.edges.end());
    mark_entered();
    out_.entry = out_.block_at(e_.entry_).value_or(0);
    add_tables();
    out_.unexplained = count_unexplained();
    return std::move(out_);
  }

 private:
  using Extra = Explorer::Extra;

  void lead(uint64_t address) {
    if (const auto where = e_.offset(address); where && e_.indices_[*where] != 0)
      leads_[*where] = true;
  }

  void find_leaders() {
    for (const uint64_t address : e_.entered_) lead(address);
    for (const Extra& extra : e_.extras_) lead(extra.to);
    std::vector<bool> met(leads_.size());
    for (const Instruction& instruction : e_.instructions_) {
      if (instruction.is_direct() && instruction.flow != Flow::kCall) lead(instruction.target);
      if (!instruction.falls_through()) continue;
      if (instruction.flow != Flow::kNone && instruction.flow != Flow::kSyscall) {
        lead(instruction.end());
      } else if (const auto next = e_.offset(instruction.end())) {
        if (met[*next]) lead(instruction.end());
        met[*next] = true;
      }
    }
  }

  void make_blocks() {
    for (size_t where = 0; where < leads_.size(); ++where) {
      if (!leads_[where]) continue;
      const Instruction* at = &e_.instructions_[e_.indices_[where] - 1];
      CodeBlock block{.start = at->address};
      for (;;) {
        ++block.instructions;
        block.last = at->address;
        block.end = at->end();
        if (at->flow != Flow::kNone && at->flow != Flow::kSyscall) break;
        const auto next = e_.offset(at->end());
        if (!next || e_.indices_[*next] == 0 || leads_[*next]) break;
        at = &e_.instructions_[e_.indices_[*next] - 1];
      }
      out_.blocks.push_back(block);
    }
  }

  void add_tables() {
    for (const auto& [index, tables] : e_.tables_) {
      if (tables.in_order.empty()) continue;
      const auto block = out_.block_ending_at(e_.instructions_[index].address);
      if (!block) continue;
      for (const JumpTable& table : tables.in_order) {
        CfgTable added{.block = *block, .address = table.address, .targets = {}};
        for (const uint64_t to : table.targets)
          added.targets.push_back(out_.block_at(to).value_or(CfgTable::kOutside));
        out_.tables.push_back(std::move(added));
      }
    }
    std::ranges::sort(out_.tables, {},
                      [](const CfgTable& t) { return std::pair(t.block, t.address); });
  }

  // An edge to a block, or out of the function.
  void edge(uint32_t from, uint64_t to, EdgeKind kind) {
    if (const auto block = out_.block_at(to))
      out_.edges.push_back({from, *block, kind});
    else
      out_.blocks[from].leaves = true;
  }

  void leave(uint32_t number) {
    CodeBlock& block = out_.blocks[number];
    const auto index = static_cast<uint32_t>(e_.at(block.last) - e_.instructions_.data());
    const Instruction& last = e_.instructions_[index];
    switch (last.flow) {
      case Flow::kNone:
      case Flow::kSyscall:
        block.ends = e_.at(block.end) == nullptr && e_.contains(block.end) ? BlockEnd::kUndecodable
                                                                           : BlockEnd::kFallThrough;
        block.tail_call = !e_.contains(block.end) && tail_(block.end);
        edge(number, block.end, EdgeKind::kFallThrough);
        break;
      case Flow::kJump:
        block.ends = BlockEnd::kJump;
        block.tail_call = !e_.contains(last.target) && tail_(last.target);
        edge(number, last.target, EdgeKind::kTaken);
        break;
      case Flow::kConditionalJump:
        block.ends = BlockEnd::kConditionalJump;
        edge(number, block.end, EdgeKind::kFallThrough);
        edge(number, last.target, EdgeKind::kTaken);
        break;
      case Flow::kIndirectJump:
        block.ends = BlockEnd::kIndirectJump;
        block.some_targets = e_.some_[index];
        if (!extras(number, index)) block.unknown_target = block.leaves = true;
        break;
      case Flow::kCall:
      case Flow::kIndirectCall:
        block.ends = last.flow == Flow::kCall ? BlockEnd::kCall : BlockEnd::kIndirectCall;
        extras(number, index);
        block.no_return = !e_.continued_[index];
        if (block.no_return)
          block.leaves = true;
        else
          edge(number, block.end, EdgeKind::kCallReturn);
        break;
      case Flow::kReturn:
      case Flow::kTrap:
        block.ends = last.flow == Flow::kReturn ? BlockEnd::kReturn : BlockEnd::kTrap;
        block.leaves = true;
        break;
    }
  }

  // The edges that the last instruction itself does not show; false without any.
  bool extras(uint32_t number, uint32_t index) {
    const auto found = std::ranges::equal_range(extras_, index, {}, &Extra::from);
    for (const Extra& extra : found) {
      edge(number, extra.to, extra.kind);
      if (const auto pad = out_.block_at(extra.to); pad && extra.kind == EdgeKind::kException)
        out_.blocks[*pad].landing_pad = true;
    }
    return !found.empty();
  }

  void mark_entered() {
    std::vector<bool> reached(out_.blocks.size());
    for (const CfgEdge& edge : out_.edges) reached[edge.to] = true;
    for (uint32_t i = 0; i < out_.blocks.size(); ++i)
      out_.blocks[i].entered = !reached[i] && out_.blocks[i].start != e_.entry_;
  }

  // Observed edges inside the function that no edge of the graph and no call or return accounts
  // for.
  uint32_t count_unexplained() const {
    uint32_t out = 0;
    for (const Explorer::Range& range : e_.ranges_) {
      const auto& observed = e_.context_.observed;
      auto it = std::ranges::lower_bound(observed, range.start, {}, &ObservedEdge::from);
      for (; it != observed.end() && it->from < range.end; ++it) out += is_explained(*it) ? 0 : 1;
    }
    return out;
  }

  [[nodiscard]] bool is_explained(const ObservedEdge& edge) const {
    const Instruction* from = e_.at(edge.from);
    if (from == nullptr) return false;
    switch (from->flow) {
      case Flow::kNone:
      case Flow::kSyscall:
        return edge.to == from->end() || (from->repeats && edge.to == from->address);
      case Flow::kJump: return edge.to == from->target;
      case Flow::kConditionalJump: return edge.to == from->target || edge.to == from->end();
      case Flow::kTrap: return false;
      default: return true;
    }
  }

  const Explorer& e_;
  const std::function<bool(uint64_t)>& tail_;
  std::vector<bool> leads_;
  std::vector<Extra> extras_ = e_.extras_;  // by instruction
  Cfg out_;
};

Cfg Explorer::finish(uint32_t function, const std::function<bool(uint64_t)>& tail) const {
  return CfgMaker(*this, tail).run(function);
}

}  // namespace twinrun
