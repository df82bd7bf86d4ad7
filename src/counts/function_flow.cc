// SPDX-License-Identifier: MIT
#include "counts/function_flow.h"

#include "base/text.h"
#include "program/dominators.h"
#include "program/loops.h"

#include <fmt/format.h>

#include <algorithm>

namespace twinrun {
namespace {

std::string_view name_of(BlockEnd end) {
  switch (end) {
    case BlockEnd::kFallThrough: return "next";
    case BlockEnd::kJump: return "jump";
    case BlockEnd::kConditionalJump: return "branch";
    case BlockEnd::kIndirectJump: return "indirect jump";
    case BlockEnd::kCall: return "call";
    case BlockEnd::kIndirectCall: return "indirect call";
    case BlockEnd::kReturn: return "return";
    case BlockEnd::kTrap: return "trap";
    case BlockEnd::kUndecodable: return "no code";
  }
  return "?";
}

std::string_view name_of(FunctionSource source) {
  switch (source) {
    case FunctionSource::kSymbol: return "symbol";
    case FunctionSource::kFrame: return "eh_frame";
    case FunctionSource::kObserved: return "observed";
  }
  return "?";
}

std::vector<std::string_view> notes_of(const CodeBlock& block) {
  std::vector<std::string_view> out;
  if (block.landing_pad) out.emplace_back("landing pad");
  if (block.entered) out.emplace_back("entered from outside");
  if (block.tail_call) out.emplace_back("tail call");
  if (block.no_return) out.emplace_back("no return");
  if (block.unknown_target) out.emplace_back("unknown target");
  if (block.some_targets) out.emplace_back("more targets possible");
  return out;
}

// How often edges were taken, by the transfers that a recording holds.
class EdgeCounts {
 public:
  EdgeCounts(const Cfg& cfg, const ExecutedFlow& executed) : cfg_(cfg), executed_(executed) {
    for (const CodeBlock& block : cfg.blocks) {
      const bool jumps = block.ends == BlockEnd::kJump ||
                         block.ends == BlockEnd::kConditionalJump ||
                         block.ends == BlockEnd::kIndirectJump;
      if (jumps) jumps_.push_back(block.last);
    }
    std::sort(jumps_.begin(), jumps_.end());
    for (const CountedEdge& counted : executed.edges)
      if (!std::ranges::binary_search(jumps_, counted.edge.from))
        arrivals_[counted.edge.to] += counted.count;
  }

  [[nodiscard]] uint64_t executions(uint64_t instruction) const {
    const auto it = executed_.instructions.find(instruction);
    return it == executed_.instructions.end() ? 0 : it->second;
  }

  [[nodiscard]] std::optional<uint64_t> of(const CfgEdge& edge) const {
    const CodeBlock& from = cfg_.blocks[edge.from];
    const uint64_t to = cfg_.blocks[edge.to].start;
    switch (edge.kind) {
      case EdgeKind::kFallThrough:
        return from.ends == BlockEnd::kConditionalJump ? transfers(from.last, to)
                                                       : executions(from.last);
      case EdgeKind::kCallReturn: return arrivals(to);
      case EdgeKind::kException: {
        // Several calls share a pad; which of them threw is not in the control flow alone.
        const auto callers = std::ranges::count_if(cfg_.edges, [&](const CfgEdge& other) {
          return other.kind == EdgeKind::kException && other.to == edge.to;
        });
        return callers == 1 ? std::optional(arrivals(to)) : std::nullopt;
      }
      default: return transfers(from.last, to);
    }
  }

 private:
  [[nodiscard]] uint64_t transfers(uint64_t from, uint64_t to) const {
    const ObservedEdge wanted{from, to};
    const auto it = std::ranges::lower_bound(executed_.edges, wanted, {}, &CountedEdge::edge);
    return it == executed_.edges.end() || it->edge != wanted ? 0 : it->count;
  }
  [[nodiscard]] uint64_t arrivals(uint64_t to) const {
    const auto it = arrivals_.find(to);
    return it == arrivals_.end() ? 0 : it->second;
  }

