// SPDX-License-Identifier: MIT
#pragma once

#include "format/registers.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace twinrun {

/// Registers as bits: 0..15 rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8..r15, then those below; a
/// part of a register counts as the whole.
using RegisterSet = uint64_t;
inline constexpr RegisterSet kRegisterFlags = 1ull << 16;
inline constexpr RegisterSet kRegisterX87 = 1ull << 17;    // x87 stack, MMX and their state
inline constexpr RegisterSet kRegisterOther = 1ull << 18;  // segments, masks, control registers
inline constexpr RegisterSet kGeneralBits = (RegisterSet{1} << kGeneralRegisters) - 1;
/// The vector register of number `n` (0..31).
constexpr RegisterSet vector_register(unsigned n) { return 1ull << (32 + n); }
inline constexpr RegisterSet kVectorBits = ~RegisterSet{0} << 32;

/// The bit of register `n` of a class, as instructions number it.
constexpr RegisterSet register_bit(RegisterClass cls, unsigned n) {
  switch (cls) {
    case RegisterClass::kGeneral: return RegisterSet{1} << n;
    case RegisterClass::kVector: return vector_register(n);
    case RegisterClass::kX87: return kRegisterX87;
    case RegisterClass::kFlags: return kRegisterFlags;
    case RegisterClass::kSegment:
    case RegisterClass::kOther: return kRegisterOther;
  }
  return kRegisterOther;
}

/// Where the registers of a class are that an instruction's operands can be told apart by: `count`
/// of them from `offset` on, each of `size` bytes.
struct RegisterPlaces {
  uint32_t offset = 0;
  uint32_t size = 0;
  uint32_t count = 0;
};
constexpr RegisterPlaces places_of(RegisterClass cls) {
  switch (cls) {
    case RegisterClass::kGeneral: return {reg::kRax, kGeneralSize, kGeneralRegisters};
    case RegisterClass::kVector: return {reg::kYmm0, kVectorSize, kVectorRegisters};
    // Both operands of what set the flags; which operation it was is nearly always a constant.
    case RegisterClass::kFlags: return {reg::kCcDep1, 16, 1};
    // An x87 register's place depends on the top of their stack.
    case RegisterClass::kX87:
    case RegisterClass::kSegment:
    case RegisterClass::kOther: return {};
  }
  return {};
}

/// Whether the register file can be behind between two instructions (values/past_state.h): VEX
/// leaves out writes that the same block overwrites.
constexpr bool can_lag(RegisterClass cls) {
  switch (cls) {
    case RegisterClass::kGeneral:
    case RegisterClass::kVector: return true;
    case RegisterClass::kX87:
    case RegisterClass::kFlags:
    case RegisterClass::kSegment:
    case RegisterClass::kOther: return false;
  }
  return false;
}

/// Calls take(offset, size) for the places of a set: of every number the general register, then the
/// vector register, then the flags.
template <typename Take>
void for_each_place(RegisterSet set, Take take) {
  for (unsigned n = 0; n < kGeneralRegisters; ++n) {
    for (unsigned i = 0; i <= static_cast<unsigned>(RegisterClass::kOther); ++i) {
      const auto cls = static_cast<RegisterClass>(i);
      const RegisterPlaces places = places_of(cls);
      if (n < places.count && (set & register_bit(cls, n)) != 0)
        take(places.offset + n * places.size, places.size);
    }
  }
}

/// The bit of the register that holds the byte at this offset; 0 for one that is always right.
constexpr RegisterSet lagging_register_at(uint32_t offset) {
  constexpr uint32_t kWords = 128;
  constexpr auto kByWord = [] {
    std::array<RegisterSet, kWords> out{};
    for (unsigned i = 0; i <= static_cast<unsigned>(RegisterClass::kOther); ++i) {
      const auto cls = static_cast<RegisterClass>(i);
      const RegisterPlaces places = places_of(cls);
      for (uint32_t n = 0; can_lag(cls) && n < places.count; ++n) {
        for (uint32_t at = 0; at < places.size; at += 8)
          out[(places.offset + n * places.size + at) / 8] = register_bit(cls, n);
      }
    }
    return out;
  }();
  return offset / 8 < kWords ? kByWord[offset / 8] : 0;
}

/// The class of a register by its name in a recording, in capitals or not.
constexpr RegisterClass class_named(std::string_view name) {
  for (const RegisterRow& row : kRegisterRows) {
    bool is_it = row.name.size() == name.size();
    for (size_t i = 0; is_it && i < name.size(); ++i)
      is_it = row.name[i] == (name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32 : name[i]);
    if (is_it) return row.cls;
  }
  return RegisterClass::kOther;
}

/// Offset of the register of a DWARF number; nothing for those that are not modelled.
constexpr std::optional<uint32_t> register_of_dwarf(unsigned number) {
  constexpr uint32_t kNumbers = 64;
  constexpr auto kOffsets = [] {
    std::array<uint32_t, kNumbers> out{};
    for (const RegisterRow& row : kRegisterRows)
      if (row.dwarf < kNumbers) out[row.dwarf] = row.offset;
    return out;
  }();
  // No row stands at offset 0.
  if (number >= kNumbers || kOffsets[number] == 0) return std::nullopt;
  return kOffsets[number];
}
/// And back; nothing for an offset at which no register with a number begins.
constexpr std::optional<unsigned> dwarf_number_of(uint32_t offset) {
  for (const RegisterRow& row : kRegisterRows)
    if (row.offset == offset && row.dwarf != dwarf::kNoNumber) return row.dwarf;
  return std::nullopt;
}
static_assert(register_of_dwarf(dwarf::kRsp) == reg::kRsp);
static_assert(!register_of_dwarf(dwarf::kReturnAddress));

}  // namespace twinrun
