// SPDX-License-Identifier: MIT
#include "values/source_names.h"

#include "program/naming.h"
#include "values/subject.h"

#include <cstring>

namespace twinrun {
namespace {

SourceName with_value(const DebugAt& debug, const PastState& state, std::string text) {
  SourceName out{.text = std::move(text)};
  if (const auto object = resolve_expression(*debug.info, debug.pc.value, state, out.text))
    out.value = format_named(*object, state);
  return out;
}

}  // namespace

SourceName SourceNames::of_memory(const DebugAt& debug, const PastState& state, uint64_t address,
                                  uint32_t size) {
  if (debug.info == nullptr) return {};
  auto text = name_memory(*debug.info, debug.pc.value, state, address, size);
  return text ? with_value(debug, state, std::move(*text)) : SourceName{};
}

SourceName SourceNames::of_register(const DebugAt& debug, const PastState& state, uint32_t offset,
                                    uint32_t size) {
  if (debug.info == nullptr) return {};
  const auto number = dwarf_number_of(offset);
  if (!number) return {};
  auto text = name_register(*debug.info, debug.pc.value, state, *number, size);
  return text ? with_value(debug, state, std::move(*text)) : SourceName{};
}

Result<SourceName> SourceNames::of_written(ProcessView& view, const InstructionAt& at,
                                           bool in_memory, uint64_t where, uint32_t size) {
  TRY(const SegmentSteps* segment, view.values->steps(at.block.segment));
  const BlockDef* def = view.values->dictionary().find(segment->value(at.block.ordinal));
  if (def == nullptr) return fail("T022", "a block is not defined");
  const InstructionAt stands{at.block, in_memory ? at.instruction : at.instruction + 1};
  const uint64_t pc = address_of(*def, stands.instruction);
  const DebugAt debug = debug_at(view, {pc}, view.number_of(at.block));
  if (debug.info == nullptr) return SourceName{};
  TRY(const Moment moment, moment_before(view, stands));
  PastMemory memory(view, moment);
  TRY(Registers registers, registers_before(view, stands));
  const PastState state(std::move(registers), memory, debug.load_bias);
  if (!in_memory) return of_register(debug, state, static_cast<uint32_t>(where), size);
  const auto text = name_memory(*debug.info, debug.pc.value, state, where, size);
  if (!text) return SourceName{};
  // The object is found through the old state, its value is the new one.
  SourceName out{.text = *text};
  const auto object = resolve_expression(*debug.info, debug.pc.value, state, *text);
  if (!object) return out;
  TRY(const Moment behind, moment_before(view, {at.block, at.instruction + 1}));
  PastMemory after(view, behind);
  const PastState written(state.registers(), after, debug.load_bias);
  out.value = format_named(*object, written);
  return out;
}

}  // namespace twinrun
