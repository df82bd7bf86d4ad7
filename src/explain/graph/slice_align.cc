// SPDX-License-Identifier: MIT
// Slice-Align: the Basic causal difference graph, by going back from a difference in both runs.
//
// A slice of one run says what a wrong value was computed from, which is nearly everything. Most of
// that is the same in the run that is right. So both runs are followed at once, and only along what
// is not the same:
//
//   both aligned   the instructions correspond: of their operands those that differ
//   (value_pairs.cc)
//                  are followed to their last writers, a pair of instructions again
//   not aligned    one or both writers are in a region that the other run did not execute: a node
//                  for the region, and on to the last instructions in front of it that correspond.
//                  What those decided by is followed like operands
//   wild write     both aligned, but not with each other: one wrote to another place in the other
//                  run, so the operands of its address are followed
//   input          nobody wrote it: a node without further causes, unless a system call answered
//                  that was not given the same in both runs: then its arguments are followed
//                  (call_arguments.cc)
//
// Right as far as the alignment is: a pair is taken up only with a difference in hand, and each
// edge names the bytes that carried it. It ends because edges lead back in time, a pair has one
// node (aligned_), and a statement is explained once (Open::done). The worklist is ordered by time,
// the latest first, so that a segment's values are computed once for all that is asked of it. Costs
// a comparison of two blocks and a search of last writers for each node; `limit` bounds the nodes.
//
// The paper: figure 6 and table I of differential slicing. Ours: statements of the IR in place of
// instructions; the point of divergence is the end of the aligned region in front, not the dominant
// divergence point; a wild read needs no node, as the reader's address is an operand that differs,
// and what was read there is followed only when its writers tell more than that (tells_more());
// what a run reads from a file that it wrote itself is followed to the write (own_files.h), and
// what another recorded process gave it into that process (handed_over.h); where both runs copied
// what differs, by instructions that do not correspond, to where it was copied from (copies.h).
// Example: exit status 0 and 1 <- a return in either branch <- `i < ncols` <- ncols, 4 and 67 <-
// ...
#include "explain/graph/slice_align.h"

#include "explain/graph/copies.h"
#include "explain/graph/rounds.h"
#include "explain/graph/work.h"
#include "explain/inputs/noise.h"

#include <algorithm>
#include <utility>

namespace twinrun {
namespace {

using Node = CausalGraph::Node;
using Edge = CausalGraph::Edge;

constexpr std::pair<uint32_t, uint32_t> kNoRegion{~0u, ~0u};
constexpr double kBasicShare = 0.6;       // of the budget; the rest is for the Enhanced graph
constexpr size_t kCopiesMost = 6;         // from one place to the next
constexpr uint32_t kRoundsFollowed = 64;  // one by one, before the rest is passed over
constexpr uint32_t kRoundMost = 100;      // nodes of a round

const LastWriter* writer_of(const UsedValue& value, uint32_t byte) {
  for (const BytesWritten& bytes : value.writers) {
    if (byte >= bytes.first && byte - bytes.first < bytes.count) return &bytes.writer;
  }
  return nullptr;
}

std::vector<uint8_t> part(const std::vector<uint8_t>& bytes, uint32_t first, uint32_t count) {
  if (first + count > bytes.size()) return {};
  return {bytes.begin() + first, bytes.begin() + first + count};
}

}  // namespace

uint64_t SliceAlign::work() const {
  uint64_t out = 0;
  for (ProcessView* const view : views_) out += work_of(*view);
  return out;
}

/// The search goes back in time, and ends where the runs begin, or with the budget.
double SliceAlign::done_share(uint64_t time, uint64_t first) const {
  const double back = first == 0 ? 0 : 1 - std::min(1.0, share_of(time, first));
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun_;
  return options_.budget > 0 ? std::max(back, spent.count() / options_.budget) : back;
}

bool SliceAlign::is_late(double share) const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun_;
  return options_.budget > 0 && spent.count() > share * options_.budget;
}

Result<InstructionOf> SliceAlign::instruction_of(ProcessView& view, const InstructionAt& at) {
  views_.insert(&view);
  TRY(const SegmentSteps* segment, view.values->steps(at.block.segment));
  if (at.block.ordinal >= segment->block_count())
    return fail("T008", "segment {} has no block {}", at.block.segment, at.block.ordinal);
  const Position position{{view.process().info.number},
                          {segment->thread_of(at.block.ordinal)},
                          {segment->steps[at.block.ordinal] + at.instruction}};
  return InstructionOf{&view, at, position};
}

Result<InstructionOf> SliceAlign::last_instruction(ProcessView& view, BlockAt block) {
  TRY(const SegmentSteps* segment, view.values->steps(block.segment));
  if (block.ordinal >= segment->block_count())
    return fail("T008", "segment {} has no block {}", block.segment, block.ordinal);
  const uint32_t count = segment->counts[block.ordinal];
  return instruction_of(view, {block, count == 0 ? 0 : count - 1});
}

