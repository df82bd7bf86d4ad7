// SPDX-License-Identifier: MIT
#include "values/named_instruction.h"

#include <algorithm>

namespace twinrun {

Result<NamedInstruction> InstructionNamer::row(const InstructionAt& at) {
  TRY(const SegmentSteps* segment, values_.steps(at.block.segment));
  const BlockDef* def = values_.dictionary().find(segment->value(at.block.ordinal));
  if (def == nullptr) return fail("T022", "a block is not defined");
  NamedInstruction row;
  row.position = {{values_.process().info.number},
                  {segment->thread_of(at.block.ordinal)},
                  {segment->steps[at.block.ordinal] + at.instruction}};
  row.pc = def->address.value;
  for (uint32_t i = 0; i < at.instruction && i < def->lengths.size(); ++i)
    row.pc += def->lengths[i];
  const size_t skip = std::min<size_t>(row.pc - def->address.value, def->bytes.size());
  const size_t length = at.instruction < def->lengths.size() ? def->lengths[at.instruction] : 0;
  row.text = disassembler_.text(
      def->bytes.subspan(skip, std::min(length, def->bytes.size() - skip)), {row.pc});
  const FrameEntry& frame = values_.reader().frames()[values_.process().segments[at.block.segment]];
  const ResolvedAddress place =
      symbolizer_.resolve_line({row.pc}, frame.segment.first_block + at.block.ordinal);
  row.module = place.module_name();
  row.function = place.function;
  row.offset = place.function.empty() ? place.module_offset : place.offset;
  row.file = place.file;
  row.line = place.line;
  return row;
}

}  // namespace twinrun
