// SPDX-License-Identifier: MIT
#include "program/dwarf_expression.h"

#include <dwarf.h>
#include <gtest/gtest.h>

#include <map>

namespace twinrun {
namespace {

struct FakeState : ValueSource {
  std::map<unsigned, uint64_t> regs{{0, 0x1122334455667788}, {6, 0x7000}, {7, 0x6ff0}};
  std::map<unsigned, uint64_t> entry_regs;
  std::optional<uint64_t> tls;
  [[nodiscard]] std::optional<uint64_t> reg(unsigned number) const override {
    const auto it = regs.find(number);
    return it == regs.end() ? std::nullopt : std::optional(it->second);
  }
  [[nodiscard]] std::optional<uint64_t> entry_reg(unsigned number) const override {
    const auto it = entry_regs.find(number);
    return it == entry_regs.end() ? std::nullopt : std::optional(it->second);
  }
  // The bytes at 0x7000 to 0x7fff are their own low address bytes.
  [[nodiscard]] bool memory(uint64_t address, std::span<uint8_t> out) const override {
    if (address < 0x7000 || address + out.size() > 0x8000) return false;
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<uint8_t>(address + i);
    return true;
  }
  [[nodiscard]] std::optional<uint64_t> tls_address(uint64_t offset) const override {
    return tls ? std::optional(*tls + offset) : std::nullopt;
  }
  [[nodiscard]] uint64_t load_bias() const override { return 0x10000; }
};

Location run(const FakeState& state, const Bytes& expression) {
  return evaluate(expression, {nullptr, &state, [] { return std::optional<uint64_t>(0x7100); },
                               [] { return std::optional<uint64_t>(0x7200); }});
}

uint64_t number(const FakeState& state, Bytes expression) {
  expression.push_back(DW_OP_stack_value);
  const Location out = run(state, expression);
  EXPECT_EQ(out.kind, Location::Kind::kValue) << out.reason;
  const auto read = read_location(out, 8, state);
  return read.bytes ? ByteReader(*read.bytes).fixed<uint64_t>() : ~uint64_t{0};
}

TEST(DwarfExpression, FindsMemoryRegistersAndFrames) {
  const FakeState state;
  const Location relocated = run(state, {DW_OP_addr, 0x34, 0x12, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(relocated.kind, Location::Kind::kMemory);
  EXPECT_EQ(relocated.address, 0x11234u);
  EXPECT_EQ(run(state, {DW_OP_fbreg, 0x70}).address, 0x70f0u);
  EXPECT_EQ(run(state, {DW_OP_call_frame_cfa}).address, 0x7200u);
  EXPECT_EQ(run(state, {DW_OP_breg6, 0x7c}).address, 0x6ffcu);
  EXPECT_EQ(run(state, {DW_OP_breg6, 0x10, DW_OP_deref}).address, 0x1716151413121110u);
  const Location in_register = run(state, {DW_OP_reg0});
  EXPECT_EQ(in_register.kind, Location::Kind::kRegister);
  EXPECT_EQ(*read_location(in_register, 4, state).bytes, (Bytes{0x88, 0x77, 0x66, 0x55}));
  EXPECT_EQ(*read_location(in_register.part(6), 2, state).bytes, (Bytes{0x22, 0x11}));
}

TEST(DwarfExpression, ComputesAsTheStandardSays) {
  const FakeState state;
  EXPECT_EQ(number(state, {DW_OP_lit7, DW_OP_lit2, DW_OP_minus}), 5u);
  EXPECT_EQ(number(state, {DW_OP_consts, 0x79, DW_OP_lit2, DW_OP_div}), static_cast<uint64_t>(-3));
  EXPECT_EQ(number(state, {DW_OP_const1s, 0xf8, DW_OP_lit1, DW_OP_shra}),
            static_cast<uint64_t>(-4));
  EXPECT_EQ(number(state, {DW_OP_const1s, 0xff, DW_OP_const1u, 60, DW_OP_shr}), 15u);
  EXPECT_EQ(number(state, {DW_OP_lit1, DW_OP_const1u, 70, DW_OP_shl}), 0u);
  EXPECT_EQ(number(state, {DW_OP_const1s, 0xff, DW_OP_lit1, DW_OP_lt}), 1u);
  EXPECT_EQ(number(state, {DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop}), 1u);
  EXPECT_EQ(number(state, {DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot}), 2u);
  EXPECT_EQ(number(state, {DW_OP_lit5, DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_neg, DW_OP_not}),
            ~uint64_t{5});
}

TEST(DwarfExpression, AssemblesPieces) {
  const FakeState state;
  const Location out = run(state, {DW_OP_reg0, DW_OP_piece, 2, DW_OP_const2u, 0x10, 0x70,
                                   DW_OP_piece, 1, DW_OP_lit9, DW_OP_stack_value, DW_OP_piece, 1});
  ASSERT_EQ(out.kind, Location::Kind::kComposite) << out.reason;
  EXPECT_EQ(*read_location(out, 4, state).bytes, (Bytes{0x88, 0x77, 0x10, 9}));
  EXPECT_EQ(*read_location(out.part(1), 2, state).bytes, (Bytes{0x77, 0x10}));
  EXPECT_FALSE(read_location(out, 5, state).bytes.has_value());
  const Location hole = run(state, {DW_OP_piece, 4, DW_OP_reg0, DW_OP_piece, 4});
  EXPECT_TRUE(read_location(hole.part(4), 4, state).bytes.has_value());
  EXPECT_EQ(read_location(hole, 4, state).reason, "optimized out");
  const Location bits =
      run(state, {DW_OP_reg0, DW_OP_bit_piece, 4, 4, DW_OP_reg0, DW_OP_bit_piece, 4, 0});
  EXPECT_EQ(*read_location(bits, 1, state).bytes, (Bytes{0x88}));
}

TEST(DwarfExpression, WhatIsUnknownIsUnavailableWithAReason) {
  FakeState state;
  const auto reason = [&](const Bytes& expression) {
    const Location out = run(state, expression);
    EXPECT_EQ(out.kind, Location::Kind::kUnavailable);
    return out.reason;
  };
  EXPECT_EQ(reason({}), "optimized out");
  EXPECT_EQ(reason({DW_OP_breg3, 0}), "register 3 is not known");
  EXPECT_EQ(reason({DW_OP_lit1, DW_OP_deref}), "memory at 0x1 is not known");
  EXPECT_EQ(reason({DW_OP_entry_value, 1, DW_OP_reg5, DW_OP_stack_value}),
            "only its value at the entry of the function is known");
  EXPECT_EQ(reason({DW_OP_implicit_pointer, 0, 0, 0, 0, 0}),
            "it points to an object without an address");
  EXPECT_EQ(reason({DW_OP_lit3, DW_OP_form_tls_address}), "where its thread keeps it is not known");
  EXPECT_EQ(reason({DW_OP_lit3, DW_OP_lit0, DW_OP_div}), "its location divides by 0");
  EXPECT_EQ(reason({0xff}), "its location uses operation 0xff, which is not supported");
  state.entry_regs[5] = 42;
  state.tls = 0x9000;
  EXPECT_EQ(number(state, {DW_OP_entry_value, 1, DW_OP_reg5}), 42u);
  EXPECT_EQ(run(state, {DW_OP_lit3, DW_OP_form_tls_address}).address, 0x9003u);
}

TEST(DwarfExpression, DamageEndsInAReason) {
  const FakeState state;
  for (const Bytes& expression :
       {Bytes{DW_OP_plus}, Bytes{DW_OP_addr, 1}, Bytes{DW_OP_skip, 0xfd, 0xff},
        Bytes{DW_OP_skip, 0, 0x40}, Bytes{DW_OP_reg0, DW_OP_lit1}, Bytes{DW_OP_pick, 9},
        Bytes{DW_OP_implicit_value, 200, 1}, Bytes{DW_OP_lit0, DW_OP_dup, DW_OP_skip, 0xfc, 0xff}})
    EXPECT_EQ(run(state, expression).kind, Location::Kind::kUnavailable);
}

}  // namespace
}  // namespace twinrun
