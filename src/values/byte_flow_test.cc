// SPDX-License-Identifier: MIT
// Sound: a byte of an operand that is said not to matter can be anything without changing the
// bytes of the result that were asked for. Precise where that is the point: copies keep bytes
// apart.
#include "values/byte_flow.h"

#include "trace/regen/machine.h"
#include "trace/regen/op.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace twinrun {
namespace {

struct Listed {
  const char* name;
  uint16_t number;
};
constexpr Listed kListed[] = {
#define OP(name, number, computed) {#name, number},
#include "format/ir_ops.def"
#undef OP
};

uint16_t number_of(std::string_view name) {
  for (const Listed& op : kListed) {
    if (name == op.name) return op.number;
  }
  ADD_FAILURE() << name;
  return 0;
}

constexpr uint32_t kDst = kTempsOffset;
constexpr uint32_t kOperands = kTempsOffset + 64;
constexpr uint32_t kValue = 32;

TEST(ByteFlow, WhatDoesNotMatterDoesNotMatter) {
  Machine machine(1024 - 8);
  std::mt19937_64 random(3);
  uint64_t precise = 0;
  for (const Listed& listed : kListed) {
    const StepFunction evaluator = evaluator_of(listed.number);
    if (evaluator == nullptr) continue;
    // Divisions trap on some operands; all bytes matter to them anyway.
    if (std::string_view(listed.name).starts_with("Div")) continue;
    // A fourth operand stands in the step behind.
    const Op ops[2] = {{evaluator, kDst, kOperands, kOperands + kValue, kOperands + 2 * kValue},
                       {nullptr, 0, kOperands + 3 * kValue}};
    for (int round = 0; round < 60; ++round) {
      uint8_t operands[4 * kValue];
      for (uint8_t& byte : operands) byte = static_cast<uint8_t>(random());
      const uint64_t shift = random() % 64;
      const bool has_shift = std::string_view(listed.name).starts_with("S");
      if (has_shift) std::memcpy(operands + kValue, &shift, 8);
      const auto result = [&] {
        std::memset(machine.at(kDst), 0, 64);
        std::memcpy(machine.at(kOperands), operands, sizeof operands);
        ops[0].run(machine, ops[0]);
        return Bytes(machine.at(kDst), machine.at(kDst) + kValue);
      };
      const Bytes before = result();
      // Behind a narrow result there is no value.
      const std::string_view name = listed.name;
      const uint32_t width = name == "8HLto16" ? 2 : name == "16HLto32" ? 4 : kValue;
      const auto byte = static_cast<uint32_t>(random() % width);
      for (uint32_t operand = 0; operand < 4; ++operand) {
        // More than two operands: only what joins values is of interest.
        if (operand >= 2 && std::string_view(listed.name) != "64x4toV256") break;
        const ByteMask matters = operation_bytes(listed.number, operand, byte_mask(byte, 1),
                                                 has_shift ? shift : kNoShift);
        if (matters == kAllBytes) continue;
        ++precise;
        uint8_t kept[sizeof operands];
        std::memcpy(kept, operands, sizeof operands);
        for (uint32_t i = 0; i < kValue; ++i) {
          if ((matters >> i & 1) == 0)
            operands[operand * kValue + i] = static_cast<uint8_t>(random());
        }
        EXPECT_EQ(result()[byte], before[byte])
            << listed.name << " operand " << operand << " byte " << byte << " shift " << shift;
        std::memcpy(operands, kept, sizeof operands);
      }
    }
  }
  EXPECT_GT(precise, 10'000u);
}

TEST(ByteFlow, CopiesKeepBytesApart) {
  const auto bytes = [](const char* name, uint32_t operand, ByteMask wanted,
                        uint64_t shift = kNoShift) {
    return operation_bytes(number_of(name), operand, wanted, shift);
  };
  EXPECT_EQ(bytes("V128HIto64", 0, 0b100), ByteMask{0b100} << 8);
  EXPECT_EQ(bytes("64HLtoV128", 0, 1 << 9), ByteMask{1 << 1});
  EXPECT_EQ(bytes("64HLtoV128", 1, 1 << 9), ByteMask{0});
  EXPECT_EQ(bytes("64x4toV256", 0, ByteMask{1} << 31), ByteMask{1 << 7});
  EXPECT_EQ(bytes("64x4toV256", 3, ByteMask{1} << 31), ByteMask{0});
  EXPECT_EQ(bytes("8Uto32", 0, 0b1110), ByteMask{0});
  EXPECT_EQ(bytes("8Sto32", 0, 0b1110), ByteMask{1});
  EXPECT_EQ(bytes("XorV256", 1, 1 << 20), ByteMask{1 << 20});
  EXPECT_EQ(bytes("Add16x8", 0, 0b1), ByteMask{0b11});
  EXPECT_EQ(bytes("Add64", 0, 0b10), ByteMask{0b11});
  EXPECT_EQ(bytes("Shr32", 0, 0b1, 8), ByteMask{0b10});
  EXPECT_EQ(bytes("Shr32", 0, 0b1, 12), ByteMask{0b110});
  EXPECT_EQ(bytes("Shl64", 0, 0b1, 8), ByteMask{0});
  EXPECT_EQ(bytes("Sar32", 0, 0b1000, 8), ByteMask{0b1000});
  EXPECT_EQ(bytes("CmpEQ64", 0, 1), kAllBytes);
}

}  // namespace
}  // namespace twinrun
