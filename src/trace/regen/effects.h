// SPDX-License-Identifier: MIT
// What a computed block did to memory.
//
// A compiled block lists its loads and stores in the order of execution, each with the step behind
// which it has happened, and with a guard where IR makes it depend on a condition. Which of them
// did happen is one rule, and it stands here only: the block got beyond the step, and the guard
// held. Temporaries are assigned once, so that guard, address and value can be read when the block
// has run.
#pragma once

#include "base/bytes.h"
#include "trace/regen/code.h"
#include "trace/regen/machine.h"

namespace twinrun {

/// Whether the condition of an access or of a register write held in the block that ran last.
inline bool holds(Machine& machine, uint32_t guard) {
  return guard == MemoryAccess::kAlways || (machine.word(guard) & 1) != 0;
}

/// An access to memory that a block came to.
struct DoneAccess {
  const MemoryAccess* what = nullptr;
  uint64_t address = 0;
  const uint8_t* value = nullptr;

  [[nodiscard]] bool is_store() const { return what->kind == MemoryAccess::Kind::kStore; }
  [[nodiscard]] uint16_t size() const { return what->size; }
  [[nodiscard]] ByteSpan bytes() const { return {value, what->size}; }
};

/// Calls take(DoneAccess, bool done) for every access that the first `ops` steps of the block came
/// to, in the order of execution; `done` is false where the guard did not hold. `instructions`:
/// only those of so many of its first instructions.
template <typename Take>
inline void for_each_reached(Machine& machine, const CompiledBlock& code, uint32_t ops, Take&& take,
                             uint32_t instructions = ~0u) {
  for (const MemoryAccess& access : code.accesses) {
    if (access.op >= ops || access.instruction >= instructions) break;
    take(DoneAccess{&access, machine.word(access.address) + access.displacement,
                    machine.at(access.value)},
         holds(machine, access.guard));
  }
}

/// The same for those that happened: take(DoneAccess).
template <typename Take>
inline void for_each_access(Machine& machine, const CompiledBlock& code, uint32_t ops, Take&& take,
                            uint32_t instructions = ~0u) {
  for_each_reached(
      machine, code, ops,
      [&](const DoneAccess& access, bool done) {
        if (done) take(access);
      },
      instructions);
}

/// The stores of those: take(address, size). For who is not interested in loads.
template <typename Take>
inline void for_each_store(Machine& machine, const CompiledBlock& code, uint32_t ops, Take&& take) {
  for (const MemoryAccess& store : code.stores) {
    if (store.op >= ops) break;
    if (holds(machine, store.guard))
      take(machine.word(store.address) + store.displacement, store.size);
  }
}

}  // namespace twinrun
