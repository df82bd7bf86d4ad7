// SPDX-License-Identifier: MIT
// x86's flags from VEX's thunk. CC_OP numbers come in groups of four sizes (8, 16, 32, 64 bits):
//
//    0 copy      1 add    5 sub    9 adc   13 sbb   17 logic   21 inc   25 dec   29 shl   33 shr
//   37 rol      41 ror   45 umul  49 smul
//
// then in pairs of 32 and 64 bits: 53 andn, 55 blsi, 57 blsmsk, 59 blsr, 61 adcx, 63 adox. Flags
// that x86 leaves undefined are what VEX makes them, since recorded code may still carry them
// along.
#include "trace/regen/flags.h"

#include <bit>
#include <type_traits>

namespace twinrun {
namespace {

constexpr uint64_t kC = 1u << 0;
constexpr uint64_t kP = 1u << 2;
constexpr uint64_t kA = 1u << 4;
constexpr uint64_t kZ = 1u << 6;
constexpr uint64_t kS = 1u << 7;
constexpr uint64_t kO = 1u << 11;

template <typename T>
constexpr T kTop = static_cast<T>(T{1} << (sizeof(T) * 8 - 1));

uint64_t parity(uint64_t value) {
  return std::popcount(static_cast<uint8_t>(value)) % 2 == 0 ? kP : 0;
}
template <typename T>
uint64_t sign_zero(T result) {
  return (result == 0 ? kZ : 0) | ((result & kTop<T>) != 0 ? kS : 0);
}
template <typename T>
uint64_t sign_zero_parity(T result) {
  return sign_zero(result) | parity(result);
}
template <typename T>
uint64_t adjust(T result, T left, T right) {
  return (result ^ left ^ right) & kA;
}
uint64_t if_set(bool condition, uint64_t flag) { return condition ? flag : 0; }

template <typename T>
uint64_t add(T left, T right, bool carry) {
  const T result = static_cast<T>(left + right + carry);
  return if_set(carry ? result <= left : result < left, kC) | sign_zero_parity(result) |
         adjust(result, left, right) |
         if_set(((~(left ^ right)) & (left ^ result) & kTop<T>) != 0, kO);
}
template <typename T>
uint64_t subtract(T left, T right, bool borrow) {
  const T result = static_cast<T>(left - right - borrow);
  return if_set(borrow ? left <= right : left < right, kC) | sign_zero_parity(result) |
         adjust(result, left, right) |
         if_set(((left ^ right) & (left ^ result) & kTop<T>) != 0, kO);
}

template <typename T>
uint64_t unsigned_product(T a, T b) {
  using Wide = unsigned __int128;
  const Wide product = Wide{a} * Wide{b};
  const bool spills = (product >> (sizeof(T) * 8)) != 0;
  return if_set(spills, kC | kO) | sign_zero_parity(static_cast<T>(product));
}
template <typename T>
uint64_t signed_product(T a, T b) {
  using Signed = std::make_signed_t<T>;
  using Wide = __int128;
  const Wide product = Wide{static_cast<Signed>(a)} * Wide{static_cast<Signed>(b)};
  const bool spills = product != Wide{static_cast<Signed>(static_cast<T>(product))};
  return if_set(spills, kC | kO) | sign_zero_parity(static_cast<T>(product));
}

enum Group { kAdd, kSub, kAdc, kSbb, kLogic, kInc, kDec, kShl, kShr, kRol, kRor, kUmul, kSmul };

template <typename T>
uint64_t sized(unsigned group, uint64_t dep1, uint64_t dep2, uint64_t ndep) {
  const T a = static_cast<T>(dep1);
  const T b = static_cast<T>(dep2);
  const bool carry = (ndep & kC) != 0;
  switch (group) {
    case kAdd: return add<T>(a, b, false);
    case kSub: return subtract<T>(a, b, false);
    case kAdc: return add<T>(a, static_cast<T>(b ^ T{carry}), carry);
    case kSbb: return subtract<T>(a, static_cast<T>(b ^ T{carry}), carry);
    case kLogic: return sign_zero_parity(a);
    case kInc: {
      const T before = static_cast<T>(a - 1);
      return (ndep & kC) | sign_zero_parity(a) | adjust(a, before, T{1}) | if_set(a == kTop<T>, kO);
    }
    case kDec: {
      const T before = static_cast<T>(a + 1);
      return (ndep & kC) | sign_zero_parity(a) | adjust(a, before, T{1}) |
             if_set(a == static_cast<T>(kTop<T> - 1), kO);
    }
    case kShl:  // dep2: shifted by one less
      return if_set((b & kTop<T>) != 0, kC) | sign_zero_parity(a) |
             if_set(((a ^ b) & kTop<T>) != 0, kO);
    case kShr:
      return if_set((b & 1) != 0, kC) | sign_zero_parity(a) | if_set(((a ^ b) & kTop<T>) != 0, kO);
    case kRol:
      return (ndep & ~(kO | kC)) | (a & kC) | if_set(((a & kTop<T>) != 0) != ((a & 1) != 0), kO);
    case kRor: {
      const bool top = (a & kTop<T>) != 0;
      return (ndep & ~(kO | kC)) | if_set(top, kC) | if_set(top != ((a & (kTop<T> >> 1)) != 0), kO);
    }
    case kUmul: return unsigned_product<T>(a, b);
    case kSmul: return signed_product<T>(a, b);
    default: return 0;
  }
}

enum Pair { kAndn, kBlsi, kBlsmsk, kBlsr, kAdcx, kAdox };

template <typename T>
uint64_t paired(unsigned pair, uint64_t dep1, uint64_t dep2, uint64_t ndep) {
  const T a = static_cast<T>(dep1);
  const T b = static_cast<T>(dep2);
  switch (pair) {
    case kAndn: return sign_zero(a);
    case kBlsi: return if_set(b != 0, kC) | sign_zero(a);
    case kBlsmsk: return if_set(b == 0, kC) | (sign_zero(a) & kS);
    case kBlsr: return if_set(b == 0, kC) | sign_zero(a);
    case kAdcx:
    case kAdox: {
      const uint64_t flag = pair == kAdcx ? kC : kO;
      const bool carry = (ndep & flag) != 0;
      const T right = static_cast<T>(b ^ T{carry});
      const T result = static_cast<T>(a + right + carry);
      return (ndep & ~flag) | if_set(carry ? result <= a : result < a, flag);
    }
    default: return 0;
  }
}

}  // namespace

uint64_t rflags_all(uint64_t op, uint64_t dep1, uint64_t dep2, uint64_t ndep) {
  constexpr uint64_t kFirstPaired = 53;
  constexpr uint64_t kEnd = 65;
  if (op == 0 || op >= kEnd) return dep1 & (kO | kS | kZ | kA | kP | kC);
  if (op < kFirstPaired) {
    const auto group = static_cast<unsigned>((op - 1) / 4);
    switch ((op - 1) % 4) {
      case 0: return sized<uint8_t>(group, dep1, dep2, ndep);
      case 1: return sized<uint16_t>(group, dep1, dep2, ndep);
      case 2: return sized<uint32_t>(group, dep1, dep2, ndep);
      default: return sized<uint64_t>(group, dep1, dep2, ndep);
    }
  }
  const auto pair = static_cast<unsigned>((op - kFirstPaired) / 2);
  return (op - kFirstPaired) % 2 == 0 ? paired<uint32_t>(pair, dep1, dep2, ndep)
                                      : paired<uint64_t>(pair, dep1, dep2, ndep);
}

uint64_t rflags_carry(uint64_t op, uint64_t dep1, uint64_t dep2, uint64_t ndep) {
  return rflags_all(op, dep1, dep2, ndep) & kC;
}

uint64_t condition_holds(uint64_t condition, uint64_t op, uint64_t dep1, uint64_t dep2,
                         uint64_t ndep) {
  const uint64_t flags = rflags_all(op, dep1, dep2, ndep);
  const bool less = ((flags & kS) != 0) != ((flags & kO) != 0);
  bool holds = false;
  switch (condition >> 1) {
    case 0: holds = (flags & kO) != 0; break;
    case 1: holds = (flags & kC) != 0; break;
    case 2: holds = (flags & kZ) != 0; break;
    case 3: holds = (flags & (kC | kZ)) != 0; break;
    case 4: holds = (flags & kS) != 0; break;
    case 5: holds = (flags & kP) != 0; break;
    case 6: holds = less; break;
    default: holds = less || (flags & kZ) != 0; break;
  }
  return holds != ((condition & 1) != 0) ? 1 : 0;
}

FlagOperands flag_operands(uint64_t op) {
  if (op == 0) return {true, false, false};   // copy
  if (op <= 8) return {true, true, false};    // add, sub
  if (op <= 16) return {true, true, true};    // adc, sbb
  if (op <= 20) return {true, false, false};  // logic
  if (op <= 28) return {true, false, true};   // inc, dec: carry stays
  if (op <= 36) return {true, true, false};   // shl, shr
  if (op <= 44) return {true, false, true};   // rol, ror
  if (op <= 52) return {true, true, false};   // umul, smul
  if (op <= 54) return {true, false, false};  // andn
  if (op <= 60) return {true, true, false};   // blsi, blsmsk, blsr
  return {};
}

}  // namespace twinrun
