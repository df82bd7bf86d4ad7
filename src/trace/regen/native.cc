// SPDX-License-Identifier: MIT
#include "trace/regen/native.h"

#include "trace/regen/machine.h"

#define XBYAK_NO_EXCEPTION
#include <xbyak/xbyak.h>

#include <sys/mman.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string_view>

namespace twinrun {
namespace {

constexpr size_t kRegionSize = 4 << 20;
constexpr size_t kBlockMost = 1 << 20;  // blocks that need more are interpreted

/// How an operation is translated; the width is that of its operands.
enum class Form : uint8_t {
  kCall,
  kAdd,
  kSub,
  kMul,
  kAnd,
  kOr,
  kXor,
  kShl,
  kShr,
  kSar,
  kEqual,
  kDiffer,
  kLessS,
  kLessEqualS,
  kLessU,
  kLessEqualU,
  kNot,
  kNotZero,
  kNarrow,  // keep the low bits
  kSignTo16,
  kSignTo32,
  kSignTo64,
  kLowBit,
  kNotBit,
  kHighHalf,
  kJoin,
  kMulWideU,
  kMulWideS,
  kLowWord,
  kHighWord,
  kJoinWords,
  kZeroUpper,  // a word to a vector
  kSetLow,     // replaces the low word of a vector
  kAndV,
  kOrV,
  kXorV,
};

struct Translation {
  Form form = Form::kCall;
  uint8_t bits = 64;
};

std::vector<Translation> make_translations() {
  std::map<std::string, Translation, std::less<>> by_name;
  const auto sizes = [&](std::string_view name, Form form) {
    for (const uint8_t bits : {uint8_t{8}, uint8_t{16}, uint8_t{32}, uint8_t{64}})
      by_name[fmt::format("{}{}", name, bits)] = {form, bits};
  };
  sizes("Add", Form::kAdd);
  sizes("Sub", Form::kSub);
  sizes("Mul", Form::kMul);
  sizes("And", Form::kAnd);
  sizes("Or", Form::kOr);
  sizes("Xor", Form::kXor);
  sizes("Shl", Form::kShl);
  sizes("Shr", Form::kShr);
  sizes("Sar", Form::kSar);
  for (const std::string_view prefix : {"", "Cas", "Exp"}) {
    sizes(fmt::format("{}CmpEQ", prefix), Form::kEqual);
    sizes(fmt::format("{}CmpNE", prefix), Form::kDiffer);
  }
  sizes("Not", Form::kNot);
  sizes("CmpNEZ", Form::kNotZero);
  for (const uint8_t bits : {uint8_t{32}, uint8_t{64}}) {
    by_name[fmt::format("CmpLT{}S", bits)] = {Form::kLessS, bits};
    by_name[fmt::format("CmpLE{}S", bits)] = {Form::kLessEqualS, bits};
    by_name[fmt::format("CmpLT{}U", bits)] = {Form::kLessU, bits};
    by_name[fmt::format("CmpLE{}U", bits)] = {Form::kLessEqualU, bits};
  }
  for (const char* name : {"8Uto16", "8Uto32", "8Uto64", "64to8", "32to8", "16to8"})
    by_name[name] = {Form::kNarrow, 8};
  for (const char* name : {"16Uto32", "16Uto64", "64to16", "32to16"})
    by_name[name] = {Form::kNarrow, 16};
  for (const char* name : {"32Uto64", "64to32"}) by_name[name] = {Form::kNarrow, 32};
  for (const char* name : {"64to1", "32to1", "1Uto8", "1Uto32", "1Uto64"})
    by_name[name] = {Form::kLowBit, 64};
  by_name["Not1"] = {Form::kNotBit, 64};
  by_name["And1"] = {Form::kAnd, 8};
  by_name["Or1"] = {Form::kOr, 8};
  by_name["8Sto16"] = {Form::kSignTo16, 8};
  by_name["8Sto32"] = {Form::kSignTo32, 8};
  by_name["16Sto32"] = {Form::kSignTo32, 16};
  by_name["8Sto64"] = {Form::kSignTo64, 8};
  by_name["16Sto64"] = {Form::kSignTo64, 16};
  by_name["32Sto64"] = {Form::kSignTo64, 32};
  by_name["16HIto8"] = {Form::kHighHalf, 8};
  by_name["32HIto16"] = {Form::kHighHalf, 16};
  by_name["64HIto32"] = {Form::kHighHalf, 32};
  by_name["8HLto16"] = {Form::kJoin, 8};
  by_name["16HLto32"] = {Form::kJoin, 16};
  by_name["32HLto64"] = {Form::kJoin, 32};
  by_name["MullU64"] = {Form::kMulWideU, 64};
  by_name["MullS64"] = {Form::kMulWideS, 64};
  by_name["MullU32"] = {Form::kMulWideU, 32};
  by_name["MullS32"] = {Form::kMulWideS, 32};
  for (const char* name : {"128to64", "V128to64"}) by_name[name] = {Form::kLowWord, 64};
  for (const char* name : {"128HIto64", "V128HIto64"}) by_name[name] = {Form::kHighWord, 64};
  for (const char* name : {"64HLto128", "64HLtoV128"}) by_name[name] = {Form::kJoinWords, 64};
  by_name["64UtoV128"] = {Form::kZeroUpper, 64};
  by_name["32UtoV128"] = {Form::kZeroUpper, 32};
  by_name["SetV128lo64"] = {Form::kSetLow, 64};
  by_name["AndV128"] = {Form::kAndV, 128};
  by_name["OrV128"] = {Form::kOrV, 128};
  by_name["XorV128"] = {Form::kXorV, 128};
  std::vector<Translation> out;
  for (uint16_t op = 0; !out.empty() || op == 0; ++op) {
    if (op == UINT16_MAX) break;
    const auto found = by_name.find(op_name(op));
    out.push_back(found == by_name.end() ? Translation{} : found->second);
    if (out.size() > 1200) break;  // above the numbers of format/ir_ops.def
  }
  return out;
}

Translation translation_of(uint32_t op) {
  static const std::vector<Translation> kTable = make_translations();
  return op < kTable.size() ? kTable[op] : Translation{};
}

void say_exit(Machine* machine, uint64_t computed) {
  machine->contradict({.kind = Contradiction::Kind::kExit,
                       .computed = computed,
                       .recorded = static_cast<uint64_t>(computed == 0)});
}
void take_miss(Machine* machine, uint64_t address, uint32_t size) {
  machine->take_miss_at(address, size);
}

/// Registers: rbx the arena, r12 the machine, rbp its core, r13 the predictor; rax, rcx, rdx, xmm0
/// and xmm1 are free within a step. rax may hold a temporary from one step to the next.
class Emitter : public Xbyak::CodeGenerator {
 public:
  Emitter(uint8_t* at, size_t room, const CompiledBlock& block, uint32_t variant,
          const std::vector<uint64_t>& constants)
      : CodeGenerator(room, at), block_(block), variant_(variant), constants_(constants) {}