  const Cfg& cfg_;
  const ExecutedFlow& executed_;
  std::vector<uint64_t> jumps_;
  std::map<uint64_t, uint64_t> arrivals_;  // not by a jump of the function
};

void add_calls(const ControlFlow& flow, uint32_t function, const ExecutedFlow* executed,
               FunctionFlow& out) {
  const FunctionTable& table = flow.functions();
  for (const CallEdge& call : flow.calls()) {
    if (call.caller != function && call.callee != function) continue;
    FunctionFlow::CallSite made;
    made.site = call.site;
    made.kind = call.kind == CallKind::kTail       ? "tail"
                : call.kind == CallKind::kObserved ? "observed"
                                                   : "call";
    if (executed != nullptr) {
      const ObservedEdge wanted{call.site, table[call.callee].address};
      const auto it = std::ranges::lower_bound(executed->edges, wanted, {}, &CountedEdge::edge);
      made.count = it == executed->edges.end() || it->edge != wanted ? 0 : it->count;
    }
    if (call.caller == function) {
      made.function = table[call.callee].label();
      out.callees.push_back(made);
    }
    if (call.callee == function) {
      made.function = table[call.caller].label();
      out.callers.push_back(std::move(made));
    }
  }
  std::ranges::stable_sort(out.callees, {}, &FunctionFlow::CallSite::site);
}

}  // namespace

FunctionFlow function_flow(const ControlFlow& flow, uint32_t function,
                           const ExecutedFlow* executed) {
  const FunctionTable& table = flow.functions();
  const Cfg& cfg = flow.cfg(function);
  FunctionFlow out;
  out.name = table[function].label();
  out.aliases = table[function].aliases;
  out.source = name_of(table[function].source);
  out.returns = flow.returns(function);
  out.has_counts = executed != nullptr;
  out.entry = table[function].address;
  out.unexplained = cfg.unexplained;
  for (const uint32_t part : table.parts(function))
    out.parts.push_back({table[part].address, table[part].size, table[part].label()});
  add_calls(flow, function, executed, out);
  if (cfg.blocks.empty()) return out;

  const Digraph graph = cfg.graph();
  const PostDominators post = cfg.post_dominators(PostDominance::kNoExceptions);
  const LoopForest forest = find_loops(graph, cfg.entry);
  out.loops = static_cast<uint32_t>(forest.loops.size());
  for (const Loop& loop : forest.loops) out.irreducible_loops += loop.irreducible ? 1 : 0;
  std::optional<EdgeCounts> counts;
  if (executed != nullptr) counts.emplace(cfg, *executed);

  for (uint32_t i = 0; i < cfg.blocks.size(); ++i) {
    const CodeBlock& block = cfg.blocks[i];
    FunctionFlow::Block row{.start = block.start,
                            .end = block.end,
                            .instructions = block.instructions,
                            .ends = name_of(block.ends),
                            .notes = notes_of(block)};
    if (counts) row.count = counts->executions(block.start);
    row.loop_depth = forest.depth(i);
    if (const uint32_t loop = forest.innermost[i]; loop != Loop::kNone) {
      row.loop_header = forest.loops[loop].header == i;
      row.irreducible = forest.loops[loop].irreducible;
    }
    if (post.immediate(i) != post.exit()) row.post_dominator = cfg.blocks[post.immediate(i)].start;
    out.blocks.push_back(std::move(row));
  }
  for (const CfgEdge& edge : cfg.edges)
    out.blocks[edge.from].successors.push_back({cfg.blocks[edge.to].start,
                                                edge_kind_name(edge.kind),
                                                counts ? counts->of(edge) : std::nullopt});
  for (uint32_t i = 0; i < cfg.blocks.size(); ++i)
    if (cfg.blocks[i].leaves) out.blocks[i].successors.push_back({std::nullopt, "exit", {}});
  return out;
}

void add_lines(FunctionFlow& flow, DebugInfo& info) {
  for (FunctionFlow::Block& block : flow.blocks) {
    const std::vector<SourceFrame> frames = info.frames_at(block.start);
    if (frames.empty() || frames[0].line == 0) continue;
    block.line = fmt::format("{}:{}", base_name(frames[0].file), frames[0].line);
    block.file = frames[0].file;
    block.line_number = frames[0].line;
  }
}

}  // namespace twinrun
