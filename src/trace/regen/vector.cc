// SPDX-License-Identifier: MIT
// Vector integer operations, lane by lane, on 8 (MMX), 16 and 32 bytes. Lane 0 is the lowest.
#include "trace/regen/machine.h"
#include "trace/regen/op.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace twinrun {
namespace {

template <typename T, unsigned Bytes>
struct Lanes {
  static constexpr unsigned kCount = Bytes / sizeof(T);
  T lane[kCount];
};

template <typename T, unsigned Bytes>
Lanes<T, Bytes> get(Machine& m, uint32_t offset) {
  Lanes<T, Bytes> out;
  std::memcpy(&out, m.at(offset), Bytes);
  return out;
}
template <typename T, unsigned Bytes>
void set(Machine& m, uint32_t offset, const Lanes<T, Bytes>& value) {
  std::memcpy(m.at(offset), &value, Bytes);
}

template <typename T, unsigned Bytes, typename F>
void map1(Machine& m, const Op& op) {
  auto a = get<T, Bytes>(m, op.a);
  for (T& lane : a.lane) lane = static_cast<T>(F{}(lane));
  set(m, op.dst, a);
}
template <typename T, unsigned Bytes, typename F>
void map2(Machine& m, const Op& op) {
  auto a = get<T, Bytes>(m, op.a);
  const auto b = get<T, Bytes>(m, op.b);
  for (unsigned i = 0; i < a.kCount; ++i) a.lane[i] = static_cast<T>(F{}(a.lane[i], b.lane[i]));
  set(m, op.dst, a);
}
template <typename T, unsigned Bytes, typename F>
void shift_all(Machine& m, const Op& op) {
  auto a = get<T, Bytes>(m, op.a);
  const auto n = static_cast<uint8_t>(m.word(op.b));
  for (T& lane : a.lane) lane = static_cast<T>(F{}(lane, n));
  set(m, op.dst, a);
}

#define LANE1(name, expression)  \
  struct name {                  \
    template <typename T>        \
    auto operator()(T a) const { \
      return expression;         \
    }                            \
  }
#define LANE2(name, expression)       \
  struct name {                       \
    template <typename T>             \
    auto operator()(T a, T b) const { \
      return expression;              \
    }                                 \
  }
#define LANE_SHIFT(name, expression)            \
  struct name {                                 \
    template <typename T>                       \
    auto operator()(T a, uint8_t n) const {     \
      constexpr unsigned kBits = sizeof(T) * 8; \
      return expression;                        \
    }                                           \
  }

/// Clamps to what T can hold.
template <typename T>
T saturate(int64_t value) {
  return static_cast<T>(
      std::clamp<int64_t>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}
template <typename T>
using U = std::make_unsigned_t<T>;

LANE1(NotZero, a != 0 ? T(-1) : T(0));
LANE1(Absolute, a < 0 ? static_cast<T>(U<T>{0} - static_cast<U<T>>(a)) : a);
LANE2(Add, static_cast<T>(static_cast<U<T>>(a) + static_cast<U<T>>(b)));
LANE2(Sub, static_cast<T>(static_cast<U<T>>(a) - static_cast<U<T>>(b)));
LANE2(Mul, static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)));
LANE2(MulHigh,
      static_cast<T>((static_cast<int64_t>(a) * static_cast<int64_t>(b)) >> (sizeof(T) * 8)));
LANE2(MulHighU,
      static_cast<T>((static_cast<uint64_t>(a) * static_cast<uint64_t>(b)) >> (sizeof(T) * 8)));
LANE2(Equal, a == b ? T(-1) : T(0));
LANE2(Greater, a > b ? T(-1) : T(0));
LANE2(Max, a > b ? a : b);
LANE2(Min, a < b ? a : b);
LANE2(Average, (static_cast<uint32_t>(a) + static_cast<uint32_t>(b) + 1) >> 1);
LANE2(SaturatedAdd, saturate<T>(static_cast<int64_t>(a) + static_cast<int64_t>(b)));
LANE2(SaturatedSub, saturate<T>(static_cast<int64_t>(a) - static_cast<int64_t>(b)));
LANE2(And, a& b);
LANE2(Or, a | b);
LANE2(Xor, a ^ b);
LANE1(Not, ~a);
LANE_SHIFT(Shl, n < kBits ? static_cast<uint64_t>(a) << n : 0);
LANE_SHIFT(Shr, n < kBits ? static_cast<uint64_t>(a) >> n : 0);
LANE_SHIFT(Sar, a >> (n < kBits ? n : kBits - 1));