Result<InstructionOf> SliceAlign::instruction_at(RunSide side, const Position& position) {
  TRY(ProcessView* const view, view_of(runs_.run(side), position.process.value));
  TRY(const ProcessValues::Found found, view->values->find(position.thread, position.step));
  return InstructionOf{view, {found.block, found.instruction}, position};
}

Result<uint32_t> SliceAlign::aligned_node(const InstructionOf& a, const InstructionOf& b) {
  const auto [known, is_new] =
      aligned_.try_emplace({a.position, b.position}, static_cast<uint32_t>(out_.nodes.size()));
  if (is_new) {
    out_.nodes.push_back(
        {.kind = Node::Kind::kAligned, .a = a, .b = b, .is_enhanced = is_enhancing_});
    open_.emplace_back();
  }
  return known->second;
}

void SliceAlign::queue(uint32_t node) {
  if (std::exchange(open_[node].is_queued, true)) return;
  const InstructionOf& b = *out_.nodes[node].b;
  tasks_.push({b.view->number_of(b.at.block), node});
}

void SliceAlign::add_edge(Edge edge) {
  const uint64_t where = edge.kind == Edge::Kind::kControl ? 0 : edge.place_a.where;
  const uint64_t other = edge.kind == Edge::Kind::kControl ? 0 : edge.place_b.where;
  if (edge.from == edge.to) return;
  const auto [known, is_new] =
      edges_.try_emplace({edge.from, edge.to, edge.kind, where, other}, out_.edges.size());
  Open& found = open_[edge.to];
  if (found.found_by == Open::kNone && edge.kind == Edge::Kind::kData) found.found_by = edge.from;
  if (is_new) {
    out_.edges.push_back(std::move(edge));
  } else if (Edge& there = out_.edges[known->second]; edge.place_b.size > there.place_b.size) {
    there = std::move(edge);  // tells of the shorter one's bytes, too
  }
}

Result<void> SliceAlign::add_wrong(const TargetDifference& target) {
  TRY(const InstructionOf at, instruction_at(RunSide::kB, *target.b));
  Node node{.kind = Node::Kind::kUnaligned,
            .type = DivergenceType::kExtraExecution,
            .b = at,
            .bytes_b = target.wrong,
            .is_target = true};
  if (const auto where = runs_.where(RunSide::kB, at.position); where && !where->is_aligned)
    node.region_b = where;
  const auto number = static_cast<uint32_t>(out_.nodes.size());
  out_.nodes.push_back(std::move(node));
  open_.emplace_back();
  target_bytes_[number] = *target.wrong;
  TRY(const auto writers, pairs_.writers_at_end(block_of(at), *target.wrong));
  for (const BytesWritten& written : writers) {
    const BytesOf bytes{target.wrong->in_memory, target.wrong->where + written.first,
                        written.count};
    TRY(const End b, end_of(RunSide::kB, *at.view, written.writer, bytes));
    // The other run's way to do the same, if it has one.
    const auto there =
        b.instruction ? runs_.counterpart(RunSide::kB, b.instruction->position) : std::nullopt;
    const bool is_written = b.writer.kind == LastWriter::Kind::kStatement;
    uint32_t to = 0;
    if (there && is_written) {
      TRY(const InstructionOf a, instruction_at(RunSide::kA, *there));
      TRY(to, aligned_node(a, *b.instruction));
      TRY(const ByteMask mask, result_bytes(b));
      open_[to].statements[b.writer.statement] |= mask;
      queue(to);
    } else {
      const End none{.side = RunSide::kA};
      TRY(to, unaligned_node(&none, &b, DivergenceType::kExtraExecution));
      if (b.where && !b.where->is_aligned) TRY_VOID(to_divergence(to, *b.where));
    }
    add_edge({.from = number,
              .to = to,
              .through = Dependence::Kind::kMemory,
              .place_a = bytes,
              .place_b = bytes});
  }
  return {};
}