  /// False when the room does not suffice.
  bool translate() {
    prologue();
    const uint32_t end = block_.variant_end[variant_];
    for (uint32_t i = 0; i < end; ++i) step(block_.ops[i], block_.shapes[i]);
    leave();
    for (Slow& slow : slow_) {
      L(slow.from);
      slow.emit();
    }
    return Xbyak::GetError() == Xbyak::ERR_NONE;
  }

 private:
  static constexpr uint32_t kNothing = ~0u;
  static constexpr uint32_t kPredictorMask = TW_PREDICTOR_SIZE - 1;

  struct Slow {
    Xbyak::Label from;
    std::function<void()> emit;
  };
  Xbyak::Label& slow_path(std::function<void()> emit) {
    Slow& slow = slow_.emplace_back();
    slow.emit = std::move(emit);
    return slow.from;
  }

  void prologue() {
    push(rbx);
    push(rbp);
    push(r12);
    push(r13);
    sub(rsp, 8);
    mov(r12, rdi);
    mov(rbp, rsi);
    mov(rbx, ptr[rsi + static_cast<int>(offsetof(MachineCore, arena))]);
    mov(r13, ptr[rsi + static_cast<int>(offsetof(MachineCore, predictor))]);
  }
  void epilogue() {
    add(rsp, 8);
    pop(r13);
    pop(r12);
    pop(rbp);
    pop(rbx);
    ret();
  }

  [[nodiscard]] static bool is_constant(uint32_t place) { return place >= kConstantsOffset; }
  [[nodiscard]] uint64_t constant(uint32_t place) const {
    return constants_[(place - kConstantsOffset) / 8];
  }
  Xbyak::RegExp arena(uint32_t place) { return rbx + static_cast<int>(place); }