/// Products of the even lanes, each as wide as two lanes.
template <typename T, typename Wide, unsigned Bytes>
void multiply_even(Machine& m, const Op& op) {
  const auto a = get<T, Bytes>(m, op.a);
  const auto b = get<T, Bytes>(m, op.b);
  Lanes<Wide, Bytes> out;
  for (unsigned i = 0; i < out.kCount; ++i) {
    out.lane[i] =
        static_cast<Wide>(static_cast<Wide>(a.lane[2 * i]) * static_cast<Wide>(b.lane[2 * i]));
  }
  set(m, op.dst, out);
}
/// The first operand goes to the upper half.
template <typename From, typename To, unsigned Bytes, bool Saturates>
void narrow(Machine& m, const Op& op) {
  const auto high = get<From, Bytes>(m, op.a);
  const auto low = get<From, Bytes>(m, op.b);
  Lanes<To, Bytes> out;
  const auto convert = [](From x) { return Saturates ? saturate<To>(x) : static_cast<To>(x); };
  for (unsigned i = 0; i < low.kCount; ++i) {
    out.lane[i] = convert(low.lane[i]);
    out.lane[i + low.kCount] = convert(high.lane[i]);
  }
  set(m, op.dst, out);
}
/// Lanes of the upper or lower halves, alternating; the first operand's are the upper of each pair.
template <typename T, unsigned Bytes, bool Upper>
void interleave(Machine& m, const Op& op) {
  const auto a = get<T, Bytes>(m, op.a);
  const auto b = get<T, Bytes>(m, op.b);
  Lanes<T, Bytes> out;
  constexpr unsigned kHalf = Lanes<T, Bytes>::kCount / 2;
  for (unsigned i = 0; i < kHalf; ++i) {
    out.lane[2 * i] = b.lane[i + (Upper ? kHalf : 0)];
    out.lane[2 * i + 1] = a.lane[i + (Upper ? kHalf : 0)];
  }
  set(m, op.dst, out);
}
/// Odd or even lanes of both, the first operand's in the upper half.
template <typename T, unsigned Bytes, unsigned First>
void concatenate(Machine& m, const Op& op) {
  const auto a = get<T, Bytes>(m, op.a);
  const auto b = get<T, Bytes>(m, op.b);
  Lanes<T, Bytes> out;
  constexpr unsigned kHalf = Lanes<T, Bytes>::kCount / 2;
  for (unsigned i = 0; i < kHalf; ++i) {
    out.lane[i] = b.lane[2 * i + First];
    out.lane[i + kHalf] = a.lane[2 * i + First];
  }
  set(m, op.dst, out);
}
template <typename T, unsigned Bytes, bool OrZero>
void permute(Machine& m, const Op& op) {
  const auto a = get<T, Bytes>(m, op.a);
  const auto index = get<T, Bytes>(m, op.b);
  Lanes<T, Bytes> out;
  for (unsigned i = 0; i < out.kCount; ++i) {
    const T at = index.lane[i];
    const bool zero = OrZero && (at >> (sizeof(T) * 8 - 1)) != 0;
    out.lane[i] = zero ? T{0} : a.lane[at & (Lanes<T, Bytes>::kCount - 1)];
  }
  set(m, op.dst, out);
}
template <unsigned Bytes>
void sign_bits(Machine& m, const Op& op) {
  const auto a = get<uint8_t, Bytes>(m, op.a);
  uint64_t out = 0;
  for (unsigned i = 0; i < Bytes; ++i) out |= uint64_t{a.lane[i]} >> 7 << i;
  m.word(op.dst) = out;
}
template <bool Left>
void shift_whole(Machine& m, const Op& op) {
  using u128 = unsigned __int128;
  u128 value;
  std::memcpy(&value, m.at(op.a), 16);
  const auto n = static_cast<uint8_t>(m.word(op.b));
  value = n >= 128 ? u128{0} : Left ? value << n : value >> n;
  std::memcpy(m.at(op.dst), &value, 16);
}

