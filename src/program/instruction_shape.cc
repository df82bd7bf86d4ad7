// SPDX-License-Identifier: MIT
#include "program/instruction_shape.h"

#include "base/check.h"
#include "program/flow_of.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <vector>

namespace twinrun {

struct ShapeDecoder::Impl {
  ZydisDecoder decoder;
  std::vector<Range> ranges;  // by start
  std::array<uint8_t, ZYDIS_REGISTER_MAX_VALUE + 1> registers{};

  [[nodiscard]] bool is_in_image(uint64_t address) const {
    const auto it = std::ranges::upper_bound(ranges, address, {}, &Range::start);
    return it != ranges.begin() && address < std::prev(it)->end;
  }
};

namespace {

ShapeRegister shape_register(ZydisRegister reg) {
  switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64:
      return static_cast<ShapeRegister>(
          ZydisRegisterGetId(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg)));
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
      return static_cast<ShapeRegister>(kShapeRegisterVector + ZydisRegisterGetId(reg));
    default: return static_cast<ShapeRegister>(kShapeRegisterOther + (reg & 0x3f));
  }
}

// Opcodes that compilers exchange for each other when a width, a sign or a condition changes.
ZydisMnemonic group_leader(ZydisMnemonic m, ZydisInstructionCategory category) {
  switch (category) {
    case ZYDIS_CATEGORY_COND_BR: return ZYDIS_MNEMONIC_JZ;
    case ZYDIS_CATEGORY_CMOV: return ZYDIS_MNEMONIC_CMOVZ;
    case ZYDIS_CATEGORY_SETCC: return ZYDIS_MNEMONIC_SETZ;
    default: break;
  }
  switch (m) {
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_CDQE:
    case ZYDIS_MNEMONIC_CWDE: return ZYDIS_MNEMONIC_MOV;
    case ZYDIS_MNEMONIC_INC: return ZYDIS_MNEMONIC_ADD;
    case ZYDIS_MNEMONIC_DEC: return ZYDIS_MNEMONIC_SUB;
    case ZYDIS_MNEMONIC_CDQ: return ZYDIS_MNEMONIC_CQO;
    case ZYDIS_MNEMONIC_SAR: return ZYDIS_MNEMONIC_SHR;
    case ZYDIS_MNEMONIC_IDIV: return ZYDIS_MNEMONIC_DIV;
    case ZYDIS_MNEMONIC_IMUL: return ZYDIS_MNEMONIC_MUL;
    case ZYDIS_MNEMONIC_MOVSS:
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVDQA:
    case ZYDIS_MNEMONIC_MOVDQU:
    case ZYDIS_MNEMONIC_MOVQ:
    case ZYDIS_MNEMONIC_MOVD: return ZYDIS_MNEMONIC_MOVSD;
    case ZYDIS_MNEMONIC_ADDSS: return ZYDIS_MNEMONIC_ADDSD;
    case ZYDIS_MNEMONIC_SUBSS: return ZYDIS_MNEMONIC_SUBSD;
    case ZYDIS_MNEMONIC_MULSS: return ZYDIS_MNEMONIC_MULSD;
    case ZYDIS_MNEMONIC_DIVSS: return ZYDIS_MNEMONIC_DIVSD;
    case ZYDIS_MNEMONIC_UCOMISS:
    case ZYDIS_MNEMONIC_UCOMISD:
    case ZYDIS_MNEMONIC_COMISS: return ZYDIS_MNEMONIC_COMISD;
    case ZYDIS_MNEMONIC_XORPD:
    case ZYDIS_MNEMONIC_PXOR: return ZYDIS_MNEMONIC_XORPS;
    default: return m;
  }
}

class TypeHash {
 public:
  void add(uint32_t value) { hash_ = (hash_ ^ value) * 0x01000193; }
  [[nodiscard]] uint32_t value() const { return hash_ ^ (hash_ >> 15); }

 private:
  uint32_t hash_ = 0x811c9dc5;
};

}  // namespace

