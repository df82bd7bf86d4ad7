// SPDX-License-Identifier: MIT
#include "trace/ir.h"
#include "trace/regen/machine.h"
#include "trace/regen/op.h"

#include <gtest/gtest.h>

#include <bit>
#include <string_view>

namespace twinrun {
namespace {

struct Listed {
  const char* name;
  uint16_t number;
  bool computed;
};
constexpr Listed kListed[] = {
#define OP(name, number, computed) {#name, number, computed},
#include "format/ir_ops.def"
#undef OP
};

TEST(Evaluators, ComputeExactlyWhatTheRecorderDoesNotLog) {
  for (const Listed& op : kListed) {
    EXPECT_EQ(evaluator_of(op.number) != nullptr, op.computed) << op.name;
  }
}

TEST(Evaluators, NumbersAreThoseOfTheFormat) {
  for (const Listed& op : kListed) EXPECT_EQ(op_name(op.number), op.name);
}

/// Runs one operation on words at fixed places of a machine.
class Operation : public testing::Test {
 protected:
  static uint16_t number(std::string_view name) {
    for (const Listed& op : kListed) {
      if (name == op.name) return op.number;
    }
    ADD_FAILURE() << name;
    return 0;
  }
  uint64_t run(std::string_view name, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
    machine_.word(kA) = a;
    machine_.word(kB) = b;
    machine_.word(kC) = c;
    const Op op{evaluator_of(number(name)), kDst, kA, kB, kC};
    op.run(machine_, op);
    return machine_.word(kDst);
  }
  uint64_t high() { return machine_.word(kDst + 8); }
  void set_high(uint64_t a, uint64_t b) {
    machine_.word(kA + 8) = a;
    machine_.word(kB + 8) = b;
  }

  static constexpr uint32_t kDst = kTempsOffset;
  static constexpr uint32_t kA = kTempsOffset + 32;
  static constexpr uint32_t kB = kTempsOffset + 64;
  static constexpr uint32_t kC = kTempsOffset + 96;
  Machine machine_{928};
};

TEST_F(Operation, KeepsNarrowResultsZeroExtended) {
  EXPECT_EQ(run("Add8", 0xff, 2), 1u);
  EXPECT_EQ(run("Sub16", 1, 2), 0xffffu);
  EXPECT_EQ(run("Not32", 0), 0xffffffffu);
  EXPECT_EQ(run("8Sto32", 0x80), 0xffffff80u);
  EXPECT_EQ(run("Sar8", 0x80, 3), 0xf0u);
  EXPECT_EQ(run("Shl64", 1, 64), 0u);
}

TEST_F(Operation, DividesAndMultipliesDouble) {
  EXPECT_EQ(run("DivModU64to32", 100, 7), uint64_t{2} << 32 | 14);
  EXPECT_EQ(run("DivModS64to32", static_cast<uint64_t>(-100), 7),
            uint64_t{static_cast<uint32_t>(-2)} << 32 | static_cast<uint32_t>(-14));
  EXPECT_EQ(run("DivModU64to32", 100, 0), 0u);
  EXPECT_EQ(run("MullS64", static_cast<uint64_t>(-1), 5), static_cast<uint64_t>(-5));
  EXPECT_EQ(high(), ~uint64_t{0});
  EXPECT_EQ(run("MullU8", 200, 200), 40000u);
}

TEST_F(Operation, TreatsVectorsLaneByLane) {
  set_high(0, 0);
  EXPECT_EQ(run("QAdd8Ux16", 0xff01, 0x0203), 0xff04u);
  EXPECT_EQ(run("CmpGT8Sx16", 0x017f, 0x02ff), 0x00ffu);
  EXPECT_EQ(run("InterleaveLO8x16", 0x2211, 0x4433), 0x22441133u);
  EXPECT_EQ(run("GetMSBs8x16", 0x8000000000000080), 0x81u);
  EXPECT_EQ(run("QNarrowBin16Sto8Ux8", 0xff80007f01000001, 0), 0x007fff0100000000u);
}

TEST_F(Operation, RoundsAsTold) {
  const auto bits = [](double value) { return std::bit_cast<uint64_t>(value); };
  EXPECT_EQ(run("F64toI32S", 0, bits(2.5)), 2u);
  EXPECT_EQ(run("F64toI32S", 2, bits(2.5)), 3u);
  EXPECT_EQ(run("F64toI32S", 0, bits(1e30)), 0x80000000u);
  EXPECT_EQ(run("AddF64", 0, bits(1.5), bits(2.25)), bits(3.75));
  EXPECT_EQ(run("RoundF64toInt", 1, bits(-0.5)), bits(-1.0));
  EXPECT_EQ(run("CmpF64", bits(1.0), bits(2.0)), 0x01u);
  EXPECT_EQ(run("CmpF64", bits(__builtin_nan("")), bits(2.0)), 0x45u);
}

TEST(Machine, StaysInsideItsStreams) {
  Machine machine(512);
  const Bytes positions(8);  // two misses of the first load of the first block
  const Bytes values(8);
  const Bytes opaque(16);
  uint8_t taken[16] = {};
  machine.set_streams(positions, values, opaque);
  machine.set_opaque_position(17);
  EXPECT_EQ(machine.contradiction().kind, Contradiction::Kind::kMissingValues);
  EXPECT_EQ(machine.opaque_position(), 0u);
  machine.take_opaque(taken, 16);
  EXPECT_TRUE(machine.opaque_used_up());
  machine.forget_contradiction();
  machine.begin_block(0);
  ASSERT_TRUE(machine.has_stale_miss());
  machine.drop_miss(4);
  EXPECT_EQ(machine.contradiction().kind, Contradiction::Kind::kNone);
  machine.drop_miss(8);
  EXPECT_EQ(machine.contradiction().kind, Contradiction::Kind::kMissingValues);
  machine.forget_contradiction();
  machine.take_miss_at(0, 8);
  EXPECT_EQ(machine.contradiction().kind, Contradiction::Kind::kMissingValues);
}

}  // namespace
}  // namespace twinrun
