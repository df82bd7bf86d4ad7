// SPDX-License-Identifier: MIT
// The Enhanced graph: what the Basic one leaves out inside of regions that only one run executed.
//
// The Basic graph (slice_align.cc) goes from a region straight to the branch in front of it. That
// tells why the region was executed, not why it did harm; a bug is often in the code that only the
// failing run reached. There is nothing to compare inside, so a plain backward slice of the one run
// is taken, of data and control, from the instructions of the region that are in the graph:
//
//     A: ... branch ------------------- join ...      the slice stops where it comes to what both
//     B: ... branch [ x = f(y); g(x) ]  join ...      executed; there values are compared again
//
// Where the slice reaches an instruction of both runs, a pair with the statements in question goes
// back to the worklist of Slice-Align: if its values differ they are followed, if not the trail
// ends. So the two graphs are one, and `is_enhanced` marks what was added. Of a run that did not
// end its loop is looked into, too (enhance_loop()), and of NULL pointers that the second run died
// of their neighbours' writers (neighbours.cc).
//
// It ends because slices are bounded: 12000 instructions each, four instances of an instruction of
// the code (a loop would fill the rest), 24 regions, 1500 pairs that go on; SliceAlignOptions has
// the numbers. Costs one slice for each region and run; those of the two runs are cut at the same
// time. The paper (section IV, "Enhanced graph") has the analyst choose the regions and expands
// them wholly; ours takes the first ones unasked and lets suspicion.cc rank the lines.
#include "explain/graph/slice_align.h"

#include "explain/graph/both_sides.h"

#include <algorithm>
#include <utility>