  void get(const Xbyak::Reg64& reg, uint32_t place) {
    if (is_constant(place)) {
      if (reg.getIdx() == rax.getIdx()) held_ = kNothing;
      mov(reg, constant(place));
    } else if (held_ == place) {
      if (reg.getIdx() != rax.getIdx()) mov(reg, rax);
    } else {
      if (reg.getIdx() == rax.getIdx()) held_ = kNothing;
      mov(reg, ptr[arena(place)]);
    }
  }
  /// The result of a step is in rax.
  void set(uint32_t place) {
    mov(ptr[arena(place)], rax);
    held_ = place;
  }
  static bool fits(uint64_t value) {
    return static_cast<int64_t>(value) == static_cast<int32_t>(value);
  }

  void call_step(const Op& op) {
    mov(rdi, r12);
    mov(rsi, reinterpret_cast<uintptr_t>(&op));
    mov(rax, reinterpret_cast<uintptr_t>(op.run));
    call(rax);
    held_ = kNothing;
  }

  void step(const Op& op, StepShape shape) {
    switch (shape.kind) {
      case StepShape::kNothing: return;
      case StepShape::kCall: return call_step(op);
      case StepShape::kCopy: return copy(op, shape.what);
      case StepShape::kGet: return narrow_get(op, shape.what);
      case StepShape::kLoad: return load(op, shape.what);
      case StepShape::kStore: return store(op, shape.what);
      case StepShape::kChoose: return choose(op, shape.what);
      case StepShape::kOperation: return operation(op, translation_of(shape.what));
    }
  }

  void copy(const Op& op, uint32_t bytes) {
    if (bytes >= 16) {
      for (uint32_t i = 0; i < bytes; i += 16) {
        movups(xmm0, ptr[arena(op.a + i)]);
        movups(ptr[arena(op.dst + i)], xmm0);
      }
      return;
    }
    if (bytes < 8 && !is_constant(op.a)) {
      get(rax, op.a);
      held_ = op.a;
      put_narrow(arena(op.dst), bytes);
      return;
    }
    get(rax, op.a);
    const bool from_state = op.a < kTempsOffset;
    if (bytes == 8)
      mov(ptr[arena(op.dst)], rax);
    else
      put_narrow(arena(op.dst), bytes);
    if (op.dst >= kTempsOffset)
      held_ = op.dst;
    else
      held_ = from_state || is_constant(op.a) ? kNothing : op.a;
  }
  void put_narrow(const Xbyak::RegExp& to, uint32_t bytes) {
    if (bytes == 4)
      mov(ptr[to], eax);
    else if (bytes == 2)
      mov(ptr[to], ax);
    else
      mov(ptr[to], al);
  }
  void get_zero_extended(const Xbyak::RegExp& from, uint32_t bytes) {
    if (bytes == 8)
      mov(rax, ptr[from]);
    else if (bytes == 4)
      mov(eax, ptr[from]);
    else if (bytes == 2)
      movzx(eax, word[from]);
    else
      movzx(eax, byte[from]);
  }
  void narrow_get(const Op& op, uint32_t bytes) {
    get_zero_extended(arena(op.a), bytes);
    set(op.dst);
  }