Result<void> SliceAlign::add_target(const TargetDifference& target) {
  if (target.wrong) return add_wrong(target);
  if (target.fault) fault_ = target.fault;
  has_stopped_ = has_stopped_ || target.has_stopped;
  std::optional<InstructionOf> a;
  std::optional<InstructionOf> b;
  for (const RunSide side : {RunSide::kA, RunSide::kB}) {
    const std::optional<Position>& position = side == RunSide::kA ? target.a : target.b;
    std::optional<InstructionOf>& to = side == RunSide::kA ? a : b;
    if (!position) continue;
    if (target.fault && target.fault->first == side) {
      TRY(ProcessView* const view, view_of(runs_.run(side), position->process.value));
      TRY(to, instruction_of(*view, target.fault->second));
    } else {
      TRY(to, instruction_at(side, *position));
    }
  }
  const bool corresponds =
      a && b && (target.fault.has_value() || runs_.is_aligned(a->position, b->position));
  if (corresponds) {
    TRY(const uint32_t node, aligned_node(*a, *b));
    out_.nodes[node].is_target = true;
    if (target.place)
      target_bytes_[node] = {target.place->in_memory, target.place->where_b, target.place->size};
    if (target.fault) {
      TRY(const auto operands,
          pairs_.by_encoding(block_of(*a), a->at.instruction, block_of(*b), b->at.instruction));
      out_.nodes[node].has_no_cause = operands.empty();
      for (const DifferentOperand& operand : operands) TRY_VOID(follow(node, operand));
    }
    if (target.place) {
      TRY(const DifferentOperand operand, pairs_.at_end(block_of(*a), block_of(*b), *target.place));
      TRY_VOID(follow(node, operand));
    }
    for (const DifferentOperand& operand : target.operands) TRY_VOID(follow(node, operand));
    if (target.uses) {
      TRY(const auto statements, ValuePairs::all_of(block_of(*a), a->at.instruction));
      for (const auto& [statement, bytes] : statements) open_[node].statements[statement] |= bytes;
      queue(node);
    }
    if (target.decides) {
      out_.nodes[node].is_decision = true;
      open_[node].decides = true;
      queue(node);
    }
  } else {
    // Only one of the runs comes here, or each on a way of its own.
    Node node{.kind = Node::Kind::kUnaligned, .a = a, .b = b, .is_target = true};
    if (a) node.region_a = runs_.where(RunSide::kA, a->position);
    if (b) node.region_b = runs_.where(RunSide::kB, b->position);
    node.type = !a   ? DivergenceType::kExtraExecution
                : !b ? DivergenceType::kExecutionOmission
                     : DivergenceType::kExecutionDifference;
    const auto number = static_cast<uint32_t>(out_.nodes.size());
    const size_t edges = out_.edges.size();
    out_.nodes.push_back(node);
    open_.emplace_back();
    if (target.place && b)
      target_bytes_[number] = {target.place->in_memory, target.place->where_b, target.place->size};
    if (a && b && target.place) {
      TRY(const DifferentOperand operand, pairs_.at_end(block_of(*a), block_of(*b), *target.place));
      TRY_VOID(follow(number, operand));
    }
    const bool has_cause = out_.edges.size() != edges;
    for (const auto& region : {node.region_a, node.region_b}) {
      if (!has_cause && region && !region->is_aligned) TRY_VOID(to_divergence(number, *region));
    }
  }
  return {};
}

Result<CausalGraph> SliceAlign::run(std::span<const TargetDifference> targets) {
  for (const TargetDifference& target : targets) TRY_VOID(add_target(target));
  const uint64_t begun = work();
  const uint64_t first = tasks_.empty() ? 0 : tasks_.top().time;
  while (!tasks_.empty()) {
    const bool is_enough = has_input_ && work() - begun > options_.patience;
    if (out_.nodes.size() >= options_.limit || is_enough || is_late(kBasicShare)) {
      out_.cut = true;
      break;
    }
    if (options_.progress) options_.progress(done_share(tasks_.top().time, first));
    const Task task = tasks_.top();
    tasks_.pop();
    open_[task.node].is_queued = false;
    TRY_VOID(explain(task.node));
  }
  // A node is asked more than once: what one answer lacks, another can have.
  for (const Edge& edge : out_.edges) out_.nodes[edge.from].has_no_cause = false;
  TRY_VOID(add_enhanced());
  for (const Edge& edge : out_.edges) {
    if (out_.nodes[edge.from].kind == Node::Kind::kAligned) out_.nodes[edge.from].is_common = false;
  }
  return std::move(out_);
}

Result<void> SliceAlign::explain(uint32_t node) {
  const InstructionOf a = *out_.nodes[node].a;
  const InstructionOf b = *out_.nodes[node].b;
  Open& open = open_[node];
  TRY(const bool same_code, ValuePairs::is_same_code(block_of(a), block_of(b)));
  std::vector<DifferentOperand> operands;
  const bool decides = open.decides && !std::exchange(open.has_decided, open.decides);
  ValuePairs::Wanted wanted;
  for (const auto& [statement, bytes] : std::exchange(open.statements, {})) {
    const ByteMask fresh = bytes & ~open.done[statement];
    open.done[statement] |= bytes;
    if (fresh != 0) wanted[statement] = fresh;
  }
  if (!same_code || a.at.instruction != b.at.instruction) {
    TRY(operands, pairs_.by_encoding(block_of(a), a.at.instruction, block_of(b), b.at.instruction));
  } else {
    if (decides) {
      TRY(operands, pairs_.decisions(block_of(a), block_of(b)));
      if (operands.empty()) {
        TRY(operands, fault_operands(a, b));
      }
    }
    if (!decides && !wanted.empty()) {
      TRY(const bool is_skipped, skip_rounds(node, wanted));
      if (is_skipped) return {};
    }
    TRY(auto more, pairs_.differences(block_of(a), block_of(b), std::move(wanted)));
    std::ranges::move(more, std::back_inserter(operands));
  }
  if (operands.empty() && open.meant) return follow_freed(node, *std::exchange(open.meant, {}));
  if (operands.empty()) {
    Node& same = out_.nodes[node];
    (same.is_enhanced ? same.is_common : same.has_no_cause) = true;
  }
  for (const DifferentOperand& operand : operands) TRY_VOID(follow(node, operand));
  return {};
}

