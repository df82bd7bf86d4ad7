// SPDX-License-Identifier: MIT
// Names for the rows of registers.def: the only place where offsets of the register file, DWARF's
// numbers and those of instructions are written down. For the core; the recorder has VEX's names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace twinrun {

/// What a register is for. Everything that treats registers by their kind is a `switch` over this
/// without a default (docs/adding.md).
enum class RegisterClass : uint8_t {
  kGeneral,
  kVector,
  kX87,
  kFlags,    // the thunk that the condition codes are computed from, and flags of their own
  kSegment,  // bases
  kOther,    // the program counter, and what only VEX has; stays the last one
};

/// Offsets in the register file: reg::kRsp.
namespace reg {
#define REGISTER(name, Name, offset, size, cls, dwarf) inline constexpr uint32_t k##Name = offset;
#include "format/registers.def"
#undef REGISTER
}  // namespace reg

/// DWARF's numbers: dwarf::kRsp.
namespace dwarf {
inline constexpr uint32_t kNoNumber = ~0u;
inline constexpr uint32_t kReturnAddress = 16;
#define REGISTER(name, Name, offset, size, cls, dwarf) \
  inline constexpr uint32_t k##Name = static_cast<uint32_t>(dwarf);
#include "format/registers.def"
#undef REGISTER
}  // namespace dwarf

struct RegisterRow {
  std::string_view name;  // "RSP"
  uint32_t offset = 0;
  uint32_t size = 0;
  RegisterClass cls = RegisterClass::kOther;
  uint32_t dwarf = dwarf::kNoNumber;
};

inline constexpr auto kRegisterRows = std::to_array<RegisterRow>({
#define REGISTER(name, Name, offset, size, cls, dwarf) \
  {#name, offset, size, RegisterClass::k##cls, static_cast<uint32_t>(dwarf)},
#include "format/registers.def"
#undef REGISTER
});

inline constexpr uint32_t kGeneralRegisters = 16;
inline constexpr uint32_t kVectorRegisters = 16;
inline constexpr uint32_t kGeneralSize = 8;
inline constexpr uint32_t kVectorSize = 32;

/// Offsets by the number that instructions use: 0 is rax, 1 rcx; and back.
constexpr uint32_t general_register(uint32_t n) { return reg::kRax + kGeneralSize * n; }
constexpr uint32_t general_number(uint32_t offset) { return (offset - reg::kRax) / kGeneralSize; }
constexpr uint32_t vector_offset(uint32_t n) { return reg::kYmm0 + kVectorSize * n; }

namespace registers_def {

/// Whether `Name` is `name` as constants are spelled: "CcDep1" for "CC_DEP1".
constexpr bool is_spelled(std::string_view name, std::string_view camel) {
  size_t at = 0;
  bool begins = true;
  for (const char c : name) {
    if (c == '_') {
      begins = true;
      continue;
    }
    const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    const char upper = static_cast<char>(is_letter ? c & ~0x20 : c);
    const char wanted = is_letter && !begins ? static_cast<char>(upper | 0x20) : upper;
    if (at == camel.size() || camel[at++] != wanted) return false;
    begins = false;
  }
  return at == camel.size();
}

constexpr bool are_in_order() {
  uint32_t generals = 0;
  uint32_t vectors = 0;
  uint32_t end = 0;
  for (const RegisterRow& row : kRegisterRows) {
    if (row.offset < end) return false;
    end = row.offset + row.size;
    if (row.cls == RegisterClass::kGeneral &&
        (row.offset != general_register(generals++) || row.size != kGeneralSize))
      return false;
    if (row.cls == RegisterClass::kVector &&
        (row.offset != vector_offset(vectors++) || row.size != kVectorSize))
      return false;
  }
  // One vector register more than instructions have is VEX's own.
  return generals == kGeneralRegisters && vectors == kVectorRegisters + 1;
}

static_assert(are_in_order());
#define REGISTER(name, Name, offset, size, cls, dwarf) static_assert(is_spelled(#name, #Name));
#include "format/registers.def"
#undef REGISTER

}  // namespace registers_def
}  // namespace twinrun