ShapeDecoder::ShapeDecoder() : impl_(std::make_unique<Impl>()) {
  CHECK(ZYAN_SUCCESS(
      ZydisDecoderInit(&impl_->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
  for (int reg = 1; reg <= ZYDIS_REGISTER_MAX_VALUE; ++reg)
    impl_->registers[static_cast<size_t>(reg)] = shape_register(static_cast<ZydisRegister>(reg));
}

ShapeDecoder::~ShapeDecoder() = default;

void ShapeDecoder::set_image(std::span<const Range> ranges) {
  impl_->ranges.assign(ranges.begin(), ranges.end());
  std::ranges::sort(impl_->ranges, {}, &Range::start);
}

std::optional<InstructionShape> ShapeDecoder::decode(ByteSpan code, uint64_t address) const {
  ZydisDecoderContext context;
  ZydisDecodedInstruction in;
  if (!ZYAN_SUCCESS(
          ZydisDecoderDecodeInstruction(&impl_->decoder, &context, code.data(), code.size(), &in)))
    return std::nullopt;
  InstructionShape out;
  out.length = in.length;
  out.flow = flow_of(in);
  out.is_padding = in.mnemonic == ZYDIS_MNEMONIC_NOP || in.mnemonic == ZYDIS_MNEMONIC_ENDBR64;
  ZydisMnemonic mnemonic = in.mnemonic;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT_VISIBLE> operands;
  const uint8_t count = std::min<uint8_t>(in.operand_count_visible, operands.size());
  if (!ZYAN_SUCCESS(
          ZydisDecoderDecodeOperands(&impl_->decoder, &context, &in, operands.data(), count)))
    return std::nullopt;
  TypeHash types;
  const auto add_register = [&](ZydisRegister reg) {
    if (out.register_count < InstructionShape::kMostRegisters)
      out.registers[out.register_count++] = impl_->registers[static_cast<size_t>(reg)];
  };
  const auto add_immediate = [&](int64_t value) {
    out.immediate = out.has_immediate
                        ? static_cast<int64_t>(static_cast<uint64_t>(out.immediate) * 31 +
                                               static_cast<uint64_t>(value))
                        : value;
    out.has_immediate = true;
  };
  for (uint8_t i = 0; i < count; ++i) {
    const ZydisDecodedOperand& operand = operands[i];
    types.add(static_cast<uint32_t>(operand.type) << 16 | operand.size);
    switch (operand.type) {
      case ZYDIS_OPERAND_TYPE_REGISTER:
        types.add(static_cast<uint32_t>(ZydisRegisterGetClass(operand.reg.value)));
        add_register(operand.reg.value);
        break;
      case ZYDIS_OPERAND_TYPE_MEMORY: {
        const auto& mem = operand.mem;
        const auto displacement = static_cast<uint64_t>(mem.disp.value);
        types.add((mem.base != ZYDIS_REGISTER_NONE ? 1u : 0u) |
                  (mem.index != ZYDIS_REGISTER_NONE ? 2u : 0u) | uint32_t{mem.scale} << 8);
        if (mem.base == ZYDIS_REGISTER_RIP) {
          out.reference = address + in.length + displacement;
        } else if (mem.segment != ZYDIS_REGISTER_FS && mem.segment != ZYDIS_REGISTER_GS &&
                   impl_->is_in_image(displacement)) {
          // A table at a fixed address, or a variable of a program that is not relocated.
          out.reference = displacement;
          if (mem.base != ZYDIS_REGISTER_NONE) add_register(mem.base);
          if (mem.index != ZYDIS_REGISTER_NONE) add_register(mem.index);
        } else {
          if (mem.base != ZYDIS_REGISTER_NONE) add_register(mem.base);
          if (mem.index != ZYDIS_REGISTER_NONE) add_register(mem.index);
          out.has_displacement = true;
          out.displacement = static_cast<int32_t>(mem.disp.value);
        }
        if (mem.segment == ZYDIS_REGISTER_FS) types.add(0xf5);
        if (out.reference != 0 && mem.type == ZYDIS_MEMOP_TYPE_AGEN) out.is_address = true;
        break;
      }
      case ZYDIS_OPERAND_TYPE_IMMEDIATE: {
        const auto value = operand.imm.value.u;
        if (operand.imm.is_relative != 0) {
          out.reference = address + in.length + value;
        } else if (operand.size >= 32 && out.reference == 0 && impl_->is_in_image(value)) {
          out.reference = value;
          out.is_address = true;
        } else {
          add_immediate(operand.imm.value.s);
        }
        break;
      }
      default: break;
    }
  }
  // "mov eax, address" of a fixed program is what "lea rax, [rip+address]" is of another.
  if (out.is_address && (mnemonic == ZYDIS_MNEMONIC_MOV || mnemonic == ZYDIS_MNEMONIC_LEA) &&
      count == 2 && operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
    mnemonic = ZYDIS_MNEMONIC_LEA;
    types = {};
    types.add(1);
  }
  // How much a return takes from the stack is its operand's value, not a type.
  out.types = out.flow == Flow::kReturn ? 0 : types.value();
  const bool repeats = (in.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
                                         ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_HAS_LOCK)) != 0;
  const uint16_t prefix = repeats ? 0x8000 : 0;
  out.opcode = static_cast<uint16_t>(mnemonic | prefix);
  out.group = static_cast<uint16_t>(group_leader(mnemonic, in.meta.category) | prefix);
  return out;
}

}  // namespace twinrun