Result<SliceAlign::CodeOf> SliceAlign::code_of(const InstructionOf& a, const InstructionOf& b) {
  const auto id_of = [](const InstructionOf& of) -> Result<uint32_t> {
    TRY(const SegmentSteps* segment, of.view->values->steps(of.at.block.segment));
    const BlockDef* def = of.view->values->dictionary().find(segment->value(of.at.block.ordinal));
    if (def == nullptr) return fail("T022", "a block is not defined");
    return def->id.value;
  };
  TRY(const uint32_t id_a, id_of(a));
  TRY(const uint32_t id_b, id_of(b));
  return CodeOf{id_a, id_b, a.at.instruction};
}

Result<uint32_t> SliceAlign::round_of(uint32_t node) {
  const Node& of = out_.nodes[node];
  TRY(const CodeOf code, code_of(*of.a, *of.b));
  uint32_t at = open_[node].found_by;
  for (uint32_t i = 0; i < kRoundMost && at != Open::kNone; ++i, at = open_[at].found_by) {
    const Node& there = out_.nodes[at];
    if (there.kind != Node::Kind::kAligned || there.a->view != of.a->view ||
        there.b->view != of.b->view)
      break;
    TRY(const CodeOf other, code_of(*there.a, *there.b));
    if (other != code) continue;
    open_[node].earlier = at;
    open_[node].round = open_[at].round + 1;
    break;
  }
  return open_[node].round;
}

Result<bool> SliceAlign::skip_rounds(uint32_t node, const ValuePairs::Wanted& wanted) {
  TRY(const uint32_t round, round_of(node));
  if (round < kRoundsFollowed) return false;
  const InstructionOf a = *out_.nodes[node].a;
  const InstructionOf b = *out_.nodes[node].b;
  TRY(const CodeOf code, code_of(a, b));
  uint32_t& next = next_skip_.try_emplace(code, kRoundsFollowed).first->second;
  if (round < next) return false;
  // Where it does not help, it is tried again later, so that trying costs no more than following.
  next = round * 2;
  const Node& earlier = out_.nodes[open_[node].earlier];
  TRY(const auto first,
      first_round(runs_, {block_of(a), block_of(b), a.at.instruction, wanted},
                  {block_of(*earlier.a), block_of(*earlier.b), a.at.instruction, wanted},
                  [&] { return is_late(kBasicShare); }));
  if (!first || first->rounds < kRoundsFollowed) return false;
  TRY(const InstructionOf from_a, instruction_at(RunSide::kA, first->a));
  TRY(const InstructionOf from_b, instruction_at(RunSide::kB, first->b));
  // Pointers that mean the same have no cause to differ.
  TRY(const auto operands, pairs_.differences(block_of(from_a), block_of(from_b), wanted));
  if (operands.empty()) return false;
  TRY(const auto own, pairs_.differences(block_of(a), block_of(b), wanted));
  TRY(const uint32_t to, aligned_node(from_a, from_b));
  for (const auto& [statement, bytes] : wanted) open_[to].statements[statement] |= bytes;
  queue(to);
  Edge edge{.from = node, .to = to, .rounds = first->rounds};
  // What is carried is read where the last rounds read it, too.
  const auto carried = std::ranges::find_if(own, [](const DifferentOperand& operand) {
    return !operand.for_address && !operand.a.bytes.empty();
  });
  if (carried != own.end()) {
    const bool in_memory = carried->kind == Dependence::Kind::kMemory;
    edge.through = carried->kind;
    edge.place_a = {in_memory, carried->a.where, carried->size};
    edge.place_b = {in_memory, carried->b.where, carried->size};
    edge.value_a = carried->a.bytes;
    edge.value_b = carried->b.bytes;
  }
  add_edge(std::move(edge));
  return true;
}

