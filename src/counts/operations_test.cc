// SPDX-License-Identifier: MIT
#include "counts/operations.h"

#include "trace/ir.h"
#include "trace/trace_builder.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

TEST(Operations, AreToldApartByTheirNames) {
  for (const char* name : {"Add64", "CmpLT32S", "DivModU128to64", "64to8", "32HLto64", "Not1",
                           "MullS64", "PopCount64", "CasCmpEQ8", "Max32U"})
    EXPECT_EQ(operation_kind(name), OperationKind::kInteger) << name;
  for (const char* name : {"Add8x16", "QSub16Sx8", "AndV128", "64HLtoV128", "V256toV128_1",
                           "64x4toV256", "GetMSBs8x16", "Perm8x16", "ShlN32x4", "CmpNEZ8x8",
                           "Reverse8sIn16_x8", "InterleaveHI64x2", "SHA256", "ZeroHI96ofV128"})
    EXPECT_EQ(operation_kind(name), OperationKind::kVector) << name;
  for (const char* name :
       {"AddF64", "Add32F0x4", "Mul64Fx4", "CmpF32", "F64toI32S", "I32StoF64", "ReinterpF64asI64",
        "2xm1F64", "I32StoF32x4", "AddD64", "BCDAdd", "RSqrtEst32Fx8", "F16toF32x4"})
    EXPECT_EQ(operation_kind(name), OperationKind::kFloat) << name;
}

uint8_t number_of(std::string_view name) {
  for (uint16_t op = 1; op < 128; ++op) {
    if (op_name(op) == name) return static_cast<uint8_t>(op);
  }
  ADD_FAILURE() << name;
  return 0;
}

constexpr uint8_t kI64Constant = TW_I64 << 1 | 1;
constexpr uint8_t kI1Constant = TW_I1 << 1 | 1;

/// Two instructions: a load and two operations, of which one is logged; a side exit; then flags, an
/// operation that nobody needs and a helper.
Bytes block_ir() {
  const uint8_t add = number_of("Add64");
  const uint8_t multiply = number_of("Mul64");
  ByteWriter ir;
  ir.varint(6);
  ir.raw(Bytes{TW_I64, TW_I64, TW_I64, TW_I64, TW_I64, TW_I64});
  ir.varint(9);
  ir.raw(Bytes{TW_STMT_IMARK});
  ir.raw(Bytes{TW_STMT_GET, 0, 0});
  ir.raw(Bytes{TW_STMT_LOAD, 1, 0 << 1});
  ir.raw(Bytes{TW_STMT_OP, 2, 2 | TW_CLASS_COMPUTED << 4, add, 0 << 1, 1 << 1});
  ir.raw(Bytes{TW_STMT_EXIT, kI1Constant, 0, 0x10, TW_JUMP_BORING, 1});
  ir.raw(Bytes{TW_STMT_IMARK});
  ir.raw(Bytes{TW_STMT_OP, 3, 2 | TW_CLASS_LOGGED << 4, multiply, 0 << 1, 1 << 1});
  ir.raw(Bytes{TW_STMT_CCALL, 4, TW_CLASS_COMPUTED, 1, 0});
  ir.raw(Bytes{TW_STMT_OP, 5, 2 | TW_CLASS_UNKNOWN << 4, add, 0 << 1, 1 << 1});
  ir.raw(Bytes{kI64Constant, 0x20});
  return ir.take();
}

TEST(Operations, AreCountedByTheWaysThroughTheirBlocks) {
  const TempDir dir;
  const std::string path = dir.file("values.twin");
  auto writer = Writer::create({.final_path = path, .reserve = WriterOptions::kNoReserve},
                               {.features = TW_FEATURE_VALUES});
  ASSERT_TRUE(writer.has_value());
  ASSERT_TRUE((*writer)->recording({.argv = {"./prog"}}).has_value());
  ASSERT_TRUE((*writer)
                  ->begin_process({.number = 1,
                                   .origin = TW_ORIGIN_ROOT,
                                   .pid = 100,
                                   .state_size = 16,
                                   .registers = {{"rax", 0, 8}, {"rip", 8, 8}}})
                  .has_value());
  SegmentBuilder segment;
  segment.begin_chunk();
  segment.event(TW_EVENT_THREAD_START, {1, 0});
  segment.event(TW_EVENT_THREAD_SWITCH, {1});
  segment.define_helper(1, "amd64g_calculate_condition");
  segment.define(1, {.address = 0x1000, .lengths = {1, 1}, .exits = {1}, .ir = block_ir()});
  segment.run({1, 2, 2, 2});  // left by the side exit once
  segment.miss(0, Bytes(8));
  segment.run({2});
  segment.event(TW_EVENT_SIGNAL, {1, 11, 1, 0x1001, TW_SIGNAL_HANDLED | TW_SIGNAL_PARTIAL, 1, 0});
  segment.slot().flags |= TW_SEGMENT_LAST;
  ASSERT_TRUE(segment.write(**writer, 1).has_value());
  ASSERT_TRUE((*writer)->end_process(1, {.how = EndKind::kExited}).has_value());
  ASSERT_TRUE((*writer)->finish({.how = EndKind::kExited}).has_value());
  const Bytes bytes = read_whole_file(path);
  const auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.has_value());

  const auto counts = count_operations(**reader, {1});
  ASSERT_TRUE(counts.has_value()) << counts.error().message;
  const auto of = [&](OperationKind kind) { return counts->by_kind[static_cast<size_t>(kind)]; };
  EXPECT_EQ(of(OperationKind::kRegister).computed, 5u);
  EXPECT_EQ(of(OperationKind::kLoad).computed, 4u);
  EXPECT_EQ(of(OperationKind::kLoad).logged, 1u);
  EXPECT_EQ(of(OperationKind::kInteger).computed, 5u);
  EXPECT_EQ(of(OperationKind::kInteger).logged, 3u);
  EXPECT_EQ(of(OperationKind::kInteger).unneeded, 3u);
  EXPECT_EQ(of(OperationKind::kFlags).computed, 3u);
  EXPECT_EQ(of(OperationKind::kHelperCall).all(), 0u);
  ASSERT_EQ(counts->logged.size(), 1u);
  EXPECT_EQ(counts->logged[0].name, "Mul64");
  EXPECT_EQ(counts->logged[0].count, 3u);
}

TEST(Operations, AreUnknownWithoutValues) {
  const Bytes bytes = small_recording();
  const auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.has_value());
  const auto counts = count_operations(**reader, {1});
  ASSERT_FALSE(counts.has_value());
  EXPECT_EQ(counts.error().code, "V001");
}

}  // namespace
}  // namespace twinrun
