// SPDX-License-Identifier: MIT
#include "program/disassembler.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(Disassembler, PrintsIntelSyntaxWithAbsoluteTargets) {
  const Disassembler disassembler;
  EXPECT_EQ(disassembler.text(Bytes{0x48, 0x89, 0xe5}, {0x1000}), "mov rbp, rsp");
  EXPECT_EQ(disassembler.text(Bytes{0xeb, 0x05}, {0x1001}), "jmp 0x1008");
  EXPECT_EQ(disassembler.text(Bytes{0xf3, 0xa4}, {0}), "rep movsb");
}

TEST(Disassembler, BytesThatAreNoInstructionAreBad) {
  const Disassembler disassembler;
  EXPECT_EQ(disassembler.text(Bytes{0x06}, {0}), "(bad)");
  EXPECT_EQ(disassembler.text(Bytes{}, {0}), "(bad)");
}

}  // namespace
}  // namespace twinrun