Result<std::optional<InstructionOf>> SliceAlign::fault_behind(const InstructionOf& at) {
  TRY(const SegmentSteps* segment, at.view->values->steps(at.at.block.segment));
  const uint32_t thread = segment->thread_of(at.at.block.ordinal);
  for (const PartialBlock& partial : segment->runs.partial) {
    const bool is_here =
        partial.ordinal == at.at.block.ordinal && partial.completed == at.at.instruction + 1;
    const bool is_next = partial.ordinal == at.at.block.ordinal + 1 && partial.completed == 0 &&
                         segment->thread_of(partial.ordinal) == thread;
    if (!is_here && !is_next) continue;
    TRY(InstructionOf out,
        instruction_of(*at.view, {{at.at.block.segment, partial.ordinal}, partial.completed}));
    return out;
  }
  return std::nullopt;
}

Result<std::vector<DifferentOperand>> SliceAlign::fault_operands(const InstructionOf& a,
                                                                 const InstructionOf& b) {
  TRY(auto next_a, fault_behind(a));
  TRY(auto next_b, fault_behind(b));
  if (next_a.has_value() == next_b.has_value()) return std::vector<DifferentOperand>{};
  // The other run has executed the instruction that this one could not.
  const RunSide side = next_a ? RunSide::kB : RunSide::kA;
  Position there = next_a ? b.position : a.position;
  there.step = {there.step.value + 1};
  auto found = instruction_at(side, there);
  if (!found) return std::vector<DifferentOperand>{};
  (next_a ? next_b : next_a) = *found;
  return pairs_.by_encoding(block_of(*next_a), next_a->at.instruction, block_of(*next_b),
                            next_b->at.instruction);
}

Result<void> SliceAlign::follow(uint32_t node, const DifferentOperand& operand) {
  if (operand.ended) return follow_freed(node, *operand.ended);
  if (operand.kind == Dependence::Kind::kValue) {
    return follow_pair(node, operand, 0, operand.size, operand.a.writers[0].writer,
                       operand.b.writers[0].writer);
  }
  // Bytes that have the same writers belong together.
  for (uint32_t first = 0; first < operand.size;) {
    const LastWriter* a = writer_of(operand.a, first);
    const LastWriter* b = writer_of(operand.b, first);
    uint32_t count = 1;
    const auto is_same = [](const LastWriter* x, const LastWriter* y) {
      return x == y || (x != nullptr && y != nullptr && *x == *y);
    };
    while (first + count < operand.size && is_same(writer_of(operand.a, first + count), a) &&
           is_same(writer_of(operand.b, first + count), b))
      ++count;
    const bool is_equal =
        !operand.is_other_block && !operand.a.bytes.empty() &&
        part(operand.a.bytes, first, count) == part(operand.b.bytes, first, count) &&
        !part(operand.a.bytes, first, count).empty();
    if (a != nullptr && b != nullptr && !is_equal)
      TRY_VOID(follow_pair(node, operand, first, count, *a, *b));
    else if (!is_equal)
      ++out_.unfollowed;
    first += count;
  }
  return {};
}

Result<void> SliceAlign::follow_pair(uint32_t node, const DifferentOperand& operand, uint32_t first,
                                     uint32_t count, const LastWriter& a, const LastWriter& b) {
  const bool in_memory = operand.kind == Dependence::Kind::kMemory;
  const BytesOf bytes_a{in_memory, operand.a.where + first, count};
  const BytesOf bytes_b{in_memory, operand.b.where + first, count};
  ProcessView& view_a = *out_.nodes[node].a->view;
  ProcessView& view_b = *out_.nodes[node].b->view;
  const auto value_a = part(operand.a.bytes, first, count);
  const auto value_b = part(operand.b.bytes, first, count);
  TRY(End end_a, end_of_read(RunSide::kA, view_a, a, bytes_a, value_a));
  TRY(End end_b, end_of_read(RunSide::kB, view_b, b, bytes_b, value_b));
  if (operand.kind == Dependence::Kind::kValue) {
    end_a.bytes.size = end_b.bytes.size = 0;
    end_a.value_bytes = end_b.value_bytes = operand.value_bytes;
  }
  if (operand.is_elsewhere && !tells_more(end_a, end_b)) return {};
  const auto parts = std::ranges::mismatch(value_a, value_b);
  if (parts.in1 != value_a.end() && parts.in2 != value_b.end()) {
    end_a.differs = end_b.differs = static_cast<uint32_t>(parts.in1 - value_a.begin());
    end_a.byte = *parts.in1;
    end_b.byte = *parts.in2;
  }
  TRY(const auto to, join(end_a, end_b));
  if (!to) return {};
  if (operand.meant && !open_[*to].meant) open_[*to].meant = operand.meant;
  Edge edge{.from = node,
            .to = *to,
            .kind = Edge::Kind::kData,
            .for_address = operand.for_address,
            .through = operand.kind,
            .place_a = bytes_a,
            .place_b = bytes_b,
            .value_a = value_a,
            .value_b = value_b,
            .is_reused = operand.meant.has_value()};
  add_edge(std::move(edge));
  return {};
}