  void load(const Op& op, uint32_t bytes) {
    auto back = std::make_shared<Xbyak::Label>();
    cmp(dword[rbp + static_cast<int>(offsetof(MachineCore, miss_in_block))], op.b);
    je(slow_path([this, &op, bytes, back] {
         mov(rdi, r12);
         if (is_constant(op.a))
           mov(rsi, constant(op.a));
         else
           mov(rsi, ptr[arena(op.a)]);
         mov(edx, bytes);
         mov(rax, reinterpret_cast<uintptr_t>(&take_miss));
         call(rax);
         if (!is_constant(op.a)) mov(rax, ptr[arena(op.a)]);
         jmp(*back, T_NEAR);
       }),
       T_NEAR);
    if (is_constant(op.a)) {
      L(*back);
      held_ = kNothing;
      finish_load(r13 + static_cast<int>(constant(op.a) & kPredictorMask), op.dst, bytes);
      return;
    }
    // Behind the slow path rax holds the address, so let it do so in both cases.
    if (held_ != op.a) {
      mov(rax, ptr[arena(op.a)]);
      held_ = op.a;
    }
    L(*back);
    mov(ecx, eax);
    and_(ecx, kPredictorMask);
    finish_load(r13 + rcx, op.dst, bytes);
  }
  void finish_load(const Xbyak::RegExp& from, uint32_t dst, uint32_t bytes) {
    if (bytes <= 8) {
      get_zero_extended(from, bytes);
      set(dst);
      return;
    }
    for (uint32_t i = 0; i < bytes; i += 16) {
      movups(xmm0, ptr[from + static_cast<int>(i)]);
      movups(ptr[arena(dst + i)], xmm0);
    }
  }
  void store(const Op& op, uint32_t bytes) {
    Xbyak::RegExp to;
    if (is_constant(op.a)) {
      to = r13 + static_cast<int>(constant(op.a) & kPredictorMask);
    } else {
      get(rcx, op.a);
      and_(ecx, kPredictorMask);
      to = r13 + rcx;
    }
    if (bytes > 8) {
      for (uint32_t i = 0; i < bytes; i += 16) {
        movups(xmm0, ptr[arena(op.b + i)]);
        movups(ptr[to + static_cast<int>(i)], xmm0);
      }
      return;
    }
    get(rax, op.b);
    held_ = is_constant(op.b) ? kNothing : op.b;
    if (bytes == 8)
      mov(ptr[to], rax);
    else
      put_narrow(to, bytes);
  }
  void choose(const Op& op, uint32_t bytes) {
    if (bytes != 8) return call_step(op);
    get(rdx, op.a);
    get(rcx, op.c);
    get(rax, op.b);
    test(dl, 1);
    cmovz(rax, rcx);
    set(op.dst);
  }

  /// eax or rax.
  Xbyak::Reg low(unsigned bits) { return bits == 64 ? Xbyak::Reg(rax) : Xbyak::Reg(eax); }
  void clear_above(unsigned bits) {
    if (bits == 8)
      movzx(eax, al);
    else if (bits == 16)
      movzx(eax, ax);
  }

  void operation(const Op& op, Translation how) {
    switch (how.form) {
      case Form::kCall: return call_step(op);
      case Form::kAdd:
      case Form::kSub:
      case Form::kMul:
      case Form::kAnd:
      case Form::kOr:
      case Form::kXor: return arithmetic(op, how);
      case Form::kShl:
      case Form::kShr:
      case Form::kSar: return shift(op, how);
      case Form::kEqual:
      case Form::kDiffer:
      case Form::kLessS:
      case Form::kLessEqualS:
      case Form::kLessU:
      case Form::kLessEqualU: return comparison(op, how);
      case Form::kNotZero:
        get(rax, op.a);
        if (how.bits == 8)
          test(al, al);
        else if (how.bits == 16)
          test(ax, ax);
        else
          test(low(how.bits), low(how.bits));
        setnz(al);
        movzx(eax, al);
        return set(op.dst);
      case Form::kJoin:
        get(rcx, op.b);
        get(rax, op.a);
        shl(rax, how.bits);
        if (how.bits == 8)
          movzx(ecx, cl);
        else if (how.bits == 16)
          movzx(ecx, cx);
        else
          mov(ecx, ecx);
        or_(rax, rcx);
        return set(op.dst);
      case Form::kMulWideU:
      case Form::kMulWideS: return multiply_wide(op, how);
      case Form::kHighWord:
        if (is_constant(op.a)) return call_step(op);
        mov(rax, ptr[arena(op.a + 8)]);
        return set(op.dst);
      case Form::kLowWord:
        if (is_constant(op.a)) return call_step(op);
        mov(rax, ptr[arena(op.a)]);
        return set(op.dst);
      case Form::kJoinWords:
        get(rcx, op.a);
        get(rax, op.b);
        mov(ptr[arena(op.dst + 8)], rcx);
        mov(ptr[arena(op.dst)], rax);
        held_ = kNothing;
        return;
      case Form::kZeroUpper:
        get(rax, op.a);
        if (how.bits == 32) mov(eax, eax);
        mov(ptr[arena(op.dst)], rax);
        mov(qword[arena(op.dst + 8)], 0);
        held_ = kNothing;
        return;
      case Form::kSetLow:
        if (is_constant(op.a)) return call_step(op);
        mov(rcx, ptr[arena(op.a + 8)]);
        get(rax, op.b);
        mov(ptr[arena(op.dst + 8)], rcx);
        mov(ptr[arena(op.dst)], rax);
        held_ = kNothing;
        return;
      case Form::kAndV:
      case Form::kOrV:
      case Form::kXorV: return vector_logic(op, how.form);
      default: return unary(op, how);
    }
  }

