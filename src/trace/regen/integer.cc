// SPDX-License-Identifier: MIT
// Scalar integer operations. Values narrower than a word are kept zero-extended in one; 128-bit
// ones take two. What x86 leaves undefined never reaches these operations with a meaning; they only
// must not trap.
#include "trace/regen/machine.h"
#include "trace/regen/op.h"

#include <bit>
#include <type_traits>

namespace twinrun {
namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using u128 = unsigned __int128;
using i128 = __int128;

template <typename T>
using Signed = std::make_signed_t<T>;

template <typename T, typename F>
void unary(Machine& m, const Op& op) {
  m.word(op.dst) = static_cast<u64>(F{}(static_cast<T>(m.word(op.a))));
}
template <typename T, typename F>
void binary(Machine& m, const Op& op) {
  m.word(op.dst) =
      static_cast<u64>(F{}(static_cast<T>(m.word(op.a)), static_cast<T>(m.word(op.b))));
}
template <typename T, typename F>
void shift(Machine& m, const Op& op) {
  m.word(op.dst) =
      static_cast<u64>(F{}(static_cast<T>(m.word(op.a)), static_cast<u8>(m.word(op.b))));
}

#define UNARY(name, expression)  \
  struct name {                  \
    template <typename T>        \
    auto operator()(T a) const { \
      return expression;         \
    }                            \
  }
#define BINARY(name, expression)      \
  struct name {                       \
    template <typename T>             \
    auto operator()(T a, T b) const { \
      return expression;              \
    }                                 \
  }
#define SHIFT(name, expression)                 \
  struct name {                                 \
    template <typename T>                       \
    T operator()(T a, u8 n) const {             \
      constexpr unsigned kBits = sizeof(T) * 8; \
      return static_cast<T>(expression);        \
    }                                           \
  }

BINARY(Add, static_cast<T>(a + b));
BINARY(Sub, static_cast<T>(a - b));
BINARY(Mul, static_cast<T>(u64{a} * u64{b}));
BINARY(Or, static_cast<T>(a | b));
BINARY(And, static_cast<T>(a& b));
BINARY(Xor, static_cast<T>(a ^ b));
BINARY(Equal, a == b);
BINARY(Differ, a != b);
BINARY(LessS, static_cast<Signed<T>>(a) < static_cast<Signed<T>>(b));
BINARY(LessEqualS, static_cast<Signed<T>>(a) <= static_cast<Signed<T>>(b));
BINARY(LessU, a < b);
BINARY(LessEqualU, a <= b);
BINARY(Maximum, a > b ? a : b);
BINARY(DivU, static_cast<T>(b == 0 ? T{0} : a / b));
BINARY(DivS,
       static_cast<T>(b == 0          ? T{0}
                      : b == T(~T{0}) ? T(T{0} - a)
                                      : T(static_cast<Signed<T>>(a) / static_cast<Signed<T>>(b))));
UNARY(Not, static_cast<T>(~a));
UNARY(NotZero, a != 0);
UNARY(Left, static_cast<T>(a | (T{0} - a)));
UNARY(Spread, static_cast<T>(a != 0 ? ~T{0} : T{0}));
UNARY(Leading, static_cast<T>(std::countl_zero(a)));
UNARY(Trailing, static_cast<T>(std::countr_zero(a)));
UNARY(Ones, static_cast<T>(std::popcount(a)));
UNARY(Same, a);
SHIFT(Shl, n < kBits ? u64{a} << n : 0);
SHIFT(Shr, n < kBits ? a >> n : 0);
SHIFT(Sar, static_cast<Signed<T>>(a) >> (n < kBits ? n : kBits - 1));

template <typename From, typename To>
void sign_extend(Machine& m, const Op& op) {
  // NOLINTNEXTLINE(bugprone-signed-char-misuse): that the sign is carried over is the point.
  m.word(op.dst) = static_cast<To>(static_cast<Signed<From>>(m.word(op.a)));
}
template <typename T>
void spread_bit(Machine& m, const Op& op) {
  m.word(op.dst) = static_cast<T>(T{0} - static_cast<T>(m.word(op.a) & 1));
}
/// Low half of a value of type T's double width: bits [sizeof T * 8, ...).
template <typename T>
void high_half(Machine& m, const Op& op) {
  m.word(op.dst) = static_cast<T>(m.word(op.a) >> (sizeof(T) * 8));
}
template <typename T>
void join(Machine& m, const Op& op) {
  m.word(op.dst) = m.word(op.a) << (sizeof(T) * 8) | static_cast<T>(m.word(op.b));
}
template <typename T>
void multiply_u(Machine& m, const Op& op) {  // to double width, at most a word
  m.word(op.dst) = u64{static_cast<T>(m.word(op.a))} * u64{static_cast<T>(m.word(op.b))};
}
template <typename T, typename Wide>
void multiply_s(Machine& m, const Op& op) {
  const int64_t product =
      int64_t{static_cast<Signed<T>>(m.word(op.a))} * int64_t{static_cast<Signed<T>>(m.word(op.b))};
  m.word(op.dst) = static_cast<Wide>(product);
}

u128 pair(Machine& m, u32 offset) { return u128{m.word(offset + 8)} << 64 | m.word(offset); }
void set_pair(Machine& m, u32 offset, u128 value) {
  m.word(offset) = static_cast<u64>(value);
  m.word(offset + 8) = static_cast<u64>(value >> 64);
}

void multiply_u64(Machine& m, const Op& op) {
  set_pair(m, op.dst, u128{m.word(op.a)} * m.word(op.b));
}
void multiply_s64(Machine& m, const Op& op) {
  const i128 product =
      i128{static_cast<int64_t>(m.word(op.a))} * static_cast<int64_t>(m.word(op.b));
  set_pair(m, op.dst, static_cast<u128>(product));
}
void divmod_u64_32(Machine& m, const Op& op) {
  const u64 a = m.word(op.a);
  const u64 b = static_cast<u32>(m.word(op.b));
  m.word(op.dst) = b == 0 ? 0 : (a % b) << 32 | static_cast<u32>(a / b);
}
void divmod_s64_32(Machine& m, const Op& op) {
  const auto a = static_cast<i128>(static_cast<int64_t>(m.word(op.a)));
  const auto b = static_cast<i128>(static_cast<int32_t>(m.word(op.b)));
  m.word(op.dst) = b == 0 ? 0 : u64{static_cast<u32>(a % b)} << 32 | static_cast<u32>(a / b);
}
void divmod_u32_32(Machine& m, const Op& op) {
  const u32 a = static_cast<u32>(m.word(op.a));
  const u32 b = static_cast<u32>(m.word(op.b));
  m.word(op.dst) = b == 0 ? 0 : u64{a % b} << 32 | a / b;
}
void divmod_s32_32(Machine& m, const Op& op) {
  const auto a = static_cast<int64_t>(static_cast<int32_t>(m.word(op.a)));
  const auto b = static_cast<int64_t>(static_cast<int32_t>(m.word(op.b)));
  m.word(op.dst) = b == 0 ? 0 : u64{static_cast<u32>(a % b)} << 32 | static_cast<u32>(a / b);
}
void set_quotient(Machine& m, u32 dst, u64 quotient, u64 remainder) {
  m.word(dst) = quotient;
  m.word(dst + 8) = remainder;
}
void divmod_u128_64(Machine& m, const Op& op) {
  const u128 a = pair(m, op.a);
  const u64 b = m.word(op.b);
  if (b == 0) return set_quotient(m, op.dst, 0, 0);
  set_quotient(m, op.dst, static_cast<u64>(a / b), static_cast<u64>(a % b));
}
void divmod_s128_64(Machine& m, const Op& op) {
  const auto a = static_cast<i128>(pair(m, op.a));
  const auto b = static_cast<i128>(static_cast<int64_t>(m.word(op.b)));
  if (b == 0) return set_quotient(m, op.dst, 0, 0);
  if (b == -1) return set_quotient(m, op.dst, static_cast<u64>(u128{0} - static_cast<u128>(a)), 0);
  set_quotient(m, op.dst, static_cast<u64>(a / b), static_cast<u64>(a % b));
}
void divmod_u64_64(Machine& m, const Op& op) {
  const u64 a = m.word(op.a);
  const u64 b = m.word(op.b);
  if (b == 0) return set_quotient(m, op.dst, 0, 0);
  set_quotient(m, op.dst, a / b, a % b);
}
void divmod_s64_64(Machine& m, const Op& op) {
  const auto a = static_cast<i128>(static_cast<int64_t>(m.word(op.a)));
  const auto b = static_cast<i128>(static_cast<int64_t>(m.word(op.b)));
  if (b == 0) return set_quotient(m, op.dst, 0, 0);
  set_quotient(m, op.dst, static_cast<u64>(a / b), static_cast<u64>(a % b));
}
void low_word(Machine& m, const Op& op) { m.word(op.dst) = m.word(op.a); }
void high_word(Machine& m, const Op& op) { m.word(op.dst) = m.word(op.a + 8); }
void join_words(Machine& m, const Op& op) {
  const u64 low = m.word(op.b);
  m.word(op.dst + 8) = m.word(op.a);
  m.word(op.dst) = low;
}
void low_bit(Machine& m, const Op& op) { m.word(op.dst) = m.word(op.a) & 1; }
void not_bit(Machine& m, const Op& op) { m.word(op.dst) = (m.word(op.a) & 1) ^ 1; }

#define SIZES(name, kind, function)                                 \
  {name "8", kind<u8, function>}, {name "16", kind<u16, function>}, \
      {name "32", kind<u32, function>}, {                           \
    name "64", kind<u64, function>                                  \
  }

constexpr NamedEvaluator kTable[] = {
    SIZES("Add", binary, Add),
    SIZES("Sub", binary, Sub),
    SIZES("Mul", binary, Mul),
    SIZES("Or", binary, Or),
    SIZES("And", binary, And),
    SIZES("Xor", binary, Xor),
    SIZES("Shl", shift, Shl),
    SIZES("Shr", shift, Shr),
    SIZES("Sar", shift, Sar),
    SIZES("CmpEQ", binary, Equal),
    SIZES("CmpNE", binary, Differ),
    SIZES("CasCmpEQ", binary, Equal),
    SIZES("CasCmpNE", binary, Differ),
    SIZES("ExpCmpNE", binary, Differ),
    SIZES("Not", unary, Not),
    SIZES("CmpNEZ", unary, NotZero),
    SIZES("Left", unary, Left),
    {"MullS8", multiply_s<u8, u16>},
    {"MullS16", multiply_s<u16, u32>},
    {"MullS32", multiply_s<u32, u64>},
    {"MullS64", multiply_s64},
    {"MullU8", multiply_u<u8>},
    {"MullU16", multiply_u<u16>},
    {"MullU32", multiply_u<u32>},
    {"MullU64", multiply_u64},
    {"Clz32", unary<u32, Leading>},
    {"Clz64", unary<u64, Leading>},
    {"ClzNat32", unary<u32, Leading>},
    {"ClzNat64", unary<u64, Leading>},
    {"Ctz32", unary<u32, Trailing>},
    {"Ctz64", unary<u64, Trailing>},
    {"CtzNat32", unary<u32, Trailing>},
    {"CtzNat64", unary<u64, Trailing>},
    {"PopCount32", unary<u32, Ones>},
    {"PopCount64", unary<u64, Ones>},
    {"CmpLT32S", binary<u32, LessS>},
    {"CmpLT64S", binary<u64, LessS>},
    {"CmpLE32S", binary<u32, LessEqualS>},
    {"CmpLE64S", binary<u64, LessEqualS>},
    {"CmpLT32U", binary<u32, LessU>},
    {"CmpLT64U", binary<u64, LessU>},
    {"CmpLE32U", binary<u32, LessEqualU>},
    {"CmpLE64U", binary<u64, LessEqualU>},
    {"CmpwNEZ32", unary<u32, Spread>},
    {"CmpwNEZ64", unary<u64, Spread>},
    {"Max32U", binary<u32, Maximum>},
    {"DivU32", binary<u32, DivU>},
    {"DivS32", binary<u32, DivS>},
    {"DivU64", binary<u64, DivU>},
    {"DivS64", binary<u64, DivS>},
    {"DivModU64to32", divmod_u64_32},
    {"DivModS64to32", divmod_s64_32},
    {"DivModU128to64", divmod_u128_64},
    {"DivModS128to64", divmod_s128_64},
    {"DivModU64to64", divmod_u64_64},
    {"DivModS64to64", divmod_s64_64},
    {"DivModU32to32", divmod_u32_32},
    {"DivModS32to32", divmod_s32_32},
    {"8Uto16", unary<u8, Same>},
    {"8Uto32", unary<u8, Same>},
    {"8Uto64", unary<u8, Same>},
    {"16Uto32", unary<u16, Same>},
    {"16Uto64", unary<u16, Same>},
    {"32Uto64", unary<u32, Same>},
    {"8Sto16", sign_extend<u8, u16>},
    {"8Sto32", sign_extend<u8, u32>},
    {"8Sto64", sign_extend<u8, u64>},
    {"16Sto32", sign_extend<u16, u32>},
    {"16Sto64", sign_extend<u16, u64>},
    {"32Sto64", sign_extend<u32, u64>},
    {"64to8", unary<u8, Same>},
    {"32to8", unary<u8, Same>},
    {"16to8", unary<u8, Same>},
    {"64to16", unary<u16, Same>},
    {"32to16", unary<u16, Same>},
    {"64to32", unary<u32, Same>},
    {"16HIto8", high_half<u8>},
    {"32HIto16", high_half<u16>},
    {"64HIto32", high_half<u32>},
    {"8HLto16", join<u8>},
    {"16HLto32", join<u16>},
    {"32HLto64", join<u32>},
    {"128to64", low_word},
    {"128HIto64", high_word},
    {"64HLto128", join_words},
    {"Not1", not_bit},
    {"And1", binary<u8, And>},
    {"Or1", binary<u8, Or>},
    {"32to1", low_bit},
    {"64to1", low_bit},
    {"1Uto8", low_bit},
    {"1Uto32", low_bit},
    {"1Uto64", low_bit},
    {"1Sto8", spread_bit<u8>},
    {"1Sto16", spread_bit<u16>},
    {"1Sto32", spread_bit<u32>},
    {"1Sto64", spread_bit<u64>},
};

}  // namespace

EvaluatorTable integer_evaluators() { return {kTable, std::size(kTable)}; }

}  // namespace twinrun