Result<ByteMask> SliceAlign::result_bytes(const End& end) {
  if (end.bytes.size == 0) return end.value_bytes;
  return end.view->slicer.result_bytes(end.writer, end.bytes.in_memory, end.bytes.where,
                                       end.bytes.size);
}

bool SliceAlign::tells_more(const End& a, const End& b) const {
  const bool written_a = a.writer.kind == LastWriter::Kind::kStatement;
  const bool written_b = b.writer.kind == LastWriter::Kind::kStatement;
  const bool corresponds = a.instruction && b.instruction &&
                           runs_.is_aligned(a.instruction->position, b.instruction->position);
  // The same instruction wrote it in both runs, or one of them has a writer that the other lacks.
  // Both aligned, but not with each other: a wild read, which the address explains.
  const bool is_off = (a.where && !a.where->is_aligned) || (b.where && !b.where->is_aligned);
  if (written_a && written_b) return corresponds || is_off;
  if (written_a || written_b) return is_off;
  if (!a.source || !b.source || a.source->kind != b.source->kind) return false;
  // The same byte of the same input, wherever it was put.
  const bool is_same_input =
      a.source->kind == OutsideSource::Kind::kSyscall
          ? corresponds
          : a.source->kind == OutsideSource::Kind::kStartup && a.source->input == b.source->input;
  return is_same_input && a.source->offset == b.source->offset;
}

Result<std::optional<uint32_t>> SliceAlign::join(const End& a, const End& b) {
  const bool written_a = a.writer.kind == LastWriter::Kind::kStatement;
  const bool written_b = b.writer.kind == LastWriter::Kind::kStatement;
  const bool corresponds = a.instruction && b.instruction &&
                           runs_.is_aligned(a.instruction->position, b.instruction->position);
  if (written_a && written_b && corresponds) {
    TRY(const uint32_t node, aligned_node(*a.instruction, *b.instruction));
    TRY(const ByteMask bytes_a, result_bytes(a));
    TRY(const ByteMask bytes_b, result_bytes(b));
    // Copies that end at different places bring a byte in other lanes, from other addresses.
    if (bytes_a != bytes_b) {
      TRY(const bool is_copied, follow_copies(node, a, b));
      if (is_copied) return node;
    }
    open_[node].statements[a.writer.statement] |= bytes_a | bytes_b;
    queue(node);
    return node;
  }
  const bool is_off_a = a.where && !a.where->is_aligned;
  const bool is_off_b = b.where && !b.where->is_aligned;
  const bool are_inputs = !written_a && !written_b;
  if (are_inputs) {
    TRY(const auto own, own_file_node(a, b));
    if (own) return own;
    TRY(const auto call, call_node(a, b));
    if (call) return call;
    TRY(const auto directory, directory_node(a, b));
    if (directory) return directory;
  }
  if (are_inputs && !is_off_a && !is_off_b) return input_node(a, b);
  const DivergenceType type = is_off_a && is_off_b ? DivergenceType::kExecutionDifference
                              : is_off_a           ? DivergenceType::kExecutionOmission
                              : is_off_b           ? DivergenceType::kExtraExecution
                                                   : DivergenceType::kWildWrite;
  TRY(const uint32_t node, unaligned_node(&a, &b, type));
  bool is_copied = false;
  if (written_a && written_b) {
    TRY(is_copied, follow_copies(node, a, b));
  }
  // Which way a copy took says nothing about what it brought.
  for (const End* end : {&a, &b}) {
    if (end->where && !end->where->is_aligned && !is_copied)
      TRY_VOID(to_divergence(node, *end->where));
  }
  if (type == DivergenceType::kWildWrite) {
    TRY_VOID(wild_write(node, a));
    TRY_VOID(wild_write(node, b));
  }
  // What the kernel wrote in one of them is an input, wherever the call was made.
  if (a.source || b.source) {
    const auto is_input = [](const End& end) {
      using Kind = OutsideSource::Kind;
      return end.source &&
             (end.source->kind == Kind::kSyscall || end.source->kind == Kind::kStartup);
    };
    if (is_input(a) || is_input(b)) {
      TRY(const uint32_t input, input_node(a, b));
      add_edge({.from = node, .to = input, .place_a = a.bytes, .place_b = b.bytes});
    }
  }
  if (type == DivergenceType::kWildWrite)
    out_.nodes[node].has_no_cause =
        std::ranges::find(out_.edges, node, &Edge::from) == out_.edges.end();
  return node;
}

Result<std::vector<SliceAlign::End>> SliceAlign::copied_ends(const End& end) {
  std::vector<End> out{end};
  if (end.bytes.size <= end.differs) return out;
  BytesOf byte{end.bytes.in_memory, end.bytes.where + end.differs, 1};
  while (out.size() <= kCopiesMost) {
    TRY(const auto from, copied_from(*out.back().view, out.back().writer, byte));
    if (!from) break;
    byte = from->from;
    TRY(End next, end_of(end.side, *out.back().view, from->writer, byte));
    if (next.view != out.back().view) break;
    next.byte = end.byte;  // a copy stays what it is
    out.push_back(std::move(next));
  }
  return out;
}