  void unary(const Op& op, Translation how) {
    get(rax, op.a);
    switch (how.form) {
      case Form::kNot:
        not_(low(how.bits));
        clear_above(how.bits);
        break;
      case Form::kNarrow:
        if (how.bits == 32) mov(eax, eax);
        clear_above(how.bits);
        break;
      case Form::kSignTo16:
      case Form::kSignTo32:
        if (how.bits == 8)
          movsx(eax, al);
        else
          movsx(eax, ax);
        if (how.form == Form::kSignTo16) movzx(eax, ax);
        break;
      case Form::kSignTo64:
        if (how.bits == 8)
          movsx(rax, al);
        else if (how.bits == 16)
          movsx(rax, ax);
        else
          movsxd(rax, eax);
        break;
      case Form::kLowBit: and_(eax, 1); break;
      case Form::kNotBit:
        and_(eax, 1);
        xor_(eax, 1);
        break;
      case Form::kHighHalf:
        shr(rax, how.bits);
        if (how.bits == 32) mov(eax, eax);
        clear_above(how.bits);
        break;
      default: break;
    }
    set(op.dst);
  }

  void arithmetic(const Op& op, Translation how) {
    const Xbyak::Reg to = low(how.bits);
    if (is_constant(op.b) && fits(constant(op.b)) && how.form != Form::kMul) {
      const auto value = static_cast<uint32_t>(constant(op.b));
      get(rax, op.a);
      switch (how.form) {
        case Form::kAdd: add(to, value); break;
        case Form::kSub: sub(to, value); break;
        case Form::kAnd: and_(to, value); break;
        case Form::kOr: or_(to, value); break;
        default: xor_(to, value); break;
      }
    } else {
      get(rcx, op.b);
      get(rax, op.a);
      const Xbyak::Reg from = how.bits == 64 ? Xbyak::Reg(rcx) : Xbyak::Reg(ecx);
      switch (how.form) {
        case Form::kAdd: add(to, from); break;
        case Form::kSub: sub(to, from); break;
        case Form::kAnd: and_(to, from); break;
        case Form::kOr: or_(to, from); break;
        case Form::kXor: xor_(to, from); break;
        default: imul(to, from); break;
      }
    }
    clear_above(how.bits);
    set(op.dst);
  }

  void shift(const Op& op, Translation how) {
    const unsigned bits = how.bits;
    if (bits < 32) return call_step(op);
    const Xbyak::Reg to = low(bits);
    if (is_constant(op.b)) {
      unsigned count = constant(op.b) & 0xff;
      if (count >= bits && how.form != Form::kSar) {
        xor_(eax, eax);
        return set(op.dst);
      }
      count = std::min(count, bits - 1);
      get(rax, op.a);
      if (bits == 32) mov(eax, eax);
      if (how.form == Form::kShl)
        shl(to, static_cast<int>(count));
      else if (how.form == Form::kShr)
        shr(to, static_cast<int>(count));
      else
        sar(to, static_cast<int>(count));
      return set(op.dst);
    }
    get(rcx, op.b);
    movzx(ecx, cl);
    get(rax, op.a);
    if (how.form == Form::kSar) {
      mov(edx, bits - 1);
      cmp(ecx, bits - 1);
      cmova(ecx, edx);
      if (bits == 32) mov(eax, eax);
      sar(to, cl);
      return set(op.dst);
    }
    if (bits == 32) mov(eax, eax);
    xor_(edx, edx);
    if (how.form == Form::kShl)
      shl(to, cl);
    else
      shr(to, cl);
    cmp(ecx, bits);
    cmovae(rax, rdx);
    set(op.dst);
  }

