// SPDX-License-Identifier: MIT
// Through which places did a byte come that nobody has changed?
//
// Copies take different ways in two runs although they do the same: memcpy() of 31 bytes and of 32
// have no instruction in common. What differs then is not the copy but what was copied, so the
// byte is followed from its store to its load, through moves between registers and lanes, and on to
// who wrote it there. A byte that is anything but moved ends the way.
//
// Costs one look for the last writer for each copy.
#include "explain/graph/copies.h"

#include "format/registers.h"
#include "values/byte_flow.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <string_view>

namespace twinrun {
namespace {

/// Operations whose result has, at each byte, a byte of an operand, or zero.
bool moves_bytes(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kMoves = {"64HLto", "V128HLto", "Interleave",
                                                             "64x4to", "Shl64",    "Shr64"};
  if (std::ranges::any_of(kMoves, [&](std::string_view one) { return name.starts_with(one); }))
    return true;
  // Widening and narrowing: 8Uto32, 64to8, V128to64, V256toV128_1; but not I32StoF64.
  return name.find("to") != std::string_view::npos && name.find('F') == std::string_view::npos &&
         name.find('D') == std::string_view::npos;
}

/// A byte of a statement's result.
struct At {
  uint32_t statement = 0;
  uint32_t byte = 0;
};

/// The statement of the same block that the byte comes from; nothing: it is changed there.
std::optional<At> moved_from(const BlockFlow& flow, At at) {
  const IrStatement& st = flow.ir.statements[at.statement];
  const auto defined = [&](uint32_t operand, uint32_t byte) -> std::optional<At> {
    const IrOperand& what = flow.ir.operands[st.operands + operand];
    if (what.kind != IrOperand::Kind::kTemp || flow.definition_of[what.value] == ~0u)
      return std::nullopt;
    return At{flow.definition_of[what.value], byte};
  };
  switch (st.tag) {
    case TW_STMT_PUT:
    case TW_STMT_MOVE: return defined(0, at.byte);
    case TW_STMT_STORE: return defined(1, at.byte);
    case TW_STMT_OP: break;
    default: return std::nullopt;
  }
  const std::string_view name = op_name(st.op);
  if (!moves_bytes(name)) return std::nullopt;
  std::optional<At> out;
  for (uint32_t i = 0; i < st.operand_count; ++i) {
    const ByteMask bytes = operand_bytes(flow.ir, st, i, byte_mask(at.byte, 1));
    if (bytes == 0 || flow.ir.operands[st.operands + i].kind == IrOperand::Kind::kConstant)
      continue;
    if (out || std::popcount(bytes) != 1) return std::nullopt;
    const auto byte = static_cast<uint32_t>(std::countr_zero(bytes));
    // The sign of a number is none of its bytes.
    if (name.find("Sto") != std::string_view::npos && byte != at.byte) return std::nullopt;
    out = defined(i, byte);
    if (!out) return std::nullopt;
  }
  return out;
}

}  // namespace

Result<std::optional<CopiedByte>> copied_from(ProcessView& view, const LastWriter& writer,
                                              const BytesOf& byte) {
  if (writer.kind != LastWriter::Kind::kStatement) return std::nullopt;
  TRY(const BlockFlow* flow, view.slicer.flow_at(writer.block));
  TRY(const ByteMask first, view.slicer.result_bytes(writer, byte.in_memory, byte.where, 1));
  At at{writer.statement, 0};
  if (first != kAllBytes) {
    if (std::popcount(first) != 1) return std::nullopt;
    at.byte = static_cast<uint32_t>(std::countr_zero(first));
  }
  BytesOf from{.size = 1};
  for (bool is_found = false; !is_found;) {
    const IrStatement& st = flow->ir.statements[at.statement];
    if (st.tag == TW_STMT_GET) {
      from.where = st.offset + at.byte;
      is_found = true;
    } else if (st.tag == TW_STMT_LOAD) {
      TRY(const SegmentValues* segment, view.values->segment(writer.block.segment));
      const auto& accesses = flow->accesses_of[at.statement];
      if (accesses.first == accesses.end || flow->code->accesses[accesses.first].size <= at.byte)
        return std::nullopt;
      const uint32_t number = segment->first_access[writer.block.ordinal] + accesses.first;
      from.in_memory = true;
      from.where = segment->addresses[number] + at.byte;
      is_found = true;
    } else {
      // Each statement uses earlier ones, so this ends.
      const auto before = moved_from(*flow, at);
      if (!before) return std::nullopt;
      at = *before;
    }
  }
  LastWriters& writers = view.slicer.writers();
  const Moment moment{writer.block, at.statement};
  TRY(const auto found, from.in_memory
                            ? writers.memory(moment, from.where, 1)
                            : writers.registers(moment, static_cast<uint32_t>(from.where), 1));
  if (found.empty()) return std::nullopt;
  return CopiedByte{from, found[0].writer};
}

bool only_moves(const BlockFlow& flow, uint32_t instruction) {
  std::vector<bool> loaded(flow.ir.types.size());
  std::set<uint32_t> in_register;  // by where it begins
  for (size_t i = 0; i < flow.ir.statements.size(); ++i) {
    const IrStatement& st = flow.ir.statements[i];
    const auto is_loaded = [&](uint32_t operand) {
      const IrOperand& what = flow.ir.operands[st.operands + operand];
      return what.kind == IrOperand::Kind::kTemp && loaded[what.value];
    };
    bool any = false;
    for (uint32_t k = 0; k < st.operand_count; ++k) any = any || is_loaded(k);
    switch (st.tag) {
      case TW_STMT_LOAD:
        if (any) return false;  // an address
        if (flow.instruction_of[i] == instruction) loaded[st.dst] = true;
        break;
      case TW_STMT_MOVE: loaded[st.dst] = any; break;
      case TW_STMT_GET: loaded[st.dst] = in_register.contains(st.offset); break;
      case TW_STMT_PUT:
        // What flags are made of is looked at.
        if (any && st.offset >= reg::kCcOp && st.offset <= reg::kCcNdep) return false;
        if (any)
          in_register.insert(st.offset);
        else
          in_register.erase(st.offset);
        break;
      case TW_STMT_STORE:
        if (is_loaded(0)) return false;
        break;
      case TW_STMT_OP:
        if (any && !moves_bytes(op_name(st.op))) return false;
        loaded[st.dst] = any;
        break;
      case TW_STMT_IMARK:
      case TW_STMT_PUTI:
      case TW_STMT_GETI:
      case TW_STMT_ITE:
      case TW_STMT_CCALL:
      case TW_STMT_DIRTY:
      case TW_STMT_CAS:
      case TW_STMT_LOADG:
      case TW_STMT_STOREG:
      case TW_STMT_EXIT:
      case TW_STMT_FENCE:
        if (any) return false;
        break;
    }
  }
  return true;
}

}  // namespace twinrun