Result<bool> SliceAlign::follow_copies(uint32_t node, const End& a, const End& b) {
  TRY(const auto ends_a, copied_ends(a));
  TRY(const auto ends_b, copied_ends(b));
  for (size_t sum = 1; sum + 1 < ends_a.size() + ends_b.size(); ++sum) {
    for (size_t i = 0; i <= sum && i < ends_a.size(); ++i) {
      if (sum - i >= ends_b.size()) continue;
      const End& x = ends_a[i];
      const End& y = ends_b[sum - i];
      const bool corresponds = x.instruction && y.instruction &&
                               x.source.has_value() == y.source.has_value() &&
                               runs_.is_aligned(x.instruction->position, y.instruction->position);
      if (!corresponds) continue;
      TRY(const auto to, join(x, y));
      if (!to) return false;
      Edge edge{.from = node,
                .to = *to,
                .through = Dependence::Kind::kMemory,
                .place_a = x.bytes,
                .place_b = y.bytes};
      if (a.byte && b.byte) {
        edge.value_a = {*a.byte};
        edge.value_b = {*b.byte};
      }
      add_edge(std::move(edge));
      return true;
    }
  }
  return false;
}

Result<uint32_t> SliceAlign::unaligned_node(const End* a, const End* b, DivergenceType type) {
  const auto key_of = [](const End* end) {
    return end->where && !end->where->is_aligned ? end->where->key() : kNoRegion;
  };
  const auto position_of = [](const End* end) {
    return end->instruction ? end->instruction->position : Position{{0}, {0}, {0}};
  };
  // Of a region there is one node; what both runs executed is told apart by where.
  const RegionKey key_a = key_of(a);
  const RegionKey key_b = key_of(b);
  const bool has_region = key_a != kNoRegion || key_b != kNoRegion;
  const Position none{{0}, {0}, {0}};
  const auto [known, is_new] = unaligned_.try_emplace(
      {type, key_a, key_b, has_region ? none : position_of(a), has_region ? none : position_of(b)},
      static_cast<uint32_t>(out_.nodes.size()));
  if (is_new) {
    Node node{.kind = Node::Kind::kUnaligned,
              .type = type,
              .a = a->instruction,
              .b = b->instruction,
              .source_a = a->source,
              .source_b = b->source,
              .bytes_a = a->bytes,
              .bytes_b = b->bytes,
              .is_enhanced = is_enhancing_};
    if (key_a != kNoRegion) node.region_a = a->where;
    if (key_b != kNoRegion) node.region_b = b->where;
    out_.nodes.push_back(std::move(node));
    open_.emplace_back();
    return known->second;
  }
  Node& node = out_.nodes[known->second];
  for (const End* end : {a, b}) {
    const auto& first = end->side == RunSide::kA ? node.a : node.b;
    if (!end->instruction || (first && first->position == end->instruction->position)) continue;
    const bool is_there = std::ranges::any_of(node.more, [&](const auto& member) {
      return member.first == end->side && member.second.position == end->instruction->position;
    });
    if (!is_there) node.more.emplace_back(end->side, *end->instruction);
  }
  return known->second;
}

Result<void> SliceAlign::to_divergence(uint32_t node, const Where& where) {
  const auto points = runs_.divergence_point(where);
  if (!points) {
    out_.nodes[node].has_no_cause = true;
    return {};
  }
  TRY(const InstructionOf a, instruction_at(RunSide::kA, points->a));
  TRY(const InstructionOf b, instruction_at(RunSide::kB, points->b));
  TRY(const uint32_t decision, aligned_node(a, b));
  out_.nodes[decision].is_decision = true;
  if (!open_[decision].has_decided) {
    open_[decision].decides = true;
    queue(decision);
  }
  add_edge({.from = node, .to = decision, .kind = Edge::Kind::kControl});
  return {};
}

