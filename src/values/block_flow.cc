// SPDX-License-Identifier: MIT
#include "values/block_flow.h"

#include <algorithm>

namespace twinrun {

BlockFlow::StateRead BlockFlow::state_read(uint32_t statement) const {
  const IrStatement& st = ir.statements[statement];
  if (st.tag == TW_STMT_GET) return {st.offset, type_size(ir.types[st.dst])};
  // Which element an indexed read takes is not known here: all of them.
  if (st.tag == TW_STMT_GETI) return {st.offset, st.element_count * type_size(st.element_type)};
  return {};
}

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
    flow->accesses_of.push_back(accesses);
    flow->register_writes_of.push_back(writes);
  }
  slot = std::move(flow);
  return slot.get();
}

}  // namespace twinrun
