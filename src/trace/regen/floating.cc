// SPDX-License-Identifier: MIT
// Floating-point operations, computed by the same SSE instructions that the recorded program ran
// on, with operands in the same order: what a NaN's bits become depends on both. Each is one asm
// statement, so that the compiler neither swaps operands nor moves it across a change of rounding.
#include "trace/regen/machine.h"
#include "trace/regen/op.h"

#include <immintrin.h>

#include <iterator>

namespace twinrun {
namespace {

/// VEX's rounding modes are SSE's: 0 nearest, 1 down, 2 up, 3 to zero.
class Rounding {
 public:
  explicit Rounding(uint64_t mode) : changed_((mode & 3) != 0) {
    if (changed_) _mm_setcsr(kDefault | static_cast<unsigned>(mode & 3) << 13);
  }
  ~Rounding() {
    if (changed_) _mm_setcsr(kDefault);
  }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  static constexpr unsigned kDefault = 0x1f80;
  bool changed_;
};

__m128d get_d(Machine& m, uint32_t offset) {
  return _mm_loadu_pd(reinterpret_cast<double*>(m.at(offset)));
}
void set_16(Machine& m, uint32_t offset, __m128d value) {
  _mm_storeu_pd(reinterpret_cast<double*>(m.at(offset)), value);
}
void set_word(Machine& m, uint32_t offset, __m128d value) {
  m.word(offset) = static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_castpd_si128(value)));
}
void set_32(Machine& m, uint32_t offset, __m128d value) {
  m.word(offset) = static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_castpd_si128(value)));
}

#define ARITHMETIC(name, instruction)                         \
  struct name {                                               \
    static __m128d run(__m128d a, __m128d b) {                \
      asm volatile(instruction " %1, %0" : "+x"(a) : "x"(b)); \
      return a;                                               \
    }                                                         \
  }