Result<uint32_t> SliceAlign::input_node(const End& a, const End& b) {
  const auto name_of = [](const End& end) {
    return end.source ? end.source->call + " " + end.source->input : std::string();
  };
  const auto position_of = [](const End& end) {
    return end.source ? end.source->position : Position{{0}, {0}, {0}};
  };
  const auto [known, is_new] =
      inputs_.try_emplace({a.source ? static_cast<int>(a.source->kind) : -1, position_of(a),
                           position_of(b), name_of(a), name_of(b)},
                          static_cast<uint32_t>(out_.nodes.size()));
  if (is_new) {
    has_input_ |= a.source && b.source && is_given(*a.source) && is_given(*b.source);
    Node node{.kind = Node::Kind::kInput,
              .source_a = a.source,
              .source_b = b.source,
              .is_enhanced = is_enhancing_};
    if (a.source) node.a = a.instruction;
    if (b.source) node.b = b.instruction;
    if (a.source) node.bytes_a = a.bytes;
    if (b.source) node.bytes_b = b.bytes;
    out_.nodes.push_back(std::move(node));
    open_.emplace_back();
    return known->second;
  }
  // One node for all that a call brought; it tells the first bytes of them.
  Node& node = out_.nodes[known->second];
  const auto widen = [](std::optional<BytesOf>& bytes, std::optional<OutsideSource>& source,
                        const End& end) {
    if (!bytes || !end.source || bytes->in_memory != end.bytes.in_memory) return;
    const uint64_t from = std::min(bytes->where, end.bytes.where);
    const uint64_t to = std::max(bytes->where + bytes->size, end.bytes.where + end.bytes.size);
    if (from < bytes->where) source = end.source;
    bytes->where = from;
    bytes->size = static_cast<uint32_t>(to - from);
  };
  widen(node.bytes_a, node.source_a, a);
  widen(node.bytes_b, node.source_b, b);
  return known->second;
}

Result<std::optional<uint32_t>> SliceAlign::own_file_node(const End& a, const End& b) {
  if (!a.source || !b.source) return std::nullopt;
  std::array<End, 2> ends{a, b};
  std::array<std::vector<uint8_t>, 2> data;
  for (End& end : ends) {
    TRY(const auto written,
        own_files_.find(end.side, *end.view, *end.source, end.writer.block, end.bytes.size));
    if (!written) return std::nullopt;
    TRY(end.instruction, last_instruction(*end.view, written->block));
    end.where = runs_.where(end.side, end.instruction->position);
    end.bytes = written->bytes;
    data[end.side == RunSide::kA ? 0 : 1] = written->data;
    end.source.reset();
  }
  auto& [from_a, from_b] = ends;
  const bool is_off_a = from_a.where && !from_a.where->is_aligned;
  const bool is_off_b = from_b.where && !from_b.where->is_aligned;
  uint32_t node = 0;
  if (runs_.is_aligned(from_a.instruction->position, from_b.instruction->position)) {
    TRY(node, aligned_node(*from_a.instruction, *from_b.instruction));
  } else {
    TRY(node, unaligned_node(&from_a, &from_b,
                             is_off_a && is_off_b ? DivergenceType::kExecutionDifference
                             : is_off_a           ? DivergenceType::kExecutionOmission
                             : is_off_b           ? DivergenceType::kExtraExecution
                                                  : DivergenceType::kWildWrite));
    for (const End* end : {&from_a, &from_b}) {
      if (end->where && !end->where->is_aligned) TRY_VOID(to_divergence(node, *end->where));
    }
  }
  const uint32_t size = std::min(from_a.bytes.size, from_b.bytes.size);
  TRY(DifferentOperand operand,
      pairs_.at_end(block_of(*from_a.instruction), block_of(*from_b.instruction),
                    {true, from_a.bytes.where, from_b.bytes.where, size}));
  operand.a.bytes = part(data[0], 0, size);
  operand.b.bytes = part(data[1], 0, size);
  TRY_VOID(follow(node, operand));
  return node;
}

Result<void> SliceAlign::wild_write(uint32_t node, const End& end) {
  if (end.writer.kind != LastWriter::Kind::kStatement || !end.bytes.in_memory) return {};
  const auto there = runs_.counterpart(end.side, end.instruction->position);
  if (!there) return {};
  TRY(const InstructionOf other_one, instruction_at(other(end.side), *there));
  const InstructionOf& a = end.side == RunSide::kA ? *end.instruction : other_one;
  const InstructionOf& b = end.side == RunSide::kA ? other_one : *end.instruction;
  TRY(const bool same_code, ValuePairs::is_same_code(block_of(a), block_of(b)));
  std::vector<DifferentOperand> operands;
  if (same_code && a.at.instruction == b.at.instruction) {
    TRY(operands,
        pairs_.differences(block_of(a), block_of(b), {{end.writer.statement, kAllBytes}}));
    std::erase_if(operands, [](const DifferentOperand& operand) { return !operand.for_address; });
  } else {
    // The encoding does not tell which of them the address was computed from.
    TRY(operands, pairs_.by_encoding(block_of(a), a.at.instruction, block_of(b), b.at.instruction));
  }
  if (operands.empty()) return {};
  TRY(const uint32_t writer, aligned_node(a, b));
  add_edge({.from = node,
            .to = writer,
            .for_address = true,
            .through = Dependence::Kind::kMemory,
            .place_a = end.bytes,
            .place_b = end.bytes});
  for (const DifferentOperand& operand : operands) TRY_VOID(follow(writer, operand));
  return {};
}

}  // namespace twinrun
