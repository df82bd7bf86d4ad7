// SPDX-License-Identifier: MIT
#include "program/evaluate.h"

#include <gtest/gtest.h>

#include <array>

namespace twinrun {
namespace {

constexpr uint64_t kOf(unsigned n) { return 0x1111111111111110 * (n + 1) + n; }

std::optional<InstructionResult> run(Bytes code, std::optional<uint64_t> loaded = std::nullopt) {
  const Evaluator evaluator;
  return evaluator.run(
      code, {.address = 0x1000, .reg = [](unsigned n) { return kOf(n); }, .loaded = loaded});
}

uint64_t value(Bytes code, std::optional<uint64_t> loaded = std::nullopt) {
  const auto out = run(std::move(code), loaded);
  EXPECT_TRUE(out.has_value());
  return out ? out->value : 0;
}

TEST(Evaluate, WidthsOfResults) {
  EXPECT_EQ(value({0x48, 0x89, 0xd8}), kOf(3));                                     // mov rax,rbx
  EXPECT_EQ(value({0x89, 0xd8}), kOf(3) & 0xffffffff);                              // mov eax,ebx
  EXPECT_EQ(value({0x66, 0x89, 0xd8}), (kOf(0) & ~0xffffull) | (kOf(3) & 0xffff));  // mov ax,bx
  EXPECT_EQ(value({0x88, 0xd8}), (kOf(0) & ~0xffull) | (kOf(3) & 0xff));            // mov al,bl
  EXPECT_EQ(value({0x88, 0xdc}), (kOf(0) & ~0xff00ull) | (kOf(3) & 0xff) << 8);     // mov ah,bl
  EXPECT_EQ(value({0x0f, 0xb6, 0xc7}), kOf(3) >> 8 & 0xff);                         // movzx eax,bh
}

TEST(Evaluate, MemoryAndAddresses) {
  EXPECT_EQ(value({0x8b, 0x03}, 0x80000001), 0x80000001u);                    // mov eax,[rbx]
  EXPECT_EQ(value({0x48, 0x63, 0x03}, 0x80000001), 0xffffffff80000001u);      // movsxd rax,[rbx]
  EXPECT_EQ(value({0x48, 0x8d, 0x44, 0x8b, 0x08}), kOf(3) + kOf(1) * 4 + 8);  // lea
  EXPECT_EQ(value({0x48, 0x8d, 0x05, 0x10, 0, 0, 0}), 0x1000u + 7 + 0x10);    // lea rax,[rip+16]
  EXPECT_FALSE(run({0x8b, 0x03}).has_value());                                // not loaded
}

TEST(Evaluate, Arithmetic) {
  EXPECT_EQ(value({0x31, 0xc0}), 0u);                                      // xor eax,eax
  EXPECT_EQ(value({0x83, 0xe8, 0x30}), (kOf(0) - 0x30) & 0xffffffff);      // sub eax,0x30
  EXPECT_EQ(value({0x48, 0x83, 0xc0, 0xff}), kOf(0) - 1);                  // add rax,-1
  EXPECT_EQ(value({0xc1, 0xf8, 0x1f}), 0u);                                // sar eax,31
  EXPECT_EQ(value({0xd3, 0xe0}), (kOf(0) << (kOf(1) & 31)) & 0xffffffff);  // shl eax,cl
  EXPECT_EQ(value({0x48, 0x6b, 0xc3, 0x07}), kOf(3) * 7);                  // imul rax,rbx,7
  EXPECT_EQ(run({0x99})->reg, 2u);                                         // cdq writes edx
}

TEST(Evaluate, WhatItDoesNotModelIsNothing) {
  EXPECT_FALSE(run({0x0f, 0x44, 0xc3}).has_value());  // cmove eax,ebx: flags
  EXPECT_FALSE(run({0x0f, 0xa2}).has_value());        // cpuid
  EXPECT_FALSE(run({0x89, 0x03}).has_value());        // mov [rbx],eax
  EXPECT_FALSE(run({0x48, 0xf7, 0xeb}).has_value());  // imul rbx
  EXPECT_FALSE(run({0x48}).has_value());
}

}  // namespace
}  // namespace twinrun