  void comparison(const Op& op, Translation how) {
    if (is_constant(op.b) && fits(constant(op.b)) && how.bits == 64) {
      get(rax, op.a);
      cmp(rax, static_cast<uint32_t>(constant(op.b)));
    } else {
      get(rcx, op.b);
      get(rax, op.a);
      if (how.bits == 64)
        cmp(rax, rcx);
      else if (how.bits == 32)
        cmp(eax, ecx);
      else if (how.bits == 16)
        cmp(ax, cx);
      else
        cmp(al, cl);
    }
    switch (how.form) {
      case Form::kEqual: sete(al); break;
      case Form::kDiffer: setne(al); break;
      case Form::kLessS: setl(al); break;
      case Form::kLessEqualS: setle(al); break;
      case Form::kLessU: setb(al); break;
      default: setbe(al); break;
    }
    movzx(eax, al);
    set(op.dst);
  }

  void multiply_wide(const Op& op, Translation how) {
    get(rcx, op.b);
    get(rax, op.a);
    if (how.bits == 64) {
      if (how.form == Form::kMulWideU)
        mul(rcx);
      else
        imul(rcx);
      mov(ptr[arena(op.dst)], rax);
      mov(ptr[arena(op.dst + 8)], rdx);
      held_ = kNothing;
      return;
    }
    if (how.form == Form::kMulWideU) {
      mov(eax, eax);
      mov(ecx, ecx);
    } else {
      movsxd(rax, eax);
      movsxd(rcx, ecx);
    }
    imul(rax, rcx);
    set(op.dst);
  }

  void vector_logic(const Op& op, Form form) {
    movups(xmm0, ptr[arena(op.a)]);
    movups(xmm1, ptr[arena(op.b)]);
    if (form == Form::kAndV)
      pand(xmm0, xmm1);
    else if (form == Form::kOrV)
      por(xmm0, xmm1);
    else
      pxor(xmm0, xmm1);
    movups(ptr[arena(op.dst)], xmm0);
  }

  void test_guard(uint32_t guard) { test(byte[arena(guard)], 1); }

  /// The side exits that the variant passes, the one that it takes, or the last exit. A side exit
  /// that the computation takes and the recording does not, or the other way round, is told.
  void leave() {
    uint32_t passed = 0;
    for (const CompiledBlock::Exit& exit : block_.exits) {
      test_guard(exit.guard);
      if (!exit.makes_variant) {
        const uint64_t target = exit.raises_signal ? 0 : exit.target;
        jnz(slow_path([this, target] {
              mov(rax, target);
              epilogue();
            }),
            T_NEAR);
        continue;
      }
      const bool said = passed == variant_ && variant_ + 1 < block_.variant_end.size();
      const auto disagree = [this, target = exit.target, said] {
        mov(rdi, r12);
        mov(esi, said ? 0 : 1);
        mov(rax, reinterpret_cast<uintptr_t>(&say_exit));
        call(rax);
        mov(rax, target);
        epilogue();
      };
      if (said) {
        jz(slow_path(disagree), T_NEAR);
        mov(rax, exit.target);
        epilogue();
        return;
      }
      jnz(slow_path(disagree), T_NEAR);
      ++passed;
    }
    get(rax, block_.next);
    epilogue();
  }

  const CompiledBlock& block_;
  uint32_t variant_;
  const std::vector<uint64_t>& constants_;
  uint32_t held_ = kNothing;  // the temporary whose value is in rax
  std::deque<Slow> slow_;     // labels keep their place
};

}  // namespace

struct NativeCompiler::Region {
  uint8_t* start = nullptr;
  size_t used = 0;

  Region() = default;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() {
    if (start != nullptr) munmap(start, kRegionSize);
  }
};

NativeCompiler::NativeCompiler() = default;
NativeCompiler::~NativeCompiler() = default;

NativeBlock NativeCompiler::compile(const CompiledBlock& block, uint32_t variant,
                                    const std::vector<uint64_t>& constants) {
  if (refused_) return nullptr;
  if (regions_.empty() || kRegionSize - regions_.back()->used < kBlockMost) {
    void* mapped = mmap(nullptr, kRegionSize, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
      refused_ = true;
      return nullptr;
    }
    regions_.push_back(std::make_unique<Region>());
    regions_.back()->start = static_cast<uint8_t*>(mapped);
    regions_.back()->used = 16;  // sanitizers look in front of a function that is called
  }
  Region& region = *regions_.back();
  uint8_t* const at = region.start + region.used;
  Xbyak::ClearError();
  Emitter emitter(at, kBlockMost, block, variant, constants);
  if (!emitter.translate()) return nullptr;
  region.used += (emitter.getSize() + 15) / 16 * 16;
  return reinterpret_cast<NativeBlock>(at);
}

}  // namespace twinrun
