// SPDX-License-Identifier: MIT
#include "program/instruction.h"

#include <gtest/gtest.h>

#include <random>

namespace twinrun {
namespace {

constexpr uint64_t kAt = 0x401000;

Instruction decoded(const Bytes& code) {
  const Decoder decoder;
  const auto out = decoder.decode(code, kAt);
  EXPECT_TRUE(out.has_value());
  return out.value_or(Instruction{});
}

TEST(Instruction, FlowAndTargets) {
  EXPECT_EQ(decoded({0x48, 0x89, 0xc3}).flow, Flow::kNone);
  EXPECT_EQ(decoded({0xeb, 0x10}).target, kAt + 0x12);
  EXPECT_EQ(decoded({0xeb, 0x10}).flow, Flow::kJump);
  EXPECT_EQ(decoded({0xeb, 0xfe}).target, kAt);
  EXPECT_EQ(decoded({0xe9, 0, 1, 0, 0}).target, kAt + 0x105);
  EXPECT_EQ(decoded({0x0f, 0x84, 0, 0, 0, 0}).flow, Flow::kConditionalJump);
  EXPECT_EQ(decoded({0xe3, 0x02}).flow, Flow::kConditionalJump);                 // jrcxz
  EXPECT_EQ(decoded({0xe2, 0x02}).flow, Flow::kConditionalJump);                 // loop
  EXPECT_EQ(decoded({0xc7, 0xf8, 0x10, 0, 0, 0}).flow, Flow::kConditionalJump);  // xbegin
  EXPECT_EQ(decoded({0xe8, 0xfb, 0xff, 0xff, 0xff}).flow, Flow::kCall);
  EXPECT_EQ(decoded({0xe8, 0xfb, 0xff, 0xff, 0xff}).target, kAt);
  EXPECT_EQ(decoded({0xff, 0xe0}).flow, Flow::kIndirectJump);
  EXPECT_FALSE(decoded({0xff, 0xe0}).has_slot);
  EXPECT_EQ(decoded({0x3e, 0xff, 0xe0}).flow, Flow::kIndirectJump);  // notrack
  EXPECT_EQ(decoded({0xff, 0xd0}).flow, Flow::kIndirectCall);
  EXPECT_EQ(decoded({0xc3}).flow, Flow::kReturn);
  EXPECT_EQ(decoded({0xf3, 0xc3}).flow, Flow::kReturn);
  EXPECT_FALSE(decoded({0xf3, 0xc3}).repeats);
  EXPECT_EQ(decoded({0xc2, 8, 0}).flow, Flow::kReturn);
  EXPECT_EQ(decoded({0xf4}).flow, Flow::kTrap);
  EXPECT_EQ(decoded({0x0f, 0x0b}).flow, Flow::kTrap);
  EXPECT_EQ(decoded({0xcc}).flow, Flow::kTrap);
  EXPECT_EQ(decoded({0x0f, 0x05}).flow, Flow::kSyscall);
  EXPECT_EQ(decoded({0xcd, 0x80}).flow, Flow::kSyscall);
  EXPECT_TRUE(decoded({0xf3, 0xa4}).repeats);
  EXPECT_TRUE(decoded({0x0f, 0x1f, 0x44, 0, 0}).is_nop);
}

TEST(Instruction, SlotsOfIndirectJumps) {
  const Instruction relative = decoded({0xff, 0x25, 0x10, 0, 0, 0});  // jmp [rip+0x10]
  EXPECT_TRUE(relative.has_slot);
  EXPECT_EQ(relative.target, kAt + 6 + 0x10);
  const Instruction absolute = decoded({0xff, 0x24, 0x25, 0x40, 0x40, 0x40, 0});  // jmp [0x404040]
  EXPECT_TRUE(absolute.has_slot);
  EXPECT_EQ(absolute.target, 0x404040u);
  EXPECT_FALSE(decoded({0xff, 0x24, 0xc5, 0x40, 0x40, 0x40, 0}).has_slot);        // jmp [rax*8+...]
  EXPECT_FALSE(decoded({0xff, 0x20}).has_slot);                                   // jmp [rax]
  EXPECT_FALSE(decoded({0x42, 0xff, 0x24, 0x25, 0x40, 0x40, 0x40, 0}).has_slot);  // r12*1
}

TEST(Instruction, Registers) {
  const Decoder decoder;
  const auto add = decoder.registers(Bytes{0x48, 0x03, 0x44, 0x8b, 0x08});  // add rax,[rbx+rcx*4+8]
  ASSERT_TRUE(add.has_value());
  EXPECT_EQ(add->reads, RegisterSet{1 << 0 | 1 << 3 | 1 << 1});
  EXPECT_EQ(add->writes, RegisterSet{1} | kRegisterFlags);
  EXPECT_EQ(add->operands, RegisterSet{1});
  const auto lea = decoder.registers(Bytes{0x48, 0x8d, 0x44, 0x8b, 0x08});  // lea rax,[rbx+rcx*4+8]
  ASSERT_TRUE(lea.has_value());
  EXPECT_EQ(lea->operands, RegisterSet{1 << 3 | 1 << 1});
  const auto high = decoder.registers(Bytes{0x88, 0xe3});  // mov bl,ah
  ASSERT_TRUE(high.has_value());
  EXPECT_EQ(high->reads, RegisterSet{1});
  EXPECT_EQ(high->writes, RegisterSet{1 << 3});
  EXPECT_EQ(high->operands, RegisterSet{1 << 3 | 1});
  const auto jump = decoder.registers(Bytes{0x74, 0});  // je
  ASSERT_TRUE(jump.has_value());
  EXPECT_EQ(jump->reads, kRegisterFlags);
  EXPECT_EQ(jump->writes, 0u);
  const auto vector = decoder.registers(Bytes{0x0f, 0x28, 0xca});  // movaps xmm1,xmm2
  ASSERT_TRUE(vector.has_value());
  EXPECT_EQ(vector->reads, vector_register(2));
  EXPECT_EQ(vector->writes, vector_register(1));
  const auto push = decoder.registers(Bytes{0x55});  // push rbp
  ASSERT_TRUE(push.has_value());
  EXPECT_EQ(push->reads, RegisterSet{1 << 5 | 1 << 4});
  EXPECT_EQ(push->writes, RegisterSet{1 << 4});
}

TEST(Instruction, AnyBytesAreDecodedOrRefused) {
  const Decoder decoder;
  std::mt19937 random(7);
  size_t good = 0;
  for (int i = 0; i < 100'000; ++i) {
    Bytes code(random() % 17);
    for (uint8_t& byte : code) byte = static_cast<uint8_t>(random());
    const auto instruction = decoder.decode(code, random());
    (void)decoder.registers(code);
    if (!instruction) continue;
    ++good;
    ASSERT_GT(instruction->length, 0u);
    ASSERT_LE(instruction->length, code.size());
  }
  EXPECT_GT(good, 10'000u);
}

}  // namespace
}  // namespace twinrun
