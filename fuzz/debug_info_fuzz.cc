// SPDX-License-Identifier: MIT
// Feeds mutated ELF files to everything that reads debug information. The programs of the corpus
// have their code at 0x401000.
#include "program/calling_convention.h"
#include "program/debug_info.h"
#include "program/naming.h"
#include "program/value_format.h"

#include <cstddef>
#include <cstdint>

using namespace twinrun;

namespace {

// Registers and memory that are all known, and point at each other.
struct State : ValueSource {
  [[nodiscard]] std::optional<uint64_t> reg(unsigned number) const override {
    return number < 17 ? std::optional<uint64_t>(0x10000 + number * 0x100) : std::nullopt;
  }
  [[nodiscard]] bool memory(uint64_t address, std::span<uint8_t> out) const override {
    if (address < 0x10000 || address > 0x20000) return false;
    for (size_t i = 0; i < out.size(); ++i) {
      const uint64_t word = 0x10000 + ((address + i) / 8 * 0x98) % 0x8000;
      out[i] = static_cast<uint8_t>(word >> ((address + i) % 8 * 8));
    }
    return true;
  }
  [[nodiscard]] std::optional<uint64_t> tls_address(uint64_t offset) const override {
    return 0x18000 + offset % 0x1000;
  }
};

void use(const FunctionSignature& signature, const State& state) {
  const ArgumentPlaces places = argument_places(signature, 0x10800, state);
  for (size_t i = 0; i < places.parameters.size() && i < 50; ++i)
    (void)format_object(*signature.parameters[i].variable.type, places.parameters[i], state);
  (void)format_object(*signature.result, result_place(signature, state), state);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto info = DebugInfo::open_memory({data, size});
  if (!info) return 0;
  const State state;
  for (uint64_t pc = 0x401000; pc < 0x401080; pc += 9) {
    (void)info->frames_at(pc);
    (void)name_register(*info, pc, state, static_cast<unsigned>(pc % 17), 8);
    if (const auto signature = info->signature_at(pc)) use(*signature, state);
    size_t shown = 0;
    for (const Variable& variable : info->variables_at(pc)) {
      if (++shown > 50) break;
      (void)type_name(*variable.type);
      (void)format_object(*variable.type, info->locate(variable, pc, state), state);
      (void)resolve_expression(*info, pc, state, variable.name + "[1].next->key");
    }
  }
  (void)name_memory(*info, 0x401009, state, 0x10123, 4);
  (void)info->addresses_of_line("p.c", 9);
  (void)info->find_global("table");
  return 0;
}
