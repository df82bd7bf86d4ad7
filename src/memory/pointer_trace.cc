// SPDX-License-Identifier: MIT
// Where was a pointer made?
//
// The paper's online semantics carries a canonical value along with every pointer: rule 8 for an
// address that is taken, 9 for a copy, 10 for pointer arithmetic. Here nothing is carried; the
// value is followed back on demand. Each step is a statement of the recorded IR:
//   - PUT, STORE, MOVE, GET, LOAD copy: go to who wrote the bytes;
//   - x + y and x - y: go to the operand that is the pointer. The paper knows it from the types;
//     here it is the one whose value is an address, when the other one's is not; of x - y always x.
//     x & mask and x | bits with a constant (alignment, tags) go to x;
//   - a choice goes to the operand that was chosen.
// It ends where the pointer was made:
//   - the bytes were written inside an allocator, by the call that returned this value. A later
//   call
//     that returned the same number has made another pointer;
//   - the stack pointer was read (its own history is pushes and calls);
//   - a constant of the code (lea from rip, an immediate), or what the kernel has returned.
//
// It terminates because each step goes back in time, or to an earlier statement of the same block.
#include "memory/pointer_trace.h"

#include <algorithm>
#include <array>
#include <bit>

namespace twinrun {
namespace {

constexpr uint32_t kPointerSize = 8;

}  // namespace

PointerTrace::Next PointerTrace::unknown(TracedPointer& out, std::string why) {
  out.kind = TracedPointer::Kind::kUnknown;
  out.why = std::move(why);
  return Next::kDone;
}

PointerTrace::Next PointerTrace::found(TracedPointer& out, TracedPointer::Kind kind,
                                       uint64_t origin, uint64_t block, ThreadNo thread) {
  out.kind = kind;
  out.origin = origin;
  out.block = block;
  out.thread = thread;
  return Next::kDone;
}

Result<TracedPointer> PointerTrace::go(At at, Next next, TracedPointer out) {
  while (next == Next::kGoOn) {
    if (++out.steps > most_steps_) {
      unknown(out, "it comes from too far away");
      break;
    }
    TRY(next, step(at, out));
  }
  out.at = at.block;
  out.statement = at.statement;
  return out;
}

Result<TracedPointer> PointerTrace::of_memory(Moment moment, uint64_t address, uint64_t value) {
  TracedPointer out{.value = value};
  At at{moment.block, moment.statement, value};
  TRY(const auto writers, view_.slicer.writers().memory(moment, address, kPointerSize));
  TRY(const Next next, written(writers, true, address, at, out));
  return go(at, next, std::move(out));
}

Result<TracedPointer> PointerTrace::of_operand(BlockAt block, uint32_t statement,
                                               const IrOperand& what, uint64_t value) {
  TracedPointer out{.value = value};
  At at{block, statement, value};
  TRY(const BlockFlow* flow, view_.slicer.flow_at(block));
  TRY(const Next next, operand(*flow, what, at, out));
  return go(at, next, std::move(out));
}

Result<PointerTrace::Next> PointerTrace::written(const std::vector<BytesWritten>& writers,
                                                 bool in_memory, uint64_t where, At& at,
                                                 TracedPointer& out) {
  if (writers.size() != 1 || writers[0].count != kPointerSize)
    return unknown(out, "its bytes come from several places");
  const LastWriter& writer = writers[0].writer;
  const uint64_t reader = view_.number_of(at.block);
  const uint64_t block = writer.kind == LastWriter::Kind::kOutside
                             ? view_.number_of({writer.block.segment, writer.outside.at})
                             : view_.number_of(writer.block);
  switch (writer.kind) {
    case LastWriter::Kind::kStatement: {
      // A block of the program that had begun behind the allocator's return sees its result.
      if (const Allocation* made = log_.returned(at.value, block, reader)) {
        out.allocation = made;
        return found(out, TracedPointer::Kind::kAllocation, at.value, made->block, made->thread);
      }
      TRY(const ByteMask bytes, view_.slicer.result_bytes(writer, in_memory, where, kPointerSize));
      at = {writer.block, writer.statement, at.value, 0};
      at.skip = bytes == kAllBytes ? 0 : static_cast<uint32_t>(std::countr_zero(bytes));
      if (passes_) passes_(at.block, at.statement, at.value);
      return Next::kGoOn;
    }
    case LastWriter::Kind::kOutside:
      if (writer.outside.kind == OutsideWrite::Kind::kClobbered)
        return unknown(out, "it was changed unseen");
      return found(out, TracedPointer::Kind::kOutside, at.value, block, {});
    case LastWriter::Kind::kParent: return unknown(out, "it is from before the fork");
    case LastWriter::Kind::kStart:
      return found(out, TracedPointer::Kind::kOutside, at.value, 0, {});
  }
  return unknown(out, "its writer is not known");
}

Result<PointerTrace::Next> PointerTrace::step(At& at, TracedPointer& out) {
  TRY(const BlockFlow* flow, view_.slicer.flow_at(at.block));
  const IrStatement& st = flow->ir.statements[at.statement];
  const auto nth = [&](uint32_t i) -> const IrOperand& {
    return flow->ir.operands[st.operands + i];
  };
  LastWriters& writers = view_.slicer.writers();
  switch (st.tag) {
    case TW_STMT_PUT:
    case TW_STMT_MOVE: return operand(*flow, nth(0), at, out);
    case TW_STMT_STORE:
    case TW_STMT_STOREG: return operand(*flow, nth(1), at, out);
    case TW_STMT_ITE: {
      TRY(const uint64_t condition, value_of(*flow, at, nth(0)));
      return operand(*flow, nth((condition & 1) != 0 ? 1 : 2), at, out);
    }
    case TW_STMT_GET: {
      TRY(const SegmentSteps* segment, view_.values->steps(at.block.segment));
      const ThreadNo thread{segment->thread_of(at.block.ordinal)};
      const uint32_t offset = st.offset + at.skip;
      if (offset == reg::kRsp)
        return found(out, TracedPointer::Kind::kStack, at.value, view_.number_of(at.block), thread);
      TRY(const auto from, writers.registers({at.block, at.statement}, offset, kPointerSize));
      return written(from, false, offset, at, out);
    }
    case TW_STMT_LOAD: {
      TRY(const SegmentValues* segment, view_.values->segment(at.block.segment));
      const uint32_t first = segment->first_access[at.block.ordinal];
      const uint32_t access = flow->accesses_of[at.statement].first;
      if (access == flow->accesses_of[at.statement].end ||
          flow->code->accesses[access].size < at.skip + kPointerSize)
        return unknown(out, "it is a part of something");
      const uint64_t address = segment->addresses[first + access] + at.skip;
      TRY(const auto from, writers.memory({at.block, at.statement}, address, kPointerSize));
      return written(from, true, address, at, out);
    }
    case TW_STMT_OP: return operation(*flow, st, at, out);
    default: return unknown(out, "it was computed in a way that is not followed");
  }
}

Result<PointerTrace::Next> PointerTrace::operation(const BlockFlow& flow, const IrStatement& st,
                                                   At& at, TracedPointer& out) {
  const std::string_view name = op_name(st.op);
  const auto nth = [&](uint32_t i) -> const IrOperand& {
    return flow.ir.operands[st.operands + i];
  };
  // Operations that move bytes as they are.
  static constexpr std::array<std::string_view, 9> kMoves = {
      "64HLtoV128",   "V128to64",     "V128HIto64", "64UtoV128", "V128HLtoV256",
      "V256toV128_0", "V256toV128_1", "64x4toV256", "V256to64_0"};
  if (std::ranges::find(kMoves, name) != kMoves.end()) {
    for (uint32_t i = 0; i < st.operand_count; ++i) {
      const ByteMask bytes = operand_bytes(flow.ir, st, i, byte_mask(at.skip, kPointerSize));
      if (std::popcount(bytes) != static_cast<int>(kPointerSize)) continue;
      at.skip = static_cast<uint32_t>(std::countr_zero(bytes));
      return operand(flow, nth(i), at, out);
    }
  }
  // The high half of the result comes from the first operand, the low one from the second.
  if (const bool is_low = name == "InterleaveLO64x2"; is_low || name == "InterleaveHI64x2") {
    const uint32_t which = at.skip >= kPointerSize ? 0 : 1;
    at.skip = at.skip % kPointerSize + (is_low ? 0 : kPointerSize);
    return operand(flow, nth(which), at, out);
  }
  const bool is_sum = name == "Add64";
  const bool is_difference = name == "Sub64";
  if (!is_sum && !is_difference && name != "And64" && name != "Or64")
    return unknown(out, fmt::format("{} computed it", name));
  // Where one operand is a constant the other one follows from the result.
  const bool left_constant = nth(0).kind == IrOperand::Kind::kConstant;
  const bool right_constant = nth(1).kind == IrOperand::Kind::kConstant;
  uint64_t left = nth(0).value;
  uint64_t right = nth(1).value;
  if (is_sum && left_constant != right_constant) {
    (left_constant ? right : left) = at.value - (left_constant ? left : right);
  } else if (is_difference && right_constant) {
    left = at.value + right;
  } else {
    TRY(left, value_of(flow, at, nth(0)));
    TRY(right, value_of(flow, at, nth(1)));
  }
  uint32_t pointer = 0;
  if (is_sum) {
    const uint64_t now = view_.number_of(at.block);
    const bool is_left = is_address_(left, now);
    const bool is_right = is_address_(right, now);
    // Of a constant and something else the constant is the pointer only when it is an address and
    // the other one is not: an element of a table.
    if (right_constant)
      pointer = is_right && !is_left ? 1 : 0;
    else if (left_constant)
      pointer = is_left && !is_right ? 0 : 1;
    else if (is_left != is_right)
      pointer = is_left ? 0 : 1;
    else
      return unknown(out, is_left ? "two addresses were added" : "its region is gone");
    const bool has_offset = !left_constant && !right_constant;
    if (has_offset && moves_) {
      const uint32_t other = 1 - pointer;
      TRY(const bool is_moved, moves_({.block = at.block,
                                       .statement = at.statement,
                                       .operand = nth(other),
                                       .from = pointer == 0 ? left : right,
                                       .to = at.value}));
      if (is_moved) return unknown(out, "it was moved from one block to another");
    }
  } else if (!is_difference && left_constant) {
    pointer = 1;
  }
  at.value = pointer == 0 ? left : right;
  return operand(flow, nth(pointer), at, out);
}

Result<PointerTrace::Next> PointerTrace::operand(const BlockFlow& flow, const IrOperand& operand,
                                                 At& at, TracedPointer& out) {
  if (operand.kind == IrOperand::Kind::kConstant) {
    at.value = operand.value;
    return found(out, TracedPointer::Kind::kCode, operand.value, view_.number_of(at.block), {});
  }
  if (operand.kind != IrOperand::Kind::kTemp || flow.definition_of[operand.value] == ~0u)
    return unknown(out, "it was computed in a way that is not followed");
  at.statement = flow.definition_of[operand.value];
  return Next::kGoOn;
}

Result<uint64_t> PointerTrace::value_of(const BlockFlow& flow, const At& at,
                                        const IrOperand& operand) {
  if (operand.kind == IrOperand::Kind::kConstant) return operand.value;
  TRY(Regenerator* const there, view_.values->run_to(at.block));
  return there->machine().word(flow.code->temps[operand.value]);
}

}  // namespace twinrun