#define COMPARE(name, instruction, predicate)                                  \
  struct name {                                                                \
    static __m128d run(__m128d a, __m128d b) {                                 \
      asm volatile(instruction " $" #predicate ", %1, %0" : "+x"(a) : "x"(b)); \
      return a;                                                                \
    }                                                                          \
  }
ARITHMETIC(AddSd, "addsd");
ARITHMETIC(SubSd, "subsd");
ARITHMETIC(MulSd, "mulsd");
ARITHMETIC(DivSd, "divsd");
ARITHMETIC(AddSs, "addss");
ARITHMETIC(SubSs, "subss");
ARITHMETIC(MulSs, "mulss");
ARITHMETIC(DivSs, "divss");
ARITHMETIC(AddPd, "addpd");
ARITHMETIC(SubPd, "subpd");
ARITHMETIC(MulPd, "mulpd");
ARITHMETIC(DivPd, "divpd");
ARITHMETIC(AddPs, "addps");
ARITHMETIC(SubPs, "subps");
ARITHMETIC(MulPs, "mulps");
ARITHMETIC(DivPs, "divps");
ARITHMETIC(MaxSd, "maxsd");
ARITHMETIC(MinSd, "minsd");
ARITHMETIC(MaxSs, "maxss");
ARITHMETIC(MinSs, "minss");
ARITHMETIC(MaxPd, "maxpd");
ARITHMETIC(MinPd, "minpd");
ARITHMETIC(MaxPs, "maxps");
ARITHMETIC(MinPs, "minps");
ARITHMETIC(SqrtSd, "sqrtsd");
ARITHMETIC(SqrtSs, "sqrtss");
ARITHMETIC(SqrtPd, "sqrtpd");
ARITHMETIC(SqrtPs, "sqrtps");
COMPARE(EqSd, "cmpsd", 0);
COMPARE(LtSd, "cmpsd", 1);
COMPARE(LeSd, "cmpsd", 2);
COMPARE(UnSd, "cmpsd", 3);
COMPARE(EqSs, "cmpss", 0);
COMPARE(LtSs, "cmpss", 1);
COMPARE(LeSs, "cmpss", 2);
COMPARE(UnSs, "cmpss", 3);
COMPARE(EqPd, "cmppd", 0);
COMPARE(LtPd, "cmppd", 1);
COMPARE(LePd, "cmppd", 2);
COMPARE(UnPd, "cmppd", 3);
COMPARE(EqPs, "cmpps", 0);
COMPARE(LtPs, "cmpps", 1);
COMPARE(LePs, "cmpps", 2);
COMPARE(UnPs, "cmpps", 3);

/// (rounding, a, b) on scalars.
template <typename F>
void scalar_d(Machine& m, const Op& op) {
  const Rounding rounding(m.word(op.a));
  set_word(m, op.dst, F::run(get_d(m, op.b), get_d(m, op.c)));
}
template <typename F>
void scalar_s(Machine& m, const Op& op) {
  const Rounding rounding(m.word(op.a));
  set_32(m, op.dst, F::run(get_d(m, op.b), get_d(m, op.c)));
}
/// (rounding, a): square roots.
template <typename F>
void root_d(Machine& m, const Op& op) {
  const Rounding rounding(m.word(op.a));
  set_word(m, op.dst, F::run(get_d(m, op.b), get_d(m, op.b)));
}
template <typename F>
void root_s(Machine& m, const Op& op) {
  const Rounding rounding(m.word(op.a));
  set_32(m, op.dst, F::run(get_d(m, op.b), get_d(m, op.b)));
}
/// (a, b) on vectors; scalar instructions keep the upper lanes of a.
template <typename F>
void vector_2(Machine& m, const Op& op) {
  set_16(m, op.dst, F::run(get_d(m, op.a), get_d(m, op.b)));
}
/// (rounding, a, b) on vectors; Valgrind's code generator ignores the rounding.
template <typename F>
void vector_3(Machine& m, const Op& op) {
  set_16(m, op.dst, F::run(get_d(m, op.b), get_d(m, op.c)));
}
template <typename F>
void wide_2(Machine& m, const Op& op) {
  const __m128d low = F::run(get_d(m, op.a), get_d(m, op.b));
  const __m128d high = F::run(get_d(m, op.a + 16), get_d(m, op.b + 16));
  set_16(m, op.dst, low);
  set_16(m, op.dst + 16, high);
}
template <typename F>
void wide_3(Machine& m, const Op& op) {
  const __m128d low = F::run(get_d(m, op.b), get_d(m, op.c));
  const __m128d high = F::run(get_d(m, op.b + 16), get_d(m, op.c + 16));
  set_16(m, op.dst, low);
  set_16(m, op.dst + 16, high);
}
template <typename F>
void vector_1(Machine& m, const Op& op) {
  set_16(m, op.dst, F::run(get_d(m, op.a), get_d(m, op.a)));
}
template <typename F>
void vector_1_rounding(Machine& m, const Op& op) {
  set_16(m, op.dst, F::run(get_d(m, op.b), get_d(m, op.b)));
}
template <typename F>
void wide_1(Machine& m, const Op& op) {
  const __m128d low = F::run(get_d(m, op.a), get_d(m, op.a));
  const __m128d high = F::run(get_d(m, op.a + 16), get_d(m, op.a + 16));
  set_16(m, op.dst, low);
  set_16(m, op.dst + 16, high);
}

template <uint64_t Bits, bool Flip>
void sign(Machine& m, const Op& op) {
  m.word(op.dst) = Flip ? m.word(op.a) ^ Bits : m.word(op.a) & ~Bits;
}
void same(Machine& m, const Op& op) { m.word(op.dst) = m.word(op.a); }

/// 0x45 unordered, 0x01 less, 0x00 greater, 0x40 equal.
uint64_t comparison(bool unordered, bool less, bool equal) {
  return unordered ? 0x45 : less ? 0x01 : equal ? 0x40 : 0x00;
}
template <typename T>
T real(Machine& m, uint32_t offset) {
  T value;
  std::memcpy(&value, m.at(offset), sizeof value);
  return value;
}
template <typename T>
void compare(Machine& m, const Op& op) {
  const T a = real<T>(m, op.a);
  const T b = real<T>(m, op.b);
  m.word(op.dst) = comparison(__builtin_isunordered(a, b) != 0, a < b, a == b);
}

// Conversions.
#define TO_INTEGER(name, instruction, type)                                \
  void name(Machine& m, const Op& op) {                                    \
    const Rounding rounding(m.word(op.a));                                 \
    type out;                                                              \
    asm volatile(instruction " %1, %0" : "=r"(out) : "x"(get_d(m, op.b))); \
    m.word(op.dst) = out;                                                  \
  }
TO_INTEGER(sd_to_32, "cvtsd2si", uint32_t)
TO_INTEGER(sd_to_64, "cvtsd2si", uint64_t)
TO_INTEGER(ss_to_32, "cvtss2si", uint32_t)
TO_INTEGER(ss_to_64, "cvtss2si", uint64_t)
#define FROM_INTEGER(name, instruction, type, set, operand)    \
  void name(Machine& m, const Op& op) {                        \
    const type in = static_cast<type>(m.word(operand));        \
    __m128d out = _mm_setzero_pd();                            \
    asm volatile(instruction " %1, %0" : "+x"(out) : "r"(in)); \
    set(m, op.dst, out);                                       \
  }
FROM_INTEGER(sd_from_32, "cvtsi2sdl", int32_t, set_word, op.a)
#define FROM_INTEGER_ROUNDED(name, instruction, type, set)     \
  void name(Machine& m, const Op& op) {                        \
    const Rounding rounding(m.word(op.a));                     \
    const type in = static_cast<type>(m.word(op.b));           \
    __m128d out = _mm_setzero_pd();                            \
    asm volatile(instruction " %1, %0" : "+x"(out) : "r"(in)); \
    set(m, op.dst, out);                                       \
  }
FROM_INTEGER_ROUNDED(sd_from_64, "cvtsi2sdq", int64_t, set_word)
FROM_INTEGER_ROUNDED(ss_from_32, "cvtsi2ssl", int32_t, set_32)
FROM_INTEGER_ROUNDED(ss_from_64, "cvtsi2ssq", int64_t, set_32)
ARITHMETIC(Widen, "cvtss2sd");
ARITHMETIC(Shorten, "cvtsd2ss");
void ss_to_sd(Machine& m, const Op& op) {
  set_word(m, op.dst, Widen::run(_mm_setzero_pd(), get_d(m, op.a)));
}
void sd_to_ss(Machine& m, const Op& op) {
  const Rounding rounding(m.word(op.a));
  set_32(m, op.dst, Shorten::run(_mm_setzero_pd(), get_d(m, op.b)));
}
ARITHMETIC(IntsToFloats, "cvtdq2ps");
ARITHMETIC(FloatsToInts, "cvtps2dq");
template <typename F, unsigned Bytes>
void convert_lanes(Machine& m, const Op& op) {
  const Rounding rounding(m.word(op.a));
  __m128d out[2];
  for (unsigned i = 0; i < Bytes / 16; ++i)
    out[i] = F::run(_mm_setzero_pd(), get_d(m, op.b + 16 * i));
  std::memcpy(m.at(op.dst), out, Bytes);
}

/// roundsd has the mode in its code.
template <unsigned Mode>
__attribute__((target("sse4.1"))) __m128d round_d(__m128d a) {
  return _mm_round_sd(a, a, Mode | _MM_FROUND_NO_EXC);
}
template <unsigned Mode>
__attribute__((target("sse4.1"))) __m128d round_s(__m128d a) {
  const __m128 x = _mm_castpd_ps(a);
  return _mm_castps_pd(_mm_round_ss(x, x, Mode | _MM_FROUND_NO_EXC));
}
void round_to_int_d(Machine& m, const Op& op) {
  static constexpr __m128d (*kModes[])(__m128d) = {round_d<0>, round_d<1>, round_d<2>, round_d<3>};
  set_word(m, op.dst, kModes[m.word(op.a) & 3](get_d(m, op.b)));
}
void round_to_int_s(Machine& m, const Op& op) {
  static constexpr __m128d (*kModes[])(__m128d) = {round_s<0>, round_s<1>, round_s<2>, round_s<3>};
  set_32(m, op.dst, kModes[m.word(op.a) & 3](get_d(m, op.b)));
}

constexpr uint64_t kSign64 = uint64_t{1} << 63;
constexpr uint64_t kSign32 = uint64_t{1} << 31;

#define FOUR(suffix, kind, s)                                                                 \
  {"Add" suffix, kind<Add##s>}, {"Sub" suffix, kind<Sub##s>}, {"Mul" suffix, kind<Mul##s>}, { \
    "Div" suffix, kind<Div##s>                                                                \
  }
#define LIMITS(suffix, kind, s) \
  {"Max" suffix, kind<Max##s>}, { "Min" suffix, kind<Min##s> }
#define COMPARES(suffix, s)                                             \
  {"CmpEQ" suffix, vector_2<Eq##s>}, {"CmpLT" suffix, vector_2<Lt##s>}, \
      {"CmpLE" suffix, vector_2<Le##s>}, {                              \
    "CmpUN" suffix, vector_2<Un##s>                                     \
  }

constexpr NamedEvaluator kTable[] = {
    FOUR("F64", scalar_d, Sd),
    FOUR("F32", scalar_s, Ss),
    {"SqrtF64", root_d<SqrtSd>},
    {"SqrtF32", root_s<SqrtSs>},
    {"NegF64", sign<kSign64, true>},
    {"AbsF64", sign<kSign64, false>},
    {"NegF32", sign<kSign32, true>},
    {"AbsF32", sign<kSign32, false>},
    {"CmpF64", compare<double>},
    {"CmpF32", compare<float>},
    {"F64toI32S", sd_to_32},
    {"F64toI64S", sd_to_64},
    {"F32toI32S", ss_to_32},
    {"F32toI64S", ss_to_64},
    {"I32StoF64", sd_from_32},
    {"I64StoF64", sd_from_64},
    {"I32StoF32", ss_from_32},
    {"I64StoF32", ss_from_64},
    {"F32toF64", ss_to_sd},
    {"F64toF32", sd_to_ss},
    {"ReinterpF64asI64", same},
    {"ReinterpI64asF64", same},
    {"ReinterpF32asI32", same},
    {"ReinterpI32asF32", same},
    {"RoundF64toInt", round_to_int_d},
    {"RoundF32toInt", round_to_int_s},
    FOUR("32F0x4", vector_2, Ss),
    FOUR("64F0x2", vector_2, Sd),
    FOUR("32Fx4", vector_3, Ps),
    FOUR("64Fx2", vector_3, Pd),
    FOUR("32Fx8", wide_3, Ps),
    FOUR("64Fx4", wide_3, Pd),
    LIMITS("32F0x4", vector_2, Ss),
    LIMITS("64F0x2", vector_2, Sd),
    LIMITS("32Fx4", vector_2, Ps),
    LIMITS("64Fx2", vector_2, Pd),
    LIMITS("32Fx8", wide_2, Ps),
    LIMITS("64Fx4", wide_2, Pd),
    COMPARES("32F0x4", Ss),
    COMPARES("64F0x2", Sd),
    COMPARES("32Fx4", Ps),
    COMPARES("64Fx2", Pd),
    {"Sqrt32F0x4", vector_1<SqrtSs>},
    {"Sqrt64F0x2", vector_1<SqrtSd>},
    {"Sqrt32Fx4", vector_1_rounding<SqrtPs>},
    {"Sqrt64Fx2", vector_1_rounding<SqrtPd>},
    {"Sqrt32Fx8", wide_1<SqrtPs>},
    {"Sqrt64Fx4", wide_1<SqrtPd>},
    {"I32StoF32x4", convert_lanes<IntsToFloats, 16>},
    {"I32StoF32x8", convert_lanes<IntsToFloats, 32>},
    {"F32toI32Sx4", convert_lanes<FloatsToInts, 16>},
    {"F32toI32Sx8", convert_lanes<FloatsToInts, 32>},
};

}  // namespace

EvaluatorTable float_evaluators() { return {kTable, std::size(kTable)}; }

}  // namespace twinrun
