// SPDX-License-Identifier: MIT
// What the end of a run tells: the instruction that it could not execute, where it jumped to, and
// what it gave to free().
//
// An instruction that faulted has no address in the recording. Its statements are computed here
// from the registers in front of it, as far as addresses need that: sums, shifts and extensions.
// What cannot be computed is not told. A call or a return to where there is no code has been
// executed; where it led is the address of the block's next one. A return that went wrong says who
// wrote over the return address: its last writer, unless that is a call.
#include "explain/misuse/side_checks.h"

#include "values/past_state.h"
#include "values/subject.h"

#include <algorithm>
#include <functional>

namespace twinrun {
namespace {

using Kind = Misuse::Kind;

constexpr uint64_t kNullMost = 0x10000;
constexpr uint64_t kNearStack = 1 << 20;

/// Values of temporaries of an instruction that was not executed.
class AddressEvaluator {
 public:
  AddressEvaluator(const BlockFlow& flow, uint32_t ops, Machine* machine,
                   const Registers& registers)
      : flow_(flow), ops_(ops), machine_(machine), registers_(registers) {}

  std::optional<uint64_t> value(const IrOperand& operand, int depth = 0) {
    if (operand.kind == IrOperand::Kind::kConstant) return operand.value;
    if (operand.kind != IrOperand::Kind::kTemp || depth > kDeepest) return std::nullopt;
    const uint32_t definition = flow_.definition_of[operand.value];
    if (definition == ~0u) return std::nullopt;
    const IrStatement& st = flow_.ir.statements[definition];
    if (flow_.code->statement_start[definition] < ops_ && machine_ != nullptr)
      return machine_->word(flow_.code->temps[operand.value]) & mask(operand.value);
    const auto nth = [&](uint32_t i) {
      return value(flow_.ir.operands[st.operands + i], depth + 1);
    };
    switch (st.tag) {
      case TW_STMT_GET: {
        if (!registers_.knows(st.offset, kWordSize)) return std::nullopt;
        uint64_t out = 0;
        std::memcpy(&out, registers_.bytes.data() + st.offset, sizeof out);
        return out & mask(operand.value);
      }
      case TW_STMT_MOVE: return nth(0);
      case TW_STMT_OP: return operation(op_name(st.op), st.operand_count, nth);
      default: return std::nullopt;
    }
  }

 private:
  static constexpr int kDeepest = 12;
  [[nodiscard]] uint64_t mask(uint64_t temp) const {
    const uint32_t size = type_size(flow_.ir.types[temp]);
    return size >= kWordSize ? ~uint64_t{0} : (uint64_t{1} << (8 * size)) - 1;
  }
  static std::optional<uint64_t> operation(
      std::string_view name, uint32_t count,
      const std::function<std::optional<uint64_t>(uint32_t)>& nth) {
    const auto x = nth(0);
    if (!x) return std::nullopt;
    if (count == 1) {
      if (name == "32Uto64" || name == "64to32") return *x & 0xffffffff;
      if (name == "32Sto64") return static_cast<uint64_t>(int64_t{static_cast<int32_t>(*x)});
      return std::nullopt;
    }
    const auto y = nth(1);
    if (!y) return std::nullopt;
    if (name == "Add64") return *x + *y;
    if (name == "Sub64") return *x - *y;
    if (name == "And64") return *x & *y;
    if (name == "Shl64" && *y < 64) return *x << *y;
    return std::nullopt;
  }