namespace twinrun {

using Node = CausalGraph::Node;
using Edge = CausalGraph::Edge;

SliceAlign::OwnSlicer& SliceAlign::slicer_of(ProcessView& view) {
  std::unique_ptr<OwnSlicer>& own = slicers_[&view];
  if (own == nullptr) own = std::make_unique<OwnSlicer>(view);
  return *own;
}

Result<Slice> SliceAlign::slice_from(RunSide side, const InstructionOf& from,
                                     const std::optional<BytesOf>& bytes) {
  Slicer& slicer = slicer_of(*from.view).slicer;
  const auto is_common = [&](const InstructionAt& at) {
    const auto instruction = instruction_of(*from.view, at);
    const auto where =
        instruction ? runs_.where(side, instruction->position) : std::optional<Where>();
    return stops_ && at != from.at && where && where->is_aligned;
  };
  const SliceOptions options{.limit = options_.in_region,
                             .instances = options_.instances,
                             .visits = options_.visits,
                             .stops = is_common};
  if (bytes) {
    TRY(const auto writers, pairs_.writers_at_end(block_of(from), *bytes));
    return slicer.slice(writers, options, Slicer::BytesAt{bytes->in_memory, bytes->where});
  }
  if (fault_ && fault_->first == side && fault_->second == from.at) {
    // It did not come to its end: what it was about to use.
    TRY(const auto writers,
        ValuePairs::writers_by_encoding({from.view, from.at.block}, from.at.instruction));
    TRY(Slice out, slicer.slice(writers, options));
    if (!out.nodes.empty()) return out;
    if (from.at.instruction == 0) return Slice{};
    return slicer.slice({from.at.block, from.at.instruction - 1}, options);
  }
  return slicer.slice(from.at, options);
}

Result<uint32_t> SliceAlign::single_node(RunSide side, const InstructionOf& at,
                                         const Slice::Stop* stop) {
  const auto there =
      stop == nullptr ? std::optional<Position>() : runs_.counterpart(side, at.position);
  if (there) {
    TRY(const InstructionOf other_one, instruction_at(other(side), *there));
    const InstructionOf& a = side == RunSide::kA ? at : other_one;
    const InstructionOf& b = side == RunSide::kA ? other_one : at;
    TRY(const uint32_t node, aligned_node(a, b));
    for (const auto& [statement, bytes] : stop->statements)
      open_[node].statements[statement] |= bytes;
    queue(node);
    return node;
  }
  const auto [known, is_new] =
      single_.try_emplace({side, at.position}, static_cast<uint32_t>(out_.nodes.size()));
  if (is_new) {
    const auto where = runs_.where(side, at.position);
    Node made{
        .kind = Node::Kind::kSingle, .is_enhanced = true, .is_common = where && where->is_aligned};
    (side == RunSide::kA ? made.a : made.b) = at;
    out_.nodes.push_back(std::move(made));
    open_.emplace_back();
  }
  return known->second;
}

Result<void> SliceAlign::enhance(uint32_t node, RunSide side, const InstructionOf& from,
                                 const std::optional<BytesOf>& bytes) {
  TRY(const Slice slice, slice_from(side, from, bytes));
  return add_slice(node, side, from, slice);
}

Result<void> SliceAlign::enhance_region(uint32_t node) {
  std::array<std::optional<InstructionOf>, 2> from;
  for (const RunSide side : {RunSide::kA, RunSide::kB}) {
    const Node& of = out_.nodes[node];
    const auto& region = side == RunSide::kA ? of.region_a : of.region_b;
    const auto& at = side == RunSide::kA ? of.a : of.b;
    if (!region || !at) continue;
    from[static_cast<size_t>(side)] = *at;
    (void)slicer_of(*at->view);  // threads must not add it
  }
  std::array<Slice, 2> slices;
  const auto cut = [&](RunSide side) -> Result<void> {
    const auto& start = from[static_cast<size_t>(side)];
    if (start) {
      TRY(slices[static_cast<size_t>(side)], slice_from(side, *start, std::nullopt));
    }
    return {};
  };
  if (from[0] && from[1]) {
    TRY_VOID(both_sides([&] { return cut(RunSide::kA); }, [&] { return cut(RunSide::kB); }));
  } else {
    TRY_VOID(cut(from[0] ? RunSide::kA : RunSide::kB));
  }
  for (const RunSide side : {RunSide::kB, RunSide::kA}) {
    const auto number = static_cast<size_t>(side);
    if (from[number]) TRY_VOID(add_slice(node, side, *from[number], slices[number]));
  }
  return {};
}

Result<void> SliceAlign::add_slice(uint32_t node, RunSide side, const InstructionOf& from,
                                   const Slice& slice) {
  std::vector<uint32_t> number(slice.nodes.size(), ~0u);
  std::vector<bool> has_edge(slice.nodes.size(), false);
  for (uint32_t i = 0; i < slice.nodes.size(); ++i) {
    if (slice.nodes[i] == from.at) {
      number[i] = node;
      has_edge[i] = true;
      continue;
    }
    TRY(const InstructionOf at, instruction_of(*from.view, slice.nodes[i]));
    const auto stop = slice.stops.find(i);
    TRY(number[i], single_node(side, at, stop == slice.stops.end() ? nullptr : &stop->second));
  }
  for (const Dependence& edge : slice.edges) {
    has_edge[edge.to] = true;
    const BytesOf place{edge.kind == Dependence::Kind::kMemory, edge.where, edge.size};
    const bool is_control = edge.kind == Dependence::Kind::kControl;
    add_edge({.from = number[edge.from],
              .to = number[edge.to],
              .kind = is_control ? Edge::Kind::kControl : Edge::Kind::kData,
              .for_address = edge.for_address,
              .through = edge.kind,
              .place_a = place,
              .place_b = place});
  }
  // What the slice began with.
  for (uint32_t i = 0; i < slice.nodes.size(); ++i) {
    if (!has_edge[i]) add_edge({.from = node, .to = number[i]});
  }
  if (side == RunSide::kB) note_old_words(slice, number, from);
  return enhance_files(side, slice, number, from);
}

/// What is read from a file that the run itself wrote.
Result<void> SliceAlign::enhance_files(RunSide side, const Slice& slice,
                                       const std::vector<uint32_t>& number,
                                       const InstructionOf& from) {
  for (const SliceInput& input : slice.inputs) {
    if (input.node == ~0u || input.writer.kind != LastWriter::Kind::kOutside) continue;
    TRY(const OutsideSource source,
        outside_source(*from.view, input.writer, input.where, input.size));
    TRY(const auto written,
        own_files_.find(side, *from.view, source, input.writer.block, input.size));
    if (!written) continue;
    TRY(const InstructionOf at, last_instruction(*from.view, written->block));
    TRY(const uint32_t node, single_node(side, at, nullptr));
    add_edge({.from = number[input.node], .to = node});
    files_.push_back({node, side, at, written->bytes});
  }
  return {};
}

/// A run that was stopped: the branches that it took last, again and again.
Result<void> SliceAlign::enhance_loop(uint32_t target, RunSide side, const InstructionOf& end) {
  std::set<std::pair<uint64_t, uint32_t>> known;
  uint32_t seen = 0;
  BlockAt block = end.at.block;
  while (seen < options_.loop_blocks && known.size() < options_.loop_branches) {
    if (block.ordinal == 0) {
      if (block.segment == 0) break;
      --block.segment;
      TRY(const SegmentSteps* before, end.view->values->steps(block.segment));
      block.ordinal = before->block_count();
      continue;
    }
    --block.ordinal;
    ++seen;
    TRY(const SegmentSteps* segment, end.view->values->steps(block.segment));
    if (segment->thread_of(block.ordinal) != end.position.thread.value) continue;
    const uint32_t value = segment->value(block.ordinal);
    TRY(const InstructionOf at, last_instruction(*end.view, block));
    const auto where = runs_.where(side, at.position);
    if (where && where->is_aligned) break;
    TRY(const BlockFlow* flow, end.view->slicer.flow_at(block));
    const bool is_branch = std::ranges::any_of(
        flow->ir.statements, [](const IrStatement& st) { return st.tag == TW_STMT_EXIT; });
    if (!is_branch || !known.insert({value, at.at.instruction}).second) continue;
    TRY(const uint32_t node, single_node(side, at, nullptr));
    add_edge({.from = target, .to = node, .kind = Edge::Kind::kControl});
  }
  return {};
}

/// The branches that let both runs come to instructions at which something differs: a check that is
/// wrong or lacks something often stands there, and decides alike in both.
Result<void> SliceAlign::add_guards() {
  // By their numbers: where views lie in memory must not decide what is told first.
  using Askers = std::vector<std::pair<InstructionAt, uint32_t>>;
  std::map<uint32_t, std::pair<ProcessView*, Askers>> by_process;
  for (uint32_t i = 0; i < out_.nodes.size(); ++i) {
    const Node& node = out_.nodes[i];
    if (node.kind != Node::Kind::kAligned || node.is_common) continue;
    auto& [view, askers] = by_process[node.b->position.process.value];
    view = node.b->view;
    askers.emplace_back(node.b->at, i);
  }
  for (auto& [number, process] : by_process) {
    auto& [view, askers] = process;
    std::ranges::sort(askers, std::greater());
    ControlFinder& control = slicer_of(*view).control;
    std::vector<ControlFinder::Question> open;
    std::vector<ControlFinder::Answer> answers;
    uint32_t chunk = ~0u;
    size_t next = 0;
    // What was decided before the first of them is far away.
    for (uint32_t segment = askers.front().first.block.segment + 1;
         segment-- > 0 && next < askers.size();) {
      ControlFinder::Found found;
      const uint32_t start = control.chunk_start(segment);
      if (std::exchange(chunk, start) != start)
        TRY_VOID(control.go_on(segment, std::exchange(open, {}), found));
      for (; next < askers.size() && askers[next].first.block.segment == segment; ++next) {
        TRY(const SegmentSteps* values, view->values->steps(segment));
        const uint32_t value = values->value(askers[next].first.block.ordinal);
        TRY_VOID(control.ask(askers[next].first, value, askers[next].second, found));
      }
      std::ranges::move(found.answers, std::back_inserter(answers));
      std::ranges::move(found.open, std::back_inserter(open));
    }
    // In the order of time, so that the other run's segments are gone through once.
    std::ranges::stable_sort(answers, {}, &ControlFinder::Answer::at);
    for (const ControlFinder::Answer& answer : answers) {
      TRY(const InstructionOf at, last_instruction(*view, answer.at));
      const auto there = runs_.counterpart(RunSide::kB, at.position);
      uint32_t guard = 0;
      if (there) {
        TRY(const InstructionOf other_one, instruction_at(RunSide::kA, *there));
        const bool is_known = aligned_.contains({other_one.position, at.position});
        TRY(guard, aligned_node(other_one, at));
        if (!is_known) out_.nodes[guard].is_common = true;
      } else {
        TRY(guard, single_node(RunSide::kB, at, nullptr));
      }
      add_edge({.from = answer.asker, .to = guard, .kind = Edge::Kind::kControl});
    }
  }
  return {};
}

Result<void> SliceAlign::add_enhanced() {
  if (options_.regions == 0) return {};
  is_enhancing_ = true;
  const auto basic = static_cast<uint32_t>(out_.nodes.size());
  // Where comparing leads to nothing, what the second run did must do.
  stops_ = std::ranges::any_of(out_.nodes,
                               [](const Node& node) { return node.kind == Node::Kind::kInput; });
  for (uint32_t i = 0; i < basic; ++i) {
    if (!out_.nodes[i].is_target || !out_.nodes[i].b) continue;
    const InstructionOf at = *out_.nodes[i].b;
    const auto bytes = target_bytes_.find(i);
    TRY_VOID(enhance(i, RunSide::kB, at,
                     bytes == target_bytes_.end() ? std::nullopt : std::optional(bytes->second)));
    if (has_stopped_) TRY_VOID(enhance_loop(i, RunSide::kB, at));
  }
  const uint64_t begun = work();
  const auto is_enough = [&] { return work() - begun > options_.patience || is_late(1); };
  uint32_t regions = options_.regions;
  uint32_t pairs = options_.pairs;
  uint32_t next = 0;
  while (!is_enough()) {
    for (; next < out_.nodes.size() && regions > 0 && !is_enough(); ++next) {
      if (out_.nodes[next].kind != Node::Kind::kUnaligned || out_.nodes[next].is_target) continue;
      if (!options_.chosen.empty() && !options_.chosen.contains(next)) continue;
      --regions;
      TRY_VOID(enhance_region(next));
    }
    for (; !files_.empty() && regions > 0 && !is_enough(); --regions) {
      const FileBytes file = files_.back();
      files_.pop_back();
      TRY_VOID(enhance(file.node, file.side, file.at, file.bytes));
    }
    if (tasks_.empty() || pairs == 0) break;
    for (; !tasks_.empty() && pairs > 0 && !is_enough(); --pairs) {
      const Task task = tasks_.top();
      tasks_.pop();
      open_[task.node].is_queued = false;
      TRY_VOID(explain(task.node));
    }
  }
  TRY_VOID(add_guards());
  return add_neighbours();
}

}  // namespace twinrun