// Moves between words and vectors.
template <unsigned Word>
void word_of(Machine& m, const Op& op) {
  m.word(op.dst) = m.word(op.a + 8 * Word);
}
void join_words(Machine& m, const Op& op) {
  const uint64_t low = m.word(op.b);
  m.word(op.dst + 8) = m.word(op.a);
  m.word(op.dst) = low;
}
void join_four(Machine& m,
               const Op& op) {  // the first is the uppermost; the fourth operand follows
  const uint64_t words[4] = {m.word((&op)[1].a), m.word(op.c), m.word(op.b), m.word(op.a)};
  std::memcpy(m.at(op.dst), words, sizeof words);
}
template <unsigned Bytes>
void zero_above(Machine& m, const Op& op) {
  uint8_t out[16] = {};
  std::memcpy(out, m.at(op.a), Bytes);
  std::memcpy(m.at(op.dst), out, sizeof out);
}
template <unsigned Bytes>
void replace_low(Machine& m, const Op& op) {
  uint8_t out[16];
  std::memcpy(out, m.at(op.a), sizeof out);
  std::memcpy(out, m.at(op.b), Bytes);
  std::memcpy(m.at(op.dst), out, sizeof out);
}
void low_32(Machine& m, const Op& op) { m.word(op.dst) = static_cast<uint32_t>(m.word(op.a)); }
template <unsigned Half>
void half_of(Machine& m, const Op& op) {
  uint8_t out[16];
  std::memcpy(out, m.at(op.a + 16 * Half), sizeof out);
  std::memcpy(m.at(op.dst), out, sizeof out);
}
void join_halves(Machine& m, const Op& op) {
  uint8_t out[32];
  std::memcpy(out, m.at(op.b), 16);
  std::memcpy(out + 16, m.at(op.a), 16);
  std::memcpy(m.at(op.dst), out, sizeof out);
}
void copy_16(Machine& m, const Op& op) { std::memmove(m.at(op.dst), m.at(op.a), 16); }

#define WIDTHS8(name, kind, type, f) \
  {name "x8", kind<type, 8, f>}, {name "x16", kind<type, 16, f>}, { name "x32", kind<type, 32, f> }
#define WIDTHS16(name, kind, type, f) \
  {name "x4", kind<type, 8, f>}, {name "x8", kind<type, 16, f>}, { name "x16", kind<type, 32, f> }
#define WIDTHS32(name, kind, type, f) \
  {name "x2", kind<type, 8, f>}, {name "x4", kind<type, 16, f>}, { name "x8", kind<type, 32, f> }
#define WIDTHS64(name, kind, type, f) \
  {name "x2", kind<type, 16, f>}, { name "x4", kind<type, 32, f> }

