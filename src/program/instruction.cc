// SPDX-License-Identifier: MIT
#include "program/instruction.h"

#include "base/check.h"
#include "program/flow_of.h"

#include <Zydis/Zydis.h>

#include <array>

namespace twinrun {

struct Decoder::Impl {
  ZydisDecoder decoder;
};

Decoder::Decoder() : impl_(std::make_unique<Impl>()) {
  CHECK(ZYAN_SUCCESS(
      ZydisDecoderInit(&impl_->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
}

Decoder::~Decoder() = default;

Flow flow_of(const ZydisDecodedInstruction& in) {
  const bool relative = in.raw.imm[0].is_relative != 0;
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_INT1:
    case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_SYSEXIT: return Flow::kTrap;
    case ZYDIS_MNEMONIC_INT:
    case ZYDIS_MNEMONIC_SYSCALL:
    case ZYDIS_MNEMONIC_SYSENTER: return Flow::kSyscall;
    case ZYDIS_MNEMONIC_XBEGIN: return Flow::kConditionalJump;
    default: break;
  }
  switch (in.meta.category) {
    case ZYDIS_CATEGORY_COND_BR: return relative ? Flow::kConditionalJump : Flow::kNone;
    case ZYDIS_CATEGORY_UNCOND_BR: return relative ? Flow::kJump : Flow::kIndirectJump;
    case ZYDIS_CATEGORY_CALL: return relative ? Flow::kCall : Flow::kIndirectCall;
    case ZYDIS_CATEGORY_RET: return Flow::kReturn;
    default: return Flow::kNone;
  }
}

std::optional<Instruction> Decoder::decode(ByteSpan code, uint64_t address) const {
  ZydisDecodedInstruction in;
  if (!ZYAN_SUCCESS(
          ZydisDecoderDecodeInstruction(&impl_->decoder, nullptr, code.data(), code.size(), &in)))
    return std::nullopt;
  Instruction out{.address = address, .length = in.length, .flow = flow_of(in)};
  if (out.is_direct()) {
    out.target = out.end() + static_cast<uint64_t>(in.raw.imm[0].value.s);
  } else if ((out.flow == Flow::kIndirectJump || out.flow == Flow::kIndirectCall) &&
             in.meta.branch_type != ZYDIS_BRANCH_TYPE_FAR &&
             (in.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 && in.raw.modrm.mod == 0) {
    // [rip+disp32], or [disp32] without base and index.
    const auto displacement = static_cast<uint64_t>(in.raw.disp.value);
    const bool absolute =
        in.raw.modrm.rm == 4 && in.raw.sib.base == 5 && in.raw.sib.index == 4 && in.raw.rex.X == 0;
    if (in.raw.modrm.rm == 5 || absolute) {
      out.has_slot = true;
      out.target = absolute ? displacement : out.end() + displacement;
    }
  }
  out.is_nop = in.mnemonic == ZYDIS_MNEMONIC_NOP;
  out.repeats = (in.attributes &
                 (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0 &&
                out.flow == Flow::kNone;
  return out;
}

namespace {

RegisterSet bit_of(ZydisRegister reg) {
  if (reg == ZYDIS_REGISTER_NONE || reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP ||
      reg == ZYDIS_REGISTER_IP)
    return 0;
  switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64: {
      const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
      return register_bit(RegisterClass::kGeneral,
                          static_cast<unsigned>(ZydisRegisterGetId(whole)));
    }
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
      return register_bit(RegisterClass::kVector, static_cast<unsigned>(ZydisRegisterGetId(reg)));
    case ZYDIS_REGCLASS_FLAGS: return register_bit(RegisterClass::kFlags, 0);
    case ZYDIS_REGCLASS_X87:
    case ZYDIS_REGCLASS_MMX: return register_bit(RegisterClass::kX87, 0);
    default:
      return reg == ZYDIS_REGISTER_X87CONTROL || reg == ZYDIS_REGISTER_X87STATUS ||
                     reg == ZYDIS_REGISTER_X87TAG
                 ? kRegisterX87
                 : kRegisterOther;
  }
}

}  // namespace

std::optional<RegisterUse> Decoder::registers(ByteSpan code) const {
  ZydisDecodedInstruction in;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
  if (!ZYAN_SUCCESS(
          ZydisDecoderDecodeFull(&impl_->decoder, code.data(), code.size(), &in, operands.data())))
    return std::nullopt;
  RegisterUse out;
  for (size_t i = 0; i < in.operand_count; ++i) {
    const ZydisDecodedOperand& operand = operands[i];
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
      const RegisterSet bit = bit_of(operand.reg.value);
      if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) {
        out.reads |= bit;
        out.operands |= bit;
      }
      if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) {
        out.writes |= bit;
        // The other bytes stay: what the register is then comes from them, too.
        if (operand.size < 32) out.operands |= bit;
      }
    } else if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
      const RegisterSet bits = bit_of(operand.mem.base) | bit_of(operand.mem.index);
      out.reads |= bits;
      // lea computes with them and goes to no memory.
      if (operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) out.operands |= bits;
    }
  }
  if (in.cpu_flags != nullptr && in.cpu_flags->tested != 0) {
    out.reads |= kRegisterFlags;
    out.operands |= kRegisterFlags;
  }
  if (in.cpu_flags != nullptr && (in.cpu_flags->modified | in.cpu_flags->set_0 |
                                  in.cpu_flags->set_1 | in.cpu_flags->undefined) != 0)
    out.writes |= kRegisterFlags;
  return out;
}

}  // namespace twinrun
