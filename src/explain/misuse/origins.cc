// SPDX-License-Identifier: MIT
// Which object was the pointer of an access made from?
//
// PointerTrace follows the address back. Two things are added here. What is an address at a moment
// is told by what was mapped then, so that no snapshot of memory is needed. And an addition that
// takes the pointer out of its object is looked at closely: `p += new - old` is how programs move
// pointers into a block that realloc has moved, and is no overflow. So the statements that the
// added number was computed from are searched for a difference of two objects' addresses, each
// statement of the code once, so that loops end; if there is one, or too much to search, the
// pointer's origin counts as unknown.
#include "explain/misuse/origins.h"

#include "explain/graph/work.h"
#include "trace/initial_stack.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace twinrun {
namespace {

constexpr uint64_t kLowest = 0x10000;      // numbers below are no addresses
constexpr uint64_t kStackMost = 64 << 20;  // that a stack grows

}  // namespace

Origins::Origins(ProcessView& view, const AllocationLog& log, Options options)
    : view_(view),
      log_(log),
      options_(options),
      trace_(
          view, log, [this](uint64_t value, uint64_t block) { return is_address(value, block); },
          options.steps) {
  trace_.set_moves(
      [this](const PointerTrace::Addition& added) -> Result<bool> { return is_moved(added); });
  trace_.set_passes([this](BlockAt block, uint32_t statement, uint64_t value) {
    found_.passes.push_back({block, statement, value});
  });
  if (const auto stack = initial_stack(view.values->reader(), view.process().info.number)) {
    for (const InitialString& one : stack->strings) stack_top_ = std::max(stack_top_, one.address);
  }
}

bool Origins::is_address(uint64_t value, uint64_t block) const {
  if (value < kLowest) return false;
  if (view_.maps.find({value}, block) != nullptr) return true;
  // The main stack grows without being mapped anew.
  return value < stack_top_ && stack_top_ - value < kStackMost;
}

bool Origins::is_one_object(uint64_t x, uint64_t y, uint64_t block) const {
  // A pointer just behind an object belongs to it, too.
  for (const auto& [one, other] : {std::pair(x, y), {x - 1, y}, {x, y - 1}}) {
    const Allocation* of_one = log_.latest(one, block);
    const Allocation* of_other = log_.latest(other, block);
    if (of_one != nullptr && of_one == of_other) return true;
    if (of_one != nullptr || of_other != nullptr) continue;
    const Mapping* in_one = view_.maps.find({one}, block);
    if (in_one != nullptr && in_one == view_.maps.find({other}, block)) return true;
  }
  return false;
}

Result<bool> Origins::is_moved(const PointerTrace::Addition& added) {
  // Each such addition has cost its block's values.
  if (++runs_ > options_.most_runs) return true;
  if (is_one_object(added.from, added.to, view_.number_of(added.block))) return false;
  if (added.operand.kind != IrOperand::Kind::kTemp) return false;
  struct Statement {
    BlockAt block;
    uint32_t number = 0;
  };
  TRY(const BlockFlow* start, view_.slicer.flow_at(added.block));
  const uint32_t definition = start->definition_of[added.operand.value];
  if (definition == ~0u) return true;
  std::vector<Statement> open{{added.block, definition}};
  std::set<std::pair<uint32_t, uint32_t>> known;  // by the block's code
  const SliceOptions how{.addresses = false, .control = false};
  while (!open.empty()) {
    const Statement now = open.back();
    open.pop_back();
    TRY(const SegmentSteps* segment, view_.values->steps(now.block.segment));
    if (!known.insert({segment->value(now.block.ordinal), now.number}).second) continue;
    if (known.size() > options_.offsets) return true;
    TRY(const BlockFlow* flow, view_.slicer.flow_at(now.block));
    const IrStatement& st = flow->ir.statements[now.number];
    if (st.tag == TW_STMT_OP && op_name(st.op) == "Sub64") {
      if (++runs_ > options_.most_runs) return true;
      TRY(Regenerator* const there, view_.values->run_to(now.block));
      const auto value = [&](uint32_t i) {
        const IrOperand& operand = flow->ir.operands[st.operands + i];
        return operand.kind == IrOperand::Kind::kTemp
                   ? there->machine().word(flow->code->temps[operand.value])
                   : operand.value;
      };
      const uint64_t left = value(0);
      const uint64_t right = value(1);
      const uint64_t block = view_.number_of(now.block);
      if (is_address(left, block) && is_address(right, block) && !is_one_object(left, right, block))
        return true;
    }
    TRY(const auto sources, view_.slicer.sources(now.block, now.number, kAllBytes, how));
    for (const FlowSource& source : sources) {
      if (source.writer.kind == LastWriter::Kind::kStatement)
        open.push_back({source.writer.block, source.writer.statement});
    }
  }
  return false;
}

Result<std::optional<Origins::Found>> Origins::of_access(BlockAt block, uint32_t statement,
                                                         uint64_t address) {
  if (options_.traces == 0 || spent_ > options_.segments) {
    ++unfollowed_;
    return std::nullopt;
  }
  --options_.traces;
  const uint64_t begun = work_of(view_);
  runs_ = 0;
  found_ = {};
  TRY(const BlockFlow* flow, view_.slicer.flow_at(block));
  const IrStatement& st = flow->ir.statements[statement];
  uint32_t which = 0;
  while (which < st.operand_count && !is_address_operand(st, which)) ++which;
  if (which == st.operand_count) return std::nullopt;
  const IrOperand operand = flow->ir.operands[st.operands + which];
  TRY(found_.from, trace_.of_operand(block, statement, operand, address));
  spent_ += work_of(view_) - begun;
  if (found_.from.kind == TracedPointer::Kind::kUnknown) return std::nullopt;
  return std::move(found_);
}

Result<std::vector<Origins::Found::Pass>> Origins::passes_of(BlockAt block, uint32_t statement,
                                                             uint64_t address) {
  // What it is made of may be out of reach; how far it was followed counts all the same.
  if (const auto found = of_access(block, statement, address))
    return found->value_or(found_).passes;
  return std::vector<Found::Pass>{};
}

}  // namespace twinrun
