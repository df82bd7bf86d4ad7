// SPDX-License-Identifier: MIT
#include "program/disassembler.h"

#include "base/check.h"

#include <Zydis/Zydis.h>

#include <array>

namespace twinrun {

struct Disassembler::Impl {
  ZydisDecoder decoder;
  ZydisFormatter formatter;
};

Disassembler::Disassembler() : impl_(std::make_unique<Impl>()) {
  CHECK(ZYAN_SUCCESS(
      ZydisDecoderInit(&impl_->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
  CHECK(ZYAN_SUCCESS(ZydisFormatterInit(&impl_->formatter, ZYDIS_FORMATTER_STYLE_INTEL)));
  ZydisFormatterSetProperty(&impl_->formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
  ZydisFormatterSetProperty(&impl_->formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
                            ZYDIS_PADDING_DISABLED);
  ZydisFormatterSetProperty(&impl_->formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
                            ZYDIS_PADDING_DISABLED);
  ZydisFormatterSetProperty(&impl_->formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING,
                            ZYDIS_PADDING_DISABLED);
}

Disassembler::~Disassembler() = default;

std::string Disassembler::text(ByteSpan code, Addr address) const {
  ZydisDecodedInstruction instruction;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
  std::array<char, 256> out{};
  if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&impl_->decoder, code.data(), code.size(), &instruction,
                                          operands.data())) &&
      ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&impl_->formatter, &instruction, operands.data(),
                                                   instruction.operand_count_visible, out.data(),
                                                   out.size(), address.value, nullptr)))
    return out.data();
  return "(bad)";
}

}  // namespace twinrun
