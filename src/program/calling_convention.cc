// SPDX-License-Identifier: MIT
// The classification of the System V ABI for x86-64, section 3.2.3: each eight bytes of a value are
// of class INTEGER or SSE and travel in a register of that class; what is larger than 16 bytes, has
// parts that are not aligned, or is a long double lies in memory.
#include "program/calling_convention.h"

#include "format/registers.h"

#include <algorithm>
#include <array>
#include <optional>

namespace twinrun {
namespace {

enum class Class : uint8_t { kNone, kInteger, kSse, kMemory };
using Classes = std::array<Class, 2>;

constexpr std::array<uint32_t, 6> kIntegerRegisters = {dwarf::kRdi, dwarf::kRsi, dwarf::kRdx,
                                                       dwarf::kRcx, dwarf::kR8,  dwarf::kR9};

Class join(Class a, Class b) {
  if (a == Class::kMemory || b == Class::kMemory) return Class::kMemory;
  if (a == Class::kInteger || b == Class::kInteger) return Class::kInteger;
  return std::max(a, b);
}

void classify(const Type& type, uint64_t offset, Classes& out, int depth) {
  const Type& bare = stripped(type);
  const auto size = size_of(bare);
  const auto put = [&](Class what) {
    if (offset >= 16 || !size || offset + *size > 16 ||
        (*size != 0 && offset % *size != 0 && *size <= 8))
      out[0] = out[1] = Class::kMemory;
    else
      for (uint64_t at = offset / 8; at <= (offset + std::max<uint64_t>(*size, 1) - 1) / 8; ++at)
        out[at] = join(out[at], what);
  };
  if (depth > 16) return put(Class::kMemory);
  switch (bare.kind) {
    case TypeKind::kFloat: return put(size && *size > 8 ? Class::kMemory : Class::kSse);
    case TypeKind::kArray:
      for (uint64_t i = 0; bare.target != nullptr && i < bare.count.value_or(0) && i < 16; ++i)
        classify(*bare.target, offset + i * size_of(*bare.target).value_or(16), out, depth + 1);
      return;
    case TypeKind::kStruct:
    case TypeKind::kClass:
    case TypeKind::kUnion:
      for (const Member& member : bare.members) {
        if (member.type == nullptr || !member.offset) return put(Class::kMemory);
        if (member.bit_size != 0) {
          const uint64_t at = (offset + *member.offset) / 8;
          if (at < 2) out[at] = join(out[at], Class::kInteger);
          continue;
        }
        classify(*member.type, offset + *member.offset, out, depth + 1);
      }
      return;
    case TypeKind::kUnknown:
    case TypeKind::kVoid: return;
    default: return put(Class::kInteger);
  }
}

Classes classes_of(const Type& type) {
  Classes out{};
  const auto size = size_of(stripped(type));
  if (!size || *size > 16) return {Class::kMemory, Class::kMemory};
  classify(type, 0, out, 0);
  if (out[0] == Class::kMemory || out[1] == Class::kMemory) return {Class::kMemory, Class::kMemory};
  return out;
}

Location in_register(uint32_t number) {
  Location out;
  out.kind = Location::Kind::kRegister;
  out.reg = number;
  return out;
}

/// One register, or two whose bytes follow each other.
Location in_registers(const std::vector<uint32_t>& registers, uint64_t size) {
  if (registers.empty()) return Location::unavailable("it is empty");
  if (registers.size() == 1) return in_register(registers[0]);
  Location out;
  out.kind = Location::Kind::kComposite;
  for (const uint32_t number : registers) {
    const uint64_t part = std::min<uint64_t>(size, 8);
    out.pieces.push_back({in_register(number), part * 8, 0});
    size -= part;
  }
  return out;
}

}  // namespace

ArgumentPlaces argument_places(const FunctionSignature& signature, uint64_t sp,
                               const ValueSource& source) {
  ArgumentPlaces out;
  size_t integers = 0;
  uint32_t vectors = 0;
  uint64_t stack = sp + 8;
  const bool hides_result =
      signature.result_is_reference || (stripped(*signature.result).kind != TypeKind::kVoid &&
                                        is_record(stripped(*signature.result)) &&
                                        classes_of(*signature.result)[0] == Class::kMemory);
  if (hides_result) ++integers;
  for (const FunctionSignature::Parameter& parameter : signature.parameters) {
    const Type& type = *parameter.variable.type;
    if (parameter.is_reference) {
      std::optional<uint64_t> address;
      if (integers < kIntegerRegisters.size()) address = source.reg(kIntegerRegisters[integers]);
      ++integers;
      out.parameters.push_back(address ? Location::in_memory(*address)
                                       : Location::unavailable("its address is not known"));
      continue;
    }
    const Classes classes = classes_of(type);
    const uint64_t size = size_of(stripped(type)).value_or(8);
    const auto want = [&](Class which) {
      return static_cast<size_t>(std::ranges::count(classes, which));
    };
    const bool fits = classes[0] != Class::kMemory &&
                      integers + want(Class::kInteger) <= kIntegerRegisters.size() &&
                      vectors + want(Class::kSse) <= 8;
    if (!fits) {
      const Type& bare = stripped(type);
      if ((bare.kind == TypeKind::kFloat && size > 8) || (is_integer(bare) && size > 8))
        stack = (stack - sp - 8 + 15) / 16 * 16 + sp + 8;
      out.parameters.push_back(Location::in_memory(stack));
      stack += (size + 7) / 8 * 8;
      continue;
    }
    std::vector<uint32_t> registers;
    for (const Class which : classes) {
      if (which == Class::kInteger) registers.push_back(kIntegerRegisters[integers++]);
      if (which == Class::kSse) registers.push_back(dwarf::kYmm0 + vectors++);
    }
    out.parameters.push_back(in_registers(registers, size));
  }
  return out;
}

Location result_place(const FunctionSignature& signature, const ValueSource& source) {
  const Type& bare = stripped(*signature.result);
  if (bare.kind == TypeKind::kVoid) return Location::unavailable("void");
  const Classes classes = classes_of(bare);
  const uint64_t size = size_of(bare).value_or(8);
  if (signature.result_is_reference || classes[0] == Class::kMemory) {
    if (!is_record(bare) && bare.kind != TypeKind::kArray)
      return Location::unavailable("it is on the x87 stack");
    const auto address = source.reg(dwarf::kRax);
    return address ? Location::in_memory(*address) : Location::unavailable("not known");
  }
  std::vector<uint32_t> registers;
  uint32_t integers = 0;
  uint32_t vectors = 0;
  for (const Class which : classes) {
    if (which == Class::kInteger) registers.push_back(integers++ == 0 ? dwarf::kRax : dwarf::kRdx);
    if (which == Class::kSse) registers.push_back(dwarf::kYmm0 + vectors++);
  }
  return in_registers(registers, size);
}

}  // namespace twinrun
