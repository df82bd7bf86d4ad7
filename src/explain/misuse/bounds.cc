// SPDX-License-Identifier: MIT
// What should have kept an access inside of its object.
//
// The line that goes beyond an object is rarely the mistake. More often it is the bound: the check
// in front of the access let it pass, since what it compares with is wrong, or what it compares
// itself. So the branch that decided that the access was executed is told, and where the values
// came from that it compared: their latest writers, one line each. Of what a library did it is the
// program's call that is decided, and the numbers that it was given count as much.
//
// Costs the control flow of the chunk, and a few nodes of a slice, for each misuse that is told.
#include "explain/misuse/side_checks.h"

#include <algorithm>
#include <cstring>

namespace twinrun {
namespace {

constexpr size_t kBoundsTold = 3;
constexpr uint32_t kAtEnd = ~0u;  // a statement behind the block's last one
// A loop counts itself up again and again; but a value that is kept across calls passes the pushes
// and pops of the same functions several times.
const SliceOptions kCompared{
    .limit = 200, .addresses = false, .control = false, .instances = 8, .visits = 1000};

/// It moves the stack pointer: a push or a pop only keeps a register for a while.
bool moves_stack(const BlockFlow& flow, uint32_t instruction) {
  for (uint32_t i = 0; i < flow.ir.statements.size(); ++i) {
    const IrStatement& st = flow.ir.statements[i];
    if (flow.instruction_of[i] == instruction && st.tag == TW_STMT_PUT && st.offset == reg::kRsp)
      return true;
  }
  return false;
}

std::optional<uint64_t> word_of(const Registers& registers, uint32_t offset) {
  uint64_t out = 0;
  if (!registers.knows(offset, sizeof out)) return std::nullopt;
  std::memcpy(&out, registers.bytes.data() + offset, sizeof out);
  return out;
}

}  // namespace

Result<std::optional<InstructionAt>> SideChecks::program_access(const FoundMisuse& found) {
  if (rules_.is_program(found.pc, found.told.time))
    return InstructionAt{found.block, found.instruction};
  for (const ActiveCalls::Frame& frame : calls_at(found.block).frames) {
    if (frame.is_inherited || frame.call == 0) break;
    if (!rules_.is_program(frame.call, frame.block)) continue;
    TRY(const auto block, block_of(frame.block));
    if (!block) break;
    TRY(const SegmentSteps* segment, view_.values->steps(block->segment));
    const uint32_t count = segment->counts[block->ordinal];
    if (count == 0) break;
    return InstructionAt{*block, count - 1};
  }
  return std::nullopt;
}

Result<void> SideChecks::find_bounds(const FoundMisuse& found, Misuse& out) {
  TRY(const auto access, program_access(found));
  if (!access) return {};
  TRY(const auto branch, decider_of(*access));
  if (branch) {
    TRY(const uint64_t pc, pc_of(*branch));
    out.let_in = rules_.own_line(pc, view_.number_of(branch->block));
    TRY(const Slice compared, view_.slicer.slice(*branch, kCompared));
    TRY_VOID(add_bounds(compared, out));
  }
  // A library goes as far as it was told: by the argument that says so.
  if (access->block != found.block) {
    constexpr uint64_t kEndOfText = 1;
    TRY(const Registers registers, registers_before(view_, *access));
    const uint64_t begin = word_of(registers, reg::kRdi).value_or(0);
    TRY(const uint64_t end, filled_to({.block = found.block}, begin));
    for (const uint32_t argument : {reg::kRdx, reg::kRsi}) {
      const auto told = word_of(registers, argument);
      if (!told || end == begin || *told - (end - begin) > kEndOfText) continue;
      TRY(const auto writers,
          view_.slicer.writers().registers({access->block, kAtEnd}, argument, kWordSize));
      TRY(const Slice length,
          view_.slicer.slice(writers, kCompared, Slicer::BytesAt{false, argument}));
      TRY_VOID(add_bounds(length, out));
    }
  }
  const auto& line = out.let_in;
  if (line && line->line == out.at.line && line->file == out.at.file) out.let_in.reset();
  return {};
}

Result<std::optional<InstructionAt>> SideChecks::decider_of(const InstructionAt& access) {
  if (!control_) control_.emplace(view_.of, *view_.values);
  TRY(const SegmentSteps* segment, view_.values->steps(access.block.segment));
  ControlFinder::Found decided;
  TRY_VOID(control_->ask(access, segment->value(access.block.ordinal), 0, decided));
  // What was decided in front of the chunk is far away.
  if (decided.answers.empty()) return std::nullopt;
  const BlockAt block = decided.answers.front().at;
  TRY(const SegmentSteps* there, view_.values->steps(block.segment));
  const BlockDef* def = view_.values->dictionary().find(there->value(block.ordinal));
  const uint32_t count = there->counts[block.ordinal];
  // Only the call of the function decides.
  if (def == nullptr || def->jump == TW_JUMP_CALL || count == 0) return std::nullopt;
  return InstructionAt{block, count - 1};
}

Result<void> SideChecks::add_bounds(const Slice& slice, Misuse& out) {
  std::vector<NamedInstruction> known = out.bounds;
  known.push_back(out.at);
  if (out.let_in) known.push_back(*out.let_in);
  for (const InstructionAt& node : slice.nodes) {
    if (out.bounds.size() == kBoundsTold) break;
    TRY(const BlockFlow* flow, view_.slicer.flow_at(node.block));
    if (moves_stack(*flow, node.instruction)) continue;
    TRY(const uint64_t at, pc_of(node));
    const auto line = rules_.own_line(at, view_.number_of(node.block));
    const auto is_it = [&](const NamedInstruction& one) {
      return one.line == line->line && one.file == line->file;
    };
    if (!line || std::ranges::any_of(known, is_it)) continue;
    known.push_back(*line);
    out.bounds.push_back(*line);
  }
  return {};
}

}  // namespace twinrun
