// SPDX-License-Identifier: MIT
#include "values/past_state.h"

#include "trace/regen/effects.h"

#include <algorithm>
#include <cstring>

namespace twinrun {
namespace {

ByteSpan bytes_of(const BlockDef& def, uint32_t instruction) {
  const size_t at = address_of(def, instruction) - def.address.value;
  if (instruction >= def.lengths.size() || at > def.bytes.size()) return {};
  return def.bytes.subspan(at, std::min<size_t>(def.lengths[instruction], def.bytes.size() - at));
}

/// Registers that the instruction writes by its encoding.
RegisterSet encoded_writes(const Decoder& decoder, const BlockDef& def, uint32_t instruction) {
  const auto use = decoder.registers(bytes_of(def, instruction));
  return use ? use->writes : ~RegisterSet{0};
}

}  // namespace

bool Registers::knows(uint32_t offset, uint32_t size) const {
  if (offset + size > bytes.size()) return false;
  return (unknown & lagging_register_at(offset)) == 0;
}

uint64_t address_of(const BlockDef& def, uint32_t instruction) {
  uint64_t address = def.address.value;
  for (uint32_t i = 0; i < instruction && i < def.lengths.size(); ++i) address += def.lengths[i];
  return address;
}

BlockRegisters::BlockRegisters(const BlockDef& def, const CompiledBlock& code, uint32_t ops,
                               Machine& machine, ByteSpan before)
    : def_(def), code_(code), ops_(ops), machine_(machine), pc_(def.address.value) {
  now_.bytes.assign(before.begin(), before.end());
}

ByteSpan BlockRegisters::bytes() const { return bytes_of(def_, instruction_); }

std::optional<InstructionResult> BlockRegisters::evaluate() {
  InstructionInput input{.address = pc_, .reg = [this](unsigned n) -> std::optional<uint64_t> {
                           const uint32_t offset = general_register(n);
                           if (!now_.knows(offset, 8)) return std::nullopt;
                           uint64_t value = 0;
                           std::memcpy(&value, now_.bytes.data() + offset, sizeof value);
                           return value;
                         }};
  for (const MemoryAccess& access : code_.accesses) {
    if (access.instruction != instruction_ || access.kind != MemoryAccess::Kind::kLoad ||
        access.op >= ops_ || access.size > 8 || access.guard != MemoryAccess::kAlways)
      continue;
    uint64_t value = 0;
    std::memcpy(&value, machine_.at(access.value), access.size);
    input.loaded = value;
  }
  return evaluator_.run(bytes(), input);
}

void BlockRegisters::step() {
  const auto use = decoder_.registers(bytes());
  const RegisterSet writes = use ? use->writes : ~RegisterSet{0};
  RegisterSet told = 0;
  for (size_t i = write_; i < code_.register_writes.size(); ++i) {
    if (code_.register_writes[i].instruction != instruction_) break;
    told |= lagging_register_at(code_.register_writes[i].offset);
  }
  std::optional<InstructionResult> result;
  if ((writes & ~told & kGeneralBits) != 0) result = evaluate();
  now_.unknown |= writes;
  if (result && (told >> result->reg & 1) == 0) {
    std::memcpy(now_.bytes.data() + general_register(result->reg), &result->value, 8);
    now_.unknown &= ~(RegisterSet{1} << result->reg);
  }
  for (; write_ < code_.register_writes.size(); ++write_) {
    const RegisterWrite& write = code_.register_writes[write_];
    if (write.instruction != instruction_) break;
    if (write.op >= ops_) continue;
    const bool done = holds(machine_, write.guard);
    const uint64_t offset = write.offset_from == RegisterWrite::kFixed
                                ? write.offset
                                : machine_.word(write.offset_from);
    if (offset + write.size > now_.bytes.size()) continue;
    if (done) std::memcpy(now_.bytes.data() + offset, machine_.at(write.value), write.size);
    now_.unknown &= ~lagging_register_at(static_cast<uint32_t>(offset));
  }
  if (instruction_ < def_.lengths.size()) pc_ += def_.lengths[instruction_];
  ++instruction_;
}

std::optional<uint32_t> unseen_writer(const BlockDef& def, const CompiledBlock& code,
                                      uint32_t instruction, uint32_t offset) {
  const RegisterSet bit = lagging_register_at(offset);
  if (bit == 0) return std::nullopt;
  const Decoder decoder;
  for (uint32_t i = instruction; i-- > 0;) {
    const bool seen = std::ranges::any_of(code.register_writes, [&](const RegisterWrite& write) {
      return write.instruction == i && lagging_register_at(write.offset) == bit;
    });
    if (seen) return std::nullopt;
    if ((encoded_writes(decoder, def, i) & bit) != 0) return i;
  }
  return std::nullopt;
}

std::optional<uint64_t> PastState::reg(unsigned dwarf_number) const {
  const auto offset = register_of_dwarf(dwarf_number);
  if (!offset || !registers_.knows(*offset, 8)) return std::nullopt;
  uint64_t value = 0;
  std::memcpy(&value, registers_.bytes.data() + *offset, sizeof value);
  return value;
}

Result<Registers> registers_before(ProcessView& view, const InstructionAt& at) {
  TRY(Regenerator* const there, view.values->run_to(at.block, true));
  const ByteSpan state{there->machine().state(), there->machine().state_size()};
  const Bytes before(state.begin(), state.end());
  if (at.instruction == 0) return Registers{before, 0};
  for (;;) {
    TRY(const Regenerator::Item item, there->next());
    if (item == Regenerator::Item::kEnd) {
      return fail("V005",
                  "the process ended before the values of its last block were written down");
    }
    if (item == Regenerator::Item::kBlock) break;
  }
  const Regenerator::Block& block = there->block();
  BlockRegisters walk(*block.executable->def, *block.executable->code, block.ops, there->machine(),
                      before);
  while (walk.instruction() < at.instruction) walk.step();
  return walk.now();
}

DebugAt debug_at(ProcessView& view, Addr pc, uint64_t blocks) {
  const ModuleAddress at = view.of.module_address(pc, blocks);
  if (at.file == nullptr) return {};
  return {view.of.binaries().debug_info(*at.file), at.address, pc.value - at.address.value};
}

}  // namespace twinrun