constexpr NamedEvaluator kTable[] = {
    WIDTHS8("CmpNEZ8", map1, uint8_t, NotZero),
    WIDTHS16("CmpNEZ16", map1, uint16_t, NotZero),
    WIDTHS32("CmpNEZ32", map1, uint32_t, NotZero),
    WIDTHS64("CmpNEZ64", map1, uint64_t, NotZero),
    WIDTHS8("Add8", map2, uint8_t, Add),
    WIDTHS16("Add16", map2, uint16_t, Add),
    WIDTHS32("Add32", map2, uint32_t, Add),
    WIDTHS64("Add64", map2, uint64_t, Add),
    WIDTHS8("Sub8", map2, uint8_t, Sub),
    WIDTHS16("Sub16", map2, uint16_t, Sub),
    WIDTHS32("Sub32", map2, uint32_t, Sub),
    WIDTHS64("Sub64", map2, uint64_t, Sub),
    WIDTHS8("CmpEQ8", map2, uint8_t, Equal),
    WIDTHS16("CmpEQ16", map2, uint16_t, Equal),
    WIDTHS32("CmpEQ32", map2, uint32_t, Equal),
    WIDTHS64("CmpEQ64", map2, uint64_t, Equal),
    WIDTHS8("CmpGT8S", map2, int8_t, Greater),
    WIDTHS16("CmpGT16S", map2, int16_t, Greater),
    WIDTHS32("CmpGT32S", map2, int32_t, Greater),
    WIDTHS64("CmpGT64S", map2, int64_t, Greater),
    WIDTHS8("QAdd8U", map2, uint8_t, SaturatedAdd),
    WIDTHS8("QAdd8S", map2, int8_t, SaturatedAdd),
    WIDTHS16("QAdd16U", map2, uint16_t, SaturatedAdd),
    WIDTHS16("QAdd16S", map2, int16_t, SaturatedAdd),
    WIDTHS8("QSub8U", map2, uint8_t, SaturatedSub),
    WIDTHS8("QSub8S", map2, int8_t, SaturatedSub),
    WIDTHS16("QSub16U", map2, uint16_t, SaturatedSub),
    WIDTHS16("QSub16S", map2, int16_t, SaturatedSub),
    WIDTHS16("Mul16", map2, uint16_t, Mul),
    WIDTHS32("Mul32", map2, uint32_t, Mul),
    WIDTHS16("MulHi16U", map2, uint16_t, MulHighU),
    WIDTHS16("MulHi16S", map2, int16_t, MulHigh),
    {"MulHi32Ux4", map2<uint32_t, 16, MulHighU>},
    {"MulHi32Sx4", map2<int32_t, 16, MulHigh>},
    {"MullEven8Ux16", multiply_even<uint8_t, uint16_t, 16>},
    {"MullEven8Sx16", multiply_even<int8_t, int16_t, 16>},
    {"MullEven16Ux8", multiply_even<uint16_t, uint32_t, 16>},
    {"MullEven16Sx8", multiply_even<int16_t, int32_t, 16>},
    {"MullEven32Ux4", multiply_even<uint32_t, uint64_t, 16>},
    {"MullEven32Sx4", multiply_even<int32_t, int64_t, 16>},
    {"Abs8x16", map1<int8_t, 16, Absolute>},
    {"Abs16x8", map1<int16_t, 16, Absolute>},
    {"Abs32x4", map1<int32_t, 16, Absolute>},
    WIDTHS8("Avg8U", map2, uint8_t, Average),
    WIDTHS16("Avg16U", map2, uint16_t, Average),
    WIDTHS8("Max8U", map2, uint8_t, Max),
    WIDTHS8("Max8S", map2, int8_t, Max),
    WIDTHS16("Max16U", map2, uint16_t, Max),
    WIDTHS16("Max16S", map2, int16_t, Max),
    WIDTHS32("Max32U", map2, uint32_t, Max),
    WIDTHS32("Max32S", map2, int32_t, Max),
    WIDTHS8("Min8U", map2, uint8_t, Min),
    WIDTHS8("Min8S", map2, int8_t, Min),
    WIDTHS16("Min16U", map2, uint16_t, Min),
    WIDTHS16("Min16S", map2, int16_t, Min),
    WIDTHS32("Min32U", map2, uint32_t, Min),
    WIDTHS32("Min32S", map2, int32_t, Min),
    WIDTHS8("ShlN8", shift_all, uint8_t, Shl),
    WIDTHS16("ShlN16", shift_all, uint16_t, Shl),
    WIDTHS32("ShlN32", shift_all, uint32_t, Shl),
    WIDTHS64("ShlN64", shift_all, uint64_t, Shl),
    WIDTHS8("ShrN8", shift_all, uint8_t, Shr),
    WIDTHS16("ShrN16", shift_all, uint16_t, Shr),
    WIDTHS32("ShrN32", shift_all, uint32_t, Shr),
    WIDTHS64("ShrN64", shift_all, uint64_t, Shr),
    WIDTHS8("SarN8", shift_all, int8_t, Sar),
    WIDTHS16("SarN16", shift_all, int16_t, Sar),
    WIDTHS32("SarN32", shift_all, int32_t, Sar),
    WIDTHS64("SarN64", shift_all, int64_t, Sar),
    {"QNarrowBin16Sto8Ux8", narrow<int16_t, uint8_t, 8, true>},
    {"QNarrowBin16Sto8Sx8", narrow<int16_t, int8_t, 8, true>},
    {"QNarrowBin32Sto16Sx4", narrow<int32_t, int16_t, 8, true>},
    {"NarrowBin16to8x8", narrow<uint16_t, uint8_t, 8, false>},
    {"NarrowBin32to16x4", narrow<uint32_t, uint16_t, 8, false>},
    {"QNarrowBin16Sto8Ux16", narrow<int16_t, uint8_t, 16, true>},
    {"QNarrowBin16Sto8Sx16", narrow<int16_t, int8_t, 16, true>},
    {"QNarrowBin32Sto16Ux8", narrow<int32_t, uint16_t, 16, true>},
    {"QNarrowBin32Sto16Sx8", narrow<int32_t, int16_t, 16, true>},
    {"NarrowBin16to8x16", narrow<uint16_t, uint8_t, 16, false>},
    {"NarrowBin32to16x8", narrow<uint32_t, uint16_t, 16, false>},
    {"NarrowBin64to32x4", narrow<uint64_t, uint32_t, 16, false>},
    {"InterleaveHI8x8", interleave<uint8_t, 8, true>},
    {"InterleaveLO8x8", interleave<uint8_t, 8, false>},
    {"InterleaveHI16x4", interleave<uint16_t, 8, true>},
    {"InterleaveLO16x4", interleave<uint16_t, 8, false>},
    {"InterleaveHI32x2", interleave<uint32_t, 8, true>},
    {"InterleaveLO32x2", interleave<uint32_t, 8, false>},
    {"InterleaveHI8x16", interleave<uint8_t, 16, true>},
    {"InterleaveLO8x16", interleave<uint8_t, 16, false>},
    {"InterleaveHI16x8", interleave<uint16_t, 16, true>},
    {"InterleaveLO16x8", interleave<uint16_t, 16, false>},
    {"InterleaveHI32x4", interleave<uint32_t, 16, true>},
    {"InterleaveLO32x4", interleave<uint32_t, 16, false>},
    {"InterleaveHI64x2", interleave<uint64_t, 16, true>},
    {"InterleaveLO64x2", interleave<uint64_t, 16, false>},
    {"CatOddLanes16x4", concatenate<uint16_t, 8, 1>},
    {"CatEvenLanes16x4", concatenate<uint16_t, 8, 0>},
    {"Perm8x8", permute<uint8_t, 8, false>},
    {"PermOrZero8x8", permute<uint8_t, 8, true>},
    {"Perm8x16", permute<uint8_t, 16, false>},
    {"PermOrZero8x16", permute<uint8_t, 16, true>},
    {"Perm32x4", permute<uint32_t, 16, false>},
    {"Perm32x8", permute<uint32_t, 32, false>},
    {"GetMSBs8x8", sign_bits<8>},
    {"GetMSBs8x16", sign_bits<16>},
    {"AndV128", map2<uint64_t, 16, And>},
    {"OrV128", map2<uint64_t, 16, Or>},
    {"XorV128", map2<uint64_t, 16, Xor>},
    {"NotV128", map1<uint64_t, 16, Not>},
    {"AndV256", map2<uint64_t, 32, And>},
    {"OrV256", map2<uint64_t, 32, Or>},
    {"XorV256", map2<uint64_t, 32, Xor>},
    {"NotV256", map1<uint64_t, 32, Not>},
    {"ShlV128", shift_whole<true>},
    {"ShrV128", shift_whole<false>},
    {"V128to64", word_of<0>},
    {"V128HIto64", word_of<1>},
    {"64HLtoV128", join_words},
    {"64UtoV128", zero_above<8>},
    {"32UtoV128", zero_above<4>},
    {"V128to32", low_32},
    {"SetV128lo64", replace_low<8>},
    {"SetV128lo32", replace_low<4>},
    {"ZeroHI64ofV128", zero_above<8>},
    {"ZeroHI96ofV128", zero_above<4>},
    {"ZeroHI112ofV128", zero_above<2>},
    {"ZeroHI120ofV128", zero_above<1>},
    {"V256to64_0", word_of<0>},
    {"V256to64_1", word_of<1>},
    {"V256to64_2", word_of<2>},
    {"V256to64_3", word_of<3>},
    {"64x4toV256", join_four},
    {"V256toV128_0", half_of<0>},
    {"V256toV128_1", half_of<1>},
    {"V128HLtoV256", join_halves},
    {"ReinterpV128asI128", copy_16},
    {"ReinterpI128asV128", copy_16},
};

}  // namespace

EvaluatorTable vector_evaluators() { return {kTable, std::size(kTable)}; }

}  // namespace twinrun
