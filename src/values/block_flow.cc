// SPDX-License-Identifier: MIT
#include "values/block_flow.h"

#include <algorithm>

namespace twinrun {

namespace {

/// What a statement reads of the register file; writes and accesses to memory are the compiled
/// block's to tell.
void add_register_reads(const IrBlock& ir, const IrStatement& st, std::vector<RegisterRead>& out) {
  switch (st.tag) {
    case TW_STMT_GET: out.push_back({st.offset, type_size(ir.types[st.dst]), true}); return;
    case TW_STMT_GETI:
      // Which element an indexed read takes is not known here: all of them.
      out.push_back({st.offset, st.element_count * type_size(st.element_type)});
      return;
    case TW_STMT_DIRTY:
      for (uint32_t i = 0; i < st.effect_count; ++i) {
        const IrEffect& effect = ir.effects[st.effects + i];
        if (effect.effect == TW_EFFECT_WRITE) continue;
        for (uint32_t r = 0; r <= effect.repeats; ++r)
          out.push_back({effect.offset + r * effect.stride, effect.size});
      }
      return;
    case TW_STMT_IMARK:
    case TW_STMT_PUT:
    case TW_STMT_PUTI:
    case TW_STMT_MOVE:
    case TW_STMT_OP:
    case TW_STMT_LOAD:
    case TW_STMT_STORE:
    case TW_STMT_ITE:
    case TW_STMT_CCALL:
    case TW_STMT_CAS:
    case TW_STMT_LOADG:
    case TW_STMT_STOREG:
    case TW_STMT_EXIT:
    case TW_STMT_FENCE: return;
  }
}

}  // namespace

Result<const BlockFlow*> BlockFlows::of(const BlockDef& def) {
  if (by_id_.size() <= def.id.value) by_id_.resize(size_t{def.id.value} * 2 + 1);
  auto& slot = by_id_[def.id.value];
  if (slot) return slot.get();
  auto flow = std::make_unique<BlockFlow>();
  TRY(flow->ir, decode_ir(def.ir));
  TRY(flow->code, code_.compiled(def));
  const IrBlock& ir = flow->ir;
  const CompiledBlock& code = *flow->code;
  flow->definition_of.assign(ir.types.size(), ~0u);
  uint32_t instruction = ~0u;
  uint32_t access = 0;
  uint32_t write = 0;
  for (uint32_t i = 0; i < ir.statements.size(); ++i) {
    const IrStatement& st = ir.statements[i];
    if (st.tag == TW_STMT_IMARK) ++instruction;
    flow->instruction_of.push_back(instruction == ~0u ? 0 : instruction);
    if (st.dst != kNoTemp && st.dst < ir.types.size()) flow->definition_of[st.dst] = i;
    if (st.dst_high != kNoTemp && st.dst_high < ir.types.size())
      flow->definition_of[st.dst_high] = i;
    const uint32_t end = i + 1 < code.statement_start.size()
                             ? code.statement_start[i + 1]
                             : static_cast<uint32_t>(code.ops.size());
    BlockFlow::Range accesses{access, access};
    while (access < code.accesses.size() && code.accesses[access].op < end) ++access;
    accesses.end = access;
    BlockFlow::Range writes{write, write};
    while (write < code.register_writes.size() && code.register_writes[write].op < end) ++write;
    writes.end = write;
    const auto reads = static_cast<uint32_t>(flow->register_reads.size());
    add_register_reads(ir, st, flow->register_reads);
    flow->accesses_of.push_back(accesses);
    flow->register_reads_of.push_back({reads, static_cast<uint32_t>(flow->register_reads.size())});
    flow->register_writes_of.push_back(writes);
  }
  slot = std::move(flow);
  return slot.get();
}

}  // namespace twinrun
