// SPDX-License-Identifier: MIT
#include "trace/ir.h"

#include "trace/block.h"
#include "trace/event.h"

#include <gtest/gtest.h>

#include <random>

namespace twinrun {
namespace {

constexpr uint8_t kI64Constant = TW_I64 << 1 | 1;
constexpr uint8_t kI1Constant = TW_I1 << 1 | 1;

// One of each statement that has a shape of its own.
Bytes example() {
  ByteWriter ir;
  ir.varint(7);
  ir.raw(Bytes{TW_I64, TW_I32, TW_F64, TW_I64, TW_V128, TW_I64, TW_I64});
  ir.varint(12);
  ir.raw(Bytes{TW_STMT_IMARK});
  ir.raw(Bytes{TW_STMT_GET, 0, 16});
  ir.raw(Bytes{TW_STMT_LOAD, 1, 0 << 1});
  ir.raw(Bytes{TW_STMT_OP, 2, 1 | TW_CLASS_LOGGED << 4, 1, 0 << 1});
  ir.raw(Bytes{TW_STMT_PUT, 24, 2 << 1});
  ir.raw(Bytes{TW_STMT_GETI, 3, 64, TW_I64, 8, 0 << 1, 3 /* -2 */});
  ir.raw(Bytes{TW_STMT_LOADG, 4, TW_LOADG_V128, 0 << 1, TW_V128 << 1 | 1, 0xff, 0, kI1Constant, 1});
  ir.raw(Bytes{TW_STMT_CAS, 1, 5, 6, 0 << 1, kI64Constant, 1, kI64Constant, 2, kI64Constant, 3,
               kI64Constant, 4});
  // No result; guard 1; writes 8 bytes at t0; one register effect of 4 bytes, three times.
  ir.raw(Bytes{TW_STMT_DIRTY, 0, 9, kI1Constant, 1, TW_EFFECT_WRITE, 0 << 1, 8, 1, TW_EFFECT_MODIFY,
               100, 4, 2, 16, 2, TW_ARG_STATE, TW_ARG_VECTOR_RESULT});
  ir.raw(Bytes{TW_STMT_EXIT, kI1Constant, 0, 0x10, TW_JUMP_BORING, 1});
  ir.raw(Bytes{TW_STMT_STORE, 0 << 1, 3 << 1});
  ir.raw(Bytes{TW_STMT_FENCE});
  ir.raw(Bytes{kI64Constant, 0x20});
  return ir.take();
}

TEST(Ir, EveryStatementIsDecoded) {
  const auto ir = decode_ir(example());
  ASSERT_TRUE(ir.has_value()) << ir.error().message;
  ASSERT_EQ(ir->statements.size(), 12u);
  EXPECT_EQ(ir->statements[5].bias, -2);
  EXPECT_EQ(ir->statements[5].element_count, 8u);
  EXPECT_EQ(ir->statements[7].dst_high, 6u);
  EXPECT_EQ(ir->statements[8].memory_size, 8u);
  EXPECT_EQ(ir->effects[0].repeats, 2u);
  EXPECT_TRUE(ir->statements[9].makes_variant);
  EXPECT_EQ(ir->next.value, 0x20u);
}

TEST(Ir, LoadsAreNumberedAsTheRecorderDoes) {
  const auto loads = loads_of(*decode_ir(example()));
  ASSERT_EQ(loads.size(), 4u);
  EXPECT_EQ(loads[0].size, 4u);
  EXPECT_EQ(loads[1].size, 16u);
  EXPECT_EQ(loads[2].size, 8u);
  EXPECT_EQ(loads[3].statement, loads[2].statement);
}

TEST(Ir, OpaqueResultsAreAddedUpToAnExit) {
  const IrBlock ir = *decode_ir(example());
  EXPECT_EQ(opaque_size(ir, 3).max, 0u);
  EXPECT_EQ(opaque_size(ir, 4).max, 8u);
  EXPECT_EQ(opaque_size(ir, 12).min, 8u + 3 * 4 + 8);
  EXPECT_EQ(opaque_size(ir, 12).max, opaque_size(ir, 12).min);
}

TEST(Ir, EveryCutAndEveryTrailingByteIsRefused) {
  Bytes bytes = example();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(decode_ir(ByteSpan(bytes).first(size)).error().code, "T009") << size;
  bytes.push_back(0);
  EXPECT_FALSE(decode_ir(bytes).has_value());
}

TEST(Ir, TemporariesAreAssignedOnceAndBeforeTheirUse) {
  const auto refused = [](const Bytes& statements, uint8_t count) {
    ByteWriter ir;
    ir.raw(Bytes{2, TW_I64, TW_I64, count});
    ir.raw(statements);
    ir.raw(Bytes{kI64Constant, 0});
    return !decode_ir(ir.bytes()).has_value();
  };
  EXPECT_FALSE(refused({TW_STMT_GET, 0, 16}, 1));
  EXPECT_TRUE(refused({TW_STMT_GET, 0, 16, TW_STMT_GET, 0, 24}, 2));
  EXPECT_TRUE(refused({TW_STMT_PUT, 16, 0 << 1}, 1));
  EXPECT_TRUE(refused({TW_STMT_MOVE, 0, 0 << 1}, 1));
  EXPECT_TRUE(refused({TW_STMT_GET, 2, 16}, 1));
}

TEST(Ir, FlippedBitsAreRefusedOrPrintable) {
  std::mt19937 random(5);
  const Bytes original = example();
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes = original;
    for (int n = 0; n < 3; ++n) bytes[random() % bytes.size()] ^= 1u << random() % 8;
    const auto ir = decode_ir(bytes);
    if (!ir) continue;
    EXPECT_FALSE(print_ir(*ir, Dictionary(), "").empty());
    EXPECT_LE(opaque_size(*ir, 100).min, opaque_size(*ir, 100).max);
  }
}

TEST(Ir, PrintsOneLineAStatement) {
  const std::string text = print_ir(*decode_ir(example()), Dictionary(), "  ");
  EXPECT_NE(text.find("  t1:I32 = load(t0)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  t2:F64 = Add8(t0) [logged]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  goto 0x20:I64\n"), std::string::npos) << text;
}

TEST(Zigzag, IsItsOwnInverse) {
  for (const int64_t n : {int64_t{0}, int64_t{-1}, int64_t{1}, INT64_MIN, INT64_MAX})
    EXPECT_EQ(unzigzag(zigzag(n)), n);
}

}  // namespace
}  // namespace twinrun