  const BlockFlow& flow_;
  uint32_t ops_;
  Machine* machine_;
  const Registers& registers_;
};

}  // namespace

Result<std::optional<SideChecks::Access>> SideChecks::faulting_access(const InstructionAt& at) {
  TRY(const BlockFlow* flow, view_.slicer.flow_at(at.block));
  TRY(const uint64_t pc, pc_of(at));
  TRY(const Registers registers, registers_before(view_, at));
  TRY(const SegmentValues* segment, view_.values->segment(at.block.segment));
  TRY(const uint32_t ops, view_.slicer.writers().ops_run(*segment, at.block.ordinal));
  const auto there = view_.values->run_to(at.block);
  AddressEvaluator evaluator(*flow, ops, there ? &(*there)->machine() : nullptr, registers);
  std::optional<Access> out;
  for (uint32_t i = 0; i < flow->ir.statements.size(); ++i) {
    const IrStatement& st = flow->ir.statements[i];
    const bool is_load = st.tag == TW_STMT_LOAD || st.tag == TW_STMT_LOADG;
    const bool is_store = st.tag == TW_STMT_STORE || st.tag == TW_STMT_STOREG;
    if (flow->instruction_of[i] != at.instruction || (!is_load && !is_store)) continue;
    const auto [first, end] = flow->accesses_of[i];
    const auto address = evaluator.value(flow->ir.operands[st.operands]);
    if (!address || first == end) return std::nullopt;
    const Access access{.block = at.block,
                        .instruction = at.instruction,
                        .statement = i,
                        .address = *address,
                        .size = flow->code->accesses[first].size,
                        .is_store = is_store,
                        .pc = pc,
                        .time = view_.number_of(at.block)};
    // Of several the one that cannot have worked.
    const Mapping* mapping = view_.maps.find({access.address}, access.time);
    const uint32_t needed = is_store ? 2 : 1;  // PROT_WRITE, PROT_READ
    if (mapping == nullptr || (mapping->prot & needed) == 0) return access;
    out = access;
  }
  return out;
}

Result<std::vector<FoundMisuse>> SideChecks::check_fault(const InstructionAt& at) {
  std::vector<FoundMisuse> out;
  TRY(const auto access, faulting_access(at));
  if (!access) return out;
  const Mapping* there = view_.maps.find({access->address}, access->time);
  const uint32_t needed = access->is_store ? 2 : 1;
  if (there != nullptr && (there->prot & needed) != 0) return out;  // it did not fault there
  if (access->address < kNullMost) {
    FoundMisuse null = found(*access, Kind::kNull);
    null.told.offset = static_cast<int64_t>(access->address);
    TRY(null.passes, origins_.passes_of(access->block, access->statement, access->address));
    out.push_back(null);
    return out;
  }
  const Allocation* latest = log_.latest(access->address, access->time);
  if (latest != nullptr && latest->freed_block <= access->time && !latest->is_replaced &&
      rules_.code_of(access->pc, access->time, calls_at(access->block)) !=
          AccessRules::Code::kExempt) {
    FoundMisuse freed = found(*access, Kind::kFreed);
    freed.object = latest;
    out.push_back(freed);
    return out;
  }
  // A stack that is used up is no misuse of a pointer.
  const ActiveCalls& calls = calls_at(access->block);
  if (!calls.frames.empty() && access->address + kNearStack > calls.frames[0].sp &&
      access->address < calls.frames[0].sp + kNearStack)
    return out;
  FoundMisuse wild = found(*access, Kind::kWild);
  TRY(wild.passes, origins_.passes_of(access->block, access->statement, access->address));
  out.push_back(wild);
  return out;
}

Result<std::vector<FoundMisuse>> SideChecks::check_jump(BlockAt last) {
  std::vector<FoundMisuse> out;
  TRY(const BlockFlow* flow, view_.slicer.flow_at(last));
  TRY(const SegmentValues* segment, view_.values->segment(last.segment));
  const uint32_t count = segment->counts[last.ordinal];
  if (count == 0) return out;
  const InstructionAt at{last, count - 1};
  TRY(const uint64_t pc, pc_of(at));
  const BlockDef* def = view_.values->dictionary().find(segment->value(last.ordinal));
  const uint64_t time = view_.number_of(last);
  const auto there = view_.values->run_to(last);
  if (!there) return out;
  const uint64_t to = (*there)->machine().word(flow->code->next);
  const Mapping* mapping = view_.maps.find({to}, time);
  if (mapping != nullptr && (mapping->prot & 4) != 0) return out;  // PROT_EXEC
  Access access{
      .block = last, .instruction = at.instruction, .address = to, .pc = pc, .time = time};
  if (def->jump == TW_JUMP_RETURN) {
    // Who wrote over the return address.
    std::optional<uint64_t> slot;
    uint32_t statement = 0;
    for (uint32_t i = 0; i < flow->ir.statements.size(); ++i) {
      const auto [first, end] = flow->accesses_of[i];
      if (flow->instruction_of[i] != at.instruction || first == end) continue;
      if (flow->code->accesses[first].kind != MemoryAccess::Kind::kLoad) continue;
      slot = segment->addresses[segment->first_access[last.ordinal] + first];
      statement = i;
    }
    if (!slot) return out;
    TRY(const auto writers, view_.slicer.writers().memory({last, statement}, *slot, kWordSize));
    for (const BytesWritten& part : writers) {
      if (part.writer.kind != LastWriter::Kind::kStatement) continue;
      TRY(const BlockFlow* by, view_.slicer.flow_at(part.writer.block));
      const InstructionAt writer{part.writer.block, by->instruction_of[part.writer.statement]};
      TRY(const SegmentValues* other, view_.values->segment(writer.block.segment));
      const BlockDef* made = view_.values->dictionary().find(other->value(writer.block.ordinal));
      const bool is_call = made->jump == TW_JUMP_CALL &&
                           writer.instruction + 1 == other->counts[writer.block.ordinal];
      if (is_call) continue;
      TRY(access.pc, pc_of(writer));
      access.block = writer.block;
      access.address = *slot;
      access.time = view_.number_of(writer.block);
      access.is_store = true;
      FoundMisuse over = found(access, Kind::kReturnAddress);
      const uint32_t function = view_.of.places().function_at({pc}, time);
      if (function != CodePlaces::kUnknown)
        over.told.name = source_name(view_.of.places().function(function));
      TRY_VOID(prepare(std::span(&writer.block, 1)));
      out.push_back(over);
      return out;
    }
    return out;
  }
  FoundMisuse jump = found(access, to < kNullMost ? Kind::kNull : Kind::kWild);
  jump.told.access = Misuse::Access::kJump;
  jump.told.offset = static_cast<int64_t>(to);
  out.push_back(jump);
  return out;
}

Result<std::vector<FoundMisuse>> SideChecks::check_frees(bool crashed) {
  std::vector<FoundMisuse> out;
  // Blocks from before a fork are not in the log of the child, nor those from before the recording.
  const uint32_t origin = view_.process().info.origin;
  if (origin == TW_ORIGIN_FORK || origin == TW_ORIGIN_LATE) return out;
  for (const BadFree& bad : log_.bad_frees()) {
    const Allocation* freed = bad.freed == Allocation::kNoBlock ? nullptr : &log_.all()[bad.freed];
    const Allocation* inside =
        bad.inside == Allocation::kNoBlock ? nullptr : &log_.all()[bad.inside];
    const bool is_double = freed != nullptr && inside == nullptr && !freed->is_replaced;
    TRY(const auto block, block_of(bad.block));
    if (!block || bad.site == 0) continue;
    TRY_VOID(prepare(std::span(&*block, 1)));
    const Mapping* there = view_.maps.find({bad.address}, bad.block);
    const bool in_file = there != nullptr && there->file != Mapping::kNoFile;
    const bool is_elsewhere = in_file || is_on_stack_of(bad.address, *block);
    // Only a run that came to its end by that is sure to have but one heap.
    if (!is_double && (!crashed || (inside == nullptr && !is_elsewhere))) continue;
    Access access{.block = *block, .address = bad.address, .pc = bad.site, .time = bad.block};
    FoundMisuse one = found(access, is_double ? Kind::kDoubleFree : Kind::kBadFree);
    one.told.access = Misuse::Access::kFree;
    one.object = is_double ? freed : inside;
    if (!is_double && inside == nullptr) one.told.name = in_file ? "static" : "stack";
    out.push_back(one);
  }
  return out;
}

}  // namespace twinrun
