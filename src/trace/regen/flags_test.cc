// SPDX-License-Identifier: MIT
// The flags that the thunk gives, against those of the CPU that runs this test.
#include "trace/regen/flags.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace twinrun {
namespace {

constexpr uint64_t kC = 1;
constexpr uint64_t kO = 1u << 11;
constexpr uint64_t kAll = 0x8d5;  // O S Z A P C
constexpr uint64_t kNoA = 0x8c5;  // A is undefined after logic and shifts

/// Flags after `instruction` on operands of type T, with the carry flag set as given.
#define FLAGS_OF(instruction, T, a, b, carry)                               \
  ([&] {                                                                    \
    T left = static_cast<T>(a);                                             \
    const T right = static_cast<T>(b);                                      \
    uint64_t flags = 0;                                                     \
    asm volatile("bt $0, %3\n\t" instruction " %2, %0\n\tpushfq\n\tpopq %1" \
                 : "+r"(left), "=r"(flags)                                  \
                 : "r"(right), "r"(uint64_t{carry})                         \
                 : "cc");                                                   \
    return flags;                                                           \
  }())
#define FLAGS_OF_ONE(instruction, T, a, carry)                          \
  ([&] {                                                                \
    T left = static_cast<T>(a);                                         \
    uint64_t flags = 0;                                                 \
    asm volatile("bt $0, %2\n\t" instruction " %0\n\tpushfq\n\tpopq %1" \
                 : "+r"(left), "=r"(flags)                              \
                 : "r"(uint64_t{carry})                                 \
                 : "cc");                                               \
    return flags;                                                       \
  }())

template <typename T>
void check_size(unsigned size, uint64_t a, uint64_t b, bool carry) {
  const T x = static_cast<T>(a);
  const T y = static_cast<T>(b);
  const auto thunk = [&](unsigned group, uint64_t d1, uint64_t d2, uint64_t n) {
    return rflags_all(1 + group * 4 + size, d1, d2, n);
  };
  EXPECT_EQ(thunk(0, x, y, 0) & kAll, FLAGS_OF("add", T, a, b, carry) & kAll);
  EXPECT_EQ(thunk(1, x, y, 0) & kAll, FLAGS_OF("sub", T, a, b, carry) & kAll);
  EXPECT_EQ(thunk(2, x, static_cast<T>(y ^ T{carry}), carry) & kAll,
            FLAGS_OF("adc", T, a, b, carry) & kAll);
  EXPECT_EQ(thunk(3, x, static_cast<T>(y ^ T{carry}), carry) & kAll,
            FLAGS_OF("sbb", T, a, b, carry) & kAll);
  EXPECT_EQ(thunk(4, static_cast<T>(x & y), 0, 0) & kNoA, FLAGS_OF("and", T, a, b, carry) & kNoA);
  EXPECT_EQ(thunk(5, static_cast<T>(x + 1), 0, carry) & kAll,
            FLAGS_OF_ONE("inc", T, a, carry) & kAll);
  EXPECT_EQ(thunk(6, static_cast<T>(x - 1), 0, carry) & kAll,
            FLAGS_OF_ONE("dec", T, a, carry) & kAll);
}

TEST(Flags, AreThoseOfTheCpu) {
  std::mt19937_64 random(20261115);
  const uint64_t special[] = {0,           1,      0x7f,       0x80,       0xff,
                              0x7fff,      0x8000, 0x7fffffff, 0x80000000, ~uint64_t{0} >> 1,
                              ~uint64_t{0}};
  for (int i = 0; i < 20000; ++i) {
    const uint64_t a = i % 3 == 0 ? special[random() % std::size(special)] : random();
    const uint64_t b = i % 5 == 0 ? special[random() % std::size(special)] : random();
    const bool carry = (random() & 1) != 0;
    check_size<uint8_t>(0, a, b, carry);
    check_size<uint16_t>(1, a, b, carry);
    check_size<uint32_t>(2, a, b, carry);
    check_size<uint64_t>(3, a, b, carry);
    if (HasFailure()) return;
  }
}

TEST(Flags, OfShiftsRotationsAndProducts) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 5000; ++i) {
    const auto a = static_cast<uint32_t>(random());
    const auto b = static_cast<uint32_t>(random());
    // The thunk of a shift by one: its result, and the value before it.
    EXPECT_EQ(rflags_all(31, static_cast<uint32_t>(a << 1), a, 0) & kNoA,
              FLAGS_OF_ONE("shll $1,", uint32_t, a, false) & kNoA);
    EXPECT_EQ(rflags_all(35, a >> 1, a, 0) & kNoA,
              FLAGS_OF_ONE("shrl $1,", uint32_t, a, false) & kNoA);
    const uint64_t rotated = std::rotl(a, 1);
    EXPECT_EQ(rflags_all(39, rotated, 0, 0) & (kC | kO),
              FLAGS_OF_ONE("roll $1,", uint32_t, a, false) & (kC | kO));
    const uint64_t rotated_right = std::rotr(a, 1);
    EXPECT_EQ(rflags_all(43, rotated_right, 0, 0) & (kC | kO),
              FLAGS_OF_ONE("rorl $1,", uint32_t, a, false) & (kC | kO));
    EXPECT_EQ(rflags_all(51, a, b, 0) & (kC | kO),
              FLAGS_OF("imul", uint32_t, a, b, false) & (kC | kO));
    if (HasFailure()) return;
  }
}

TEST(Flags, DecideConditions) {
  // 3 - 5 on 64 bits: below, less, not equal.
  EXPECT_EQ(condition_holds(2, 8, 3, 5, 0), 1u);
  EXPECT_EQ(condition_holds(3, 8, 3, 5, 0), 0u);
  EXPECT_EQ(condition_holds(4, 8, 3, 5, 0), 0u);
  EXPECT_EQ(condition_holds(12, 8, 3, 5, 0), 1u);
  EXPECT_EQ(condition_holds(15, 8, 3, 5, 0), 0u);
  EXPECT_EQ(rflags_carry(8, 3, 5, 0), 1u);
  EXPECT_EQ(rflags_all(0, ~uint64_t{0}, 0, 0), kAll);
}

}  // namespace
TEST(Flags, OperandsThatDoNotMatterDoNot) {
  std::mt19937_64 random(7);
  for (uint64_t op = 0; op <= 64; ++op) {
    const FlagOperands needed = flag_operands(op);
    for (int i = 0; i < 2000; ++i) {
      const uint64_t dep1 = random();
      const uint64_t dep2 = random();
      const uint64_t ndep = random();
      const uint64_t flags = rflags_all(op, dep1, dep2, ndep);
      EXPECT_EQ(flags,
                rflags_all(op, dep1, needed.dep2 ? dep2 : random(), needed.ndep ? ndep : random()))
          << op;
    }
  }
}

}  // namespace twinrun
