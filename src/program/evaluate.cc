// SPDX-License-Identifier: MIT
#include "program/evaluate.h"

#include "base/check.h"

#include <Zydis/Zydis.h>

#include <array>
#include <bit>

namespace twinrun {

struct Evaluator::Impl {
  ZydisDecoder decoder;
};

Evaluator::Evaluator() : impl_(std::make_unique<Impl>()) {
  CHECK(ZYAN_SUCCESS(
      ZydisDecoderInit(&impl_->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
}

Evaluator::~Evaluator() = default;

namespace {

uint64_t low_bits(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

uint64_t sign_extended(uint64_t value, unsigned bits) {
  const unsigned unused = 64 - bits;
  return static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused);
}

bool is_general(ZydisRegister reg) {
  const ZydisRegisterClass kind = ZydisRegisterGetClass(reg);
  return kind == ZYDIS_REGCLASS_GPR8 || kind == ZYDIS_REGCLASS_GPR16 ||
         kind == ZYDIS_REGCLASS_GPR32 || kind == ZYDIS_REGCLASS_GPR64;
}

bool is_high_byte(ZydisRegister reg) {
  return reg == ZYDIS_REGISTER_AH || reg == ZYDIS_REGISTER_BH || reg == ZYDIS_REGISTER_CH ||
         reg == ZYDIS_REGISTER_DH;
}

unsigned number_of(ZydisRegister reg) {
  return static_cast<unsigned>(
      ZydisRegisterGetId(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg)));
}

/// One instruction at work.
class Operands {
 public:
  Operands(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands,
           const InstructionInput& input)
      : in_(in), operands_(operands), input_(input) {}

  /// The value of an operand, zero-extended.
  [[nodiscard]] std::optional<uint64_t> operand(size_t index) const {
    const ZydisDecodedOperand& operand = operands_[index];
    switch (operand.type) {
      case ZYDIS_OPERAND_TYPE_REGISTER: return reg(operand.reg.value);
      case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        return low_bits(operand.imm.value.u, operand.imm.is_signed != 0 ? 64 : operand.size);
      case ZYDIS_OPERAND_TYPE_MEMORY:
        return operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN ? address(operand) : input_.loaded;
      default: return std::nullopt;
    }
  }

  [[nodiscard]] std::optional<uint64_t> result() const {
    const unsigned bits = operands_[0].size;
    const auto a = [&] { return operand(0); };
    const auto b = [&] { return operand(1); };
    switch (in_.mnemonic) {
      case ZYDIS_MNEMONIC_MOV:
      case ZYDIS_MNEMONIC_MOVZX:
      case ZYDIS_MNEMONIC_LEA: return b();
      case ZYDIS_MNEMONIC_MOVSX:
      case ZYDIS_MNEMONIC_MOVSXD:
        return with(b(), [&](uint64_t v) { return sign_extended(v, operands_[1].size); });
      case ZYDIS_MNEMONIC_ADD: return with(a(), b(), std::plus<uint64_t>());
      case ZYDIS_MNEMONIC_SUB: return same_registers() ? 0 : with(a(), b(), std::minus<uint64_t>());
      case ZYDIS_MNEMONIC_AND: return with(a(), b(), std::bit_and<uint64_t>());
      case ZYDIS_MNEMONIC_OR: return with(a(), b(), std::bit_or<uint64_t>());
      case ZYDIS_MNEMONIC_XOR:
        return same_registers() ? 0 : with(a(), b(), std::bit_xor<uint64_t>());
      case ZYDIS_MNEMONIC_INC: return with(a(), [](uint64_t v) { return v + 1; });
      case ZYDIS_MNEMONIC_DEC: return with(a(), [](uint64_t v) { return v - 1; });
      case ZYDIS_MNEMONIC_NEG: return with(a(), [](uint64_t v) { return -v; });
      case ZYDIS_MNEMONIC_NOT: return with(a(), [](uint64_t v) { return ~v; });
      case ZYDIS_MNEMONIC_SHL: return shifted([](uint64_t v, unsigned n) { return v << n; });
      case ZYDIS_MNEMONIC_SHR: return shifted([](uint64_t v, unsigned n) { return v >> n; });
      case ZYDIS_MNEMONIC_SAR:
        return shifted([&](uint64_t v, unsigned n) {
          return static_cast<uint64_t>(static_cast<int64_t>(sign_extended(v, bits)) >> n);
        });
      case ZYDIS_MNEMONIC_IMUL: return product();
      case ZYDIS_MNEMONIC_BSWAP:
        return with(a(), [&](uint64_t v) {
          return bits == 64 ? __builtin_bswap64(v) : __builtin_bswap32(static_cast<uint32_t>(v));
        });
      case ZYDIS_MNEMONIC_CWDE: return extended(ZYDIS_REGISTER_AX, 16);
      case ZYDIS_MNEMONIC_CDQE: return extended(ZYDIS_REGISTER_EAX, 32);
      case ZYDIS_MNEMONIC_CDQ: return sign_of(ZYDIS_REGISTER_EAX, 32);
      case ZYDIS_MNEMONIC_CQO: return sign_of(ZYDIS_REGISTER_RAX, 64);
      default: return std::nullopt;
    }
  }

  /// The register that takes the result.
  [[nodiscard]] std::optional<ZydisRegister> target() const {
    switch (in_.mnemonic) {
      case ZYDIS_MNEMONIC_CWDE: return ZYDIS_REGISTER_EAX;
      case ZYDIS_MNEMONIC_CDQE: return ZYDIS_REGISTER_RAX;
      case ZYDIS_MNEMONIC_CDQ: return ZYDIS_REGISTER_EDX;
      case ZYDIS_MNEMONIC_CQO: return ZYDIS_REGISTER_RDX;
      default: break;
    }
    const ZydisDecodedOperand& first = operands_[0];
    if (first.type != ZYDIS_OPERAND_TYPE_REGISTER || !is_general(first.reg.value))
      return std::nullopt;
    return first.reg.value;
  }

 private:
  template <typename F>
  static std::optional<uint64_t> with(std::optional<uint64_t> a, F f) {
    return a ? std::optional<uint64_t>(f(*a)) : std::nullopt;
  }
  template <typename F>
  static std::optional<uint64_t> with(std::optional<uint64_t> a, std::optional<uint64_t> b, F f) {
    return a && b ? std::optional<uint64_t>(f(*a, *b)) : std::nullopt;
  }

  [[nodiscard]] std::optional<uint64_t> reg(ZydisRegister reg) const {
    if (!is_general(reg)) return std::nullopt;
    const auto whole = input_.reg(number_of(reg));
    if (!whole) return std::nullopt;
    if (is_high_byte(reg)) return *whole >> 8 & 0xff;
    return low_bits(*whole, ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg));
  }

  [[nodiscard]] std::optional<uint64_t> address(const ZydisDecodedOperand& operand) const {
    uint64_t out = static_cast<uint64_t>(operand.mem.disp.value);
    if (operand.mem.base == ZYDIS_REGISTER_RIP) {
      out += input_.address + in_.length;
    } else if (operand.mem.base != ZYDIS_REGISTER_NONE) {
      const auto base = reg(operand.mem.base);
      if (!base) return std::nullopt;
      out += *base;
    }
    if (operand.mem.index != ZYDIS_REGISTER_NONE) {
      const auto index = reg(operand.mem.index);
      if (!index) return std::nullopt;
      out += *index * operand.mem.scale;
    }
    return low_bits(out, in_.address_width);
  }

  /// `xor eax, eax` is 0 whatever eax was.
  [[nodiscard]] bool same_registers() const {
    return operands_[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands_[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands_[0].reg.value == operands_[1].reg.value;
  }

  template <typename F>
  [[nodiscard]] std::optional<uint64_t> shifted(F f) const {
    const unsigned bits = operands_[0].size;
    return with(operand(0), operand(1), [&](uint64_t value, uint64_t by) -> uint64_t {
      const auto count = static_cast<unsigned>(by & (bits == 64 ? 63 : 31));
      return f(value, count);
    });
  }

  [[nodiscard]] std::optional<uint64_t> product() const {
    // The form with one operand writes two registers.
    if (in_.operand_count_visible == 2)
      return with(operand(0), operand(1), std::multiplies<uint64_t>());
    if (in_.operand_count_visible == 3)
      return with(operand(1), operand(2), std::multiplies<uint64_t>());
    return std::nullopt;
  }

  [[nodiscard]] std::optional<uint64_t> extended(ZydisRegister from, unsigned bits) const {
    return with(reg(from), [&](uint64_t v) { return sign_extended(v, bits); });
  }
  [[nodiscard]] std::optional<uint64_t> sign_of(ZydisRegister from, unsigned bits) const {
    return with(reg(from),
                [&](uint64_t v) { return (v >> (bits - 1) & 1) != 0 ? ~uint64_t{0} : 0; });
  }

  const ZydisDecodedInstruction& in_;
  const ZydisDecodedOperand* operands_;
  const InstructionInput& input_;
};

}  // namespace

std::optional<InstructionResult> Evaluator::run(ByteSpan code,
                                                const InstructionInput& input) const {
  ZydisDecodedInstruction in;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
  if (!ZYAN_SUCCESS(
          ZydisDecoderDecodeFull(&impl_->decoder, code.data(), code.size(), &in, operands.data())))
    return std::nullopt;
  if (in.operand_count == 0) return std::nullopt;
  const Operands execution(in, operands.data(), input);
  const auto target = execution.target();
  if (!target) return std::nullopt;
  const auto result = execution.result();
  if (!result) return std::nullopt;
  const unsigned bits = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, *target);
  InstructionResult out{.reg = number_of(*target), .value = low_bits(*result, bits)};
  if (bits >= 32) return out;
  // Smaller parts leave the rest as it was.
  const auto old = input.reg(out.reg);
  if (!old) return std::nullopt;
  const unsigned shift = is_high_byte(*target) ? 8 : 0;
  const uint64_t mask = ((uint64_t{1} << bits) - 1) << shift;
  out.value = (*old & ~mask) | (out.value << shift & mask);
  return out;
}

}  // namespace twinrun
