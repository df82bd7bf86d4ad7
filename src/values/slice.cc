// SPDX-License-Identifier: MIT
#include "values/slice.h"

#include "trace/regen/flags.h"
#include "values/sweep.h"

#include <algorithm>
#include <optional>
#include <set>

namespace twinrun {

bool is_address_operand(const IrStatement& statement, uint32_t index) {
  switch (statement.tag) {
    case TW_STMT_LOAD:
    case TW_STMT_STORE:
    case TW_STMT_LOADG:
    case TW_STMT_STOREG:
    case TW_STMT_CAS:
    case TW_STMT_GETI:
    case TW_STMT_PUTI: return index == 0;
    case TW_STMT_DIRTY: return index == 1 && statement.memory_effect != 0;
    case TW_STMT_IMARK:
    case TW_STMT_PUT:
    case TW_STMT_GET:
    case TW_STMT_MOVE:
    case TW_STMT_OP:
    case TW_STMT_ITE:
    case TW_STMT_CCALL:
    case TW_STMT_EXIT:
    case TW_STMT_FENCE: return false;
  }
  return false;
}

Result<Slice> Slicer::slice(InstructionAt from, const SliceOptions& options) {
  TRY(const BlockFlow* flow, flow_at(from.block));
  Sweep sweep(values_, *this, options);
  sweep.need_instruction(from);
  for (uint32_t i = 0; i < flow->ir.statements.size(); ++i) {
    if (flow->instruction_of[i] == from.instruction) sweep.need(from.block, i);
  }
  return sweep.run();
}

Result<ByteMask> Slicer::result_bytes(const LastWriter& writer, bool in_memory, uint64_t where,
                                      uint32_t size) {
  TRY(const BlockFlow* flow, flow_at(writer.block));
  if (!in_memory) {
    const RegisterWrite& write = flow->code->register_writes[writer.access];
    // Of an indexed write only the whole range is known.
    if (write.offset_from != RegisterWrite::kFixed) return kAllBytes;
    return written_bytes(write.offset, where, size);
  }
  TRY(const SegmentValues* segment, values_.segment(writer.block.segment));
  const uint32_t index = segment->first_access[writer.block.ordinal] + writer.access;
  return written_bytes(segment->addresses[index], where, size);
}

Result<Slice> Slicer::slice(const std::vector<BytesWritten>& from, const SliceOptions& options,
                            std::optional<BytesAt> begin) {
  Sweep sweep(values_, *this, options);
  std::vector<SliceInput> inputs;
  for (const BytesWritten& bytes : from) {
    if (bytes.writer.kind != LastWriter::Kind::kStatement) {
      const BytesAt at = begin.value_or(BytesAt{true, 0});
      inputs.push_back({~0u, at.in_memory, at.where + bytes.first, bytes.count, bytes.writer});
      continue;
    }
    ByteMask wanted = kAllBytes;
    if (begin) {
      TRY(wanted,
          result_bytes(bytes.writer, begin->in_memory, begin->where + bytes.first, bytes.count));
    }
    sweep.need(bytes.writer.block, bytes.writer.statement, wanted);
  }
  TRY(Slice out, sweep.run());
  out.inputs.insert(out.inputs.begin(), inputs.begin(), inputs.end());
  return out;
}

/// The operation that set the flags is nearly always a constant there.
Result<bool> Slicer::flags_operand_matters(BlockAt block, const BlockFlow& flow,
                                           const IrStatement& st, uint32_t operand) {
  const std::string_view name = values_.dictionary().helper(st.helper);
  const uint32_t first = name == "amd64g_calculate_condition" ? 1 : 0;
  const bool is_flags =
      first == 1 || name == "amd64g_calculate_rflags_all" || name == "amd64g_calculate_rflags_c";
  if (!is_flags || operand <= first || st.operand_count < first + 4) return true;
  const IrOperand& op = flow.ir.operands[st.operands + first];
  std::optional<uint64_t> set_by;
  if (op.kind == IrOperand::Kind::kConstant) {
    set_by = op.value;
  } else if (op.kind == IrOperand::Kind::kTemp) {
    const uint32_t definition = flow.definition_of[op.value];
    if (definition == ~0u) return true;
    const std::span<const RegisterRead> reads = flow.register_reads_by(definition);
    if (reads.size() != 1 || !reads[0].is_copied) return true;
    TRY(const auto writers,
        writers_.registers({block, definition}, reads[0].offset, reads[0].size));
    if (writers.size() != 1 || writers[0].writer.kind != LastWriter::Kind::kStatement) return true;
    const LastWriter& writer = writers[0].writer;
    TRY(const BlockFlow* there, flow_at(writer.block));
    const IrStatement& put = there->ir.statements[writer.statement];
    if (put.tag != TW_STMT_PUT) return true;
    const IrOperand& data = there->ir.operands[put.operands];
    if (data.kind != IrOperand::Kind::kConstant) return true;
    set_by = data.value;
  }
  if (!set_by) return true;
  const FlagOperands needed = flag_operands(*set_by);
  const uint32_t which = operand - first;
  return which == 1 ? needed.dep1 : which == 2 ? needed.dep2 : needed.ndep;
}

Result<const BlockFlow*> Slicer::flow_at(BlockAt block) {
  TRY(const SegmentSteps* segment, values_.steps(block.segment));
  if (block.ordinal >= segment->block_count())
    return fail("T008", "segment {} has no block {}", block.segment, block.ordinal);
  return flow_of(segment->value(block.ordinal));
}

Result<const BlockFlow*> Slicer::flow_of(uint32_t value) {
  const BlockDef* def = values_.dictionary().find(value);
  if (def == nullptr) return fail("T022", "a block is not defined");
  return flows_.of(*def);
}

std::vector<std::pair<uint32_t, uint32_t>> stretches(ByteMask mask, uint32_t size) {
  if (size > 64) return {{0, size}};
  std::vector<std::pair<uint32_t, uint32_t>> out;
  for (uint32_t i = 0; i < size; ++i) {
    if ((mask >> i & 1) == 0) continue;
    if (!out.empty() && out.back().first + out.back().second == i)
      ++out.back().second;
    else
      out.emplace_back(i, 1);
  }
  return out;
}

Result<std::vector<FlowSource>> Slicer::sources(BlockAt block, uint32_t statement, ByteMask wanted,
                                                const SliceOptions& options) {
  if (!options.exact_bytes) wanted = kAllBytes;
  std::vector<FlowSource> out;
  TRY(const BlockFlow* flow, flow_at(block));
  const IrStatement& st = flow->ir.statements[statement];
  for (uint32_t i = 0; i < st.operand_count; ++i) {
    const IrOperand& operand = flow->ir.operands[st.operands + i];
    if (operand.kind != IrOperand::Kind::kTemp) continue;
    const bool for_address = is_address_operand(st, i);
    if (for_address && !options.addresses) continue;
    if (st.tag == TW_STMT_CCALL && options.exact_flags) {
      TRY(const bool matters, flags_operand_matters(block, *flow, st, i));
      if (!matters) continue;
    }
    const uint32_t definition = flow->definition_of[operand.value];
    const ByteMask bytes = operand_bytes(flow->ir, st, i, wanted);
    if (definition == ~0u || bytes == 0) continue;
    out.push_back(
        {.for_address = for_address,
         .writer = {.kind = LastWriter::Kind::kStatement, .block = block, .statement = definition},
         .bytes = bytes});
  }

  const auto take = [&](const std::vector<BytesWritten>& found, Dependence::Kind kind,
                        uint64_t where) {
    for (const BytesWritten& bytes : found)
      out.push_back({kind, false, where + bytes.first, bytes.count, bytes.writer});
  };
  const auto reads_registers = [&](uint32_t offset, uint32_t size) -> Result<void> {
    TRY(const auto found, writers_.registers({block, statement}, offset, size));
    take(found, Dependence::Kind::kRegister, offset);
    return {};
  };
  for (const RegisterRead& read : flow->register_reads_by(statement)) {
    for (const auto& [first, size] : stretches(read.bytes(wanted), read.size))
      TRY_VOID(reads_registers(read.offset + first, size));
  }
  // Searching backward may have dropped the segment: addresses are copied first.
  TRY(const SegmentValues* segment, values_.segment(block.segment));
  const uint32_t first = segment->first_access[block.ordinal];
  const uint32_t ran = segment->first_access[block.ordinal + 1] - first;
  std::vector<std::pair<uint64_t, uint32_t>> loads;
  for (uint32_t i = flow->accesses_of[statement].first;
       i < std::min(ran, flow->accesses_of[statement].end); ++i) {
    const MemoryAccess& access = flow->code->accesses[i];
    if (access.kind == MemoryAccess::Kind::kLoad &&
        segment->addresses[first + i] != SegmentValues::kNotDone) {
      for (const auto& [skip, size] : stretches(loaded_bytes(st, wanted), access.size))
        loads.emplace_back(segment->addresses[first + i] + skip, size);
    }
  }
  for (const auto& [address, size] : loads) {
    TRY(const auto found, writers_.memory({block, statement}, address, size));
    take(found, Dependence::Kind::kMemory, address);
  }
  return out;
}

Result<std::vector<FlowSource>> Slicer::instruction_sources(BlockAt block, uint32_t statement,
                                                            ByteMask wanted,
                                                            const SliceOptions& options) {
  TRY(const BlockFlow* flow, flow_at(block));
  const uint32_t instruction = flow->instruction_of[statement];
  std::vector<FlowSource> out;
  // A statement stands behind those that it needs: taken from the last to the first, all that want
  // something of it have said so.
  std::map<uint32_t, ByteMask> todo{{statement, wanted}};
  while (!todo.empty()) {
    const auto [now, bytes] = *todo.rbegin();
    todo.erase(std::prev(todo.end()));
    TRY(const std::vector<FlowSource> found, sources(block, now, bytes, options));
    for (const FlowSource& source : found) {
      const LastWriter& writer = source.writer;
      const bool is_own = source.kind == Dependence::Kind::kValue &&
                          flow->instruction_of[writer.statement] == instruction;
      if (is_own)
        todo[writer.statement] |= source.bytes;
      else
        out.push_back(source);
    }
  }
  return out;
}

}  // namespace twinrun
