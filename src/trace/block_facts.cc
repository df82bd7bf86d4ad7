// SPDX-License-Identifier: MIT
#include "trace/block_facts.h"

#include "trace/ir.h"

#include <cstring>

namespace twinrun {
namespace {

template <typename T>
int64_t relative(ByteSpan code, size_t at) {
  T value;
  std::memcpy(&value, code.data() + at, sizeof value);
  return value;
}

Successors only(uint64_t address) {
  Successors out{.any = false};
  out.add(address);
  return out;
}

bool is_prefix_byte(uint8_t byte) {
  switch (byte) {
    case 0x66:
    case 0x67:
    case 0xf0:
    case 0xf2:
    case 0xf3:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x26:
    case 0x64:
    case 0x65: return true;
    default: return (byte & 0xf0) == 0x40;
  }
}

// Of the side exits that make variants, the positions of their statements.
std::vector<size_t> variant_exits(const IrBlock& ir) {
  std::vector<size_t> out;
  for (size_t i = 0; i < ir.statements.size(); ++i)
    if (ir.statements[i].tag == TW_STMT_EXIT && ir.statements[i].makes_variant) out.push_back(i);
  return out;
}

std::unexpected<Error> bad(std::string what) { return fail("T009", "{}", what); }

Result<void> check_ir(const BlockDef& block, const IrBlock& ir, const std::vector<size_t>& exits,
                      const Dictionary& dictionary) {
  uint32_t begun = 0;
  size_t exit = 0;
  for (size_t i = 0; i < ir.statements.size(); ++i) {
    const IrStatement& s = ir.statements[i];
    if (s.tag == TW_STMT_IMARK) ++begun;
    if (s.tag == TW_STMT_OP && op_name(s.op).empty() && s.cls == TW_CLASS_COMPUTED)
      return bad(fmt::format("operation {} is to be computed but not known", s.op));
    if ((s.tag == TW_STMT_CCALL || s.tag == TW_STMT_DIRTY) && dictionary.helper(s.helper).empty())
      return bad(fmt::format("helper {} is not defined", s.helper));
    if (exit < exits.size() && exits[exit] == i) {
      if (exit + 1 < block.variants && block.begun(static_cast<uint32_t>(exit)) != begun)
        return bad(fmt::format("side exit {} begins {} instructions, its IR says {}", exit,
                               block.begun(static_cast<uint32_t>(exit)), begun));
      ++exit;
    }
  }
  if (begun != block.instructions())
    return bad(fmt::format("it has {} instructions, its IR {}", block.instructions(), begun));
  if (exits.size() + 1 != block.variants)
    return bad(fmt::format("it has {} variants, its IR {}", block.variants, exits.size() + 1));
  return {};
}

Successors successors_of_ir(const BlockDef& block, const IrBlock& ir) {
  if (block.jump == TW_JUMP_SIGNAL || block.jump == TW_JUMP_OTHER || block.jump == TW_JUMP_RETURN)
    return {};
  if (ir.next.kind != IrOperand::Kind::kConstant) return {};
  Successors out = only(ir.next.value);
  for (const IrStatement& s : ir.statements) {
    if (s.tag != TW_STMT_EXIT || s.makes_variant) continue;
    if (s.jump == TW_JUMP_SIGNAL || s.jump == TW_JUMP_OTHER) return {};
    out.add(s.target);
  }
  // An interrupted call is made again.
  if (block.jump == TW_JUMP_SYSCALL) out.add(block.last_instruction().value);
  return out;
}

BlockFacts facts_of_code(const BlockDef& block) {
  BlockFacts out;
  out.variants.resize(block.variants);
  out.variants.back().next = successors_of_code(block);
  if (block.is_rep() && block.variants > 1) {
    out.variants.front().next = only(block.end().value);
    out.variants.back().next.any = false;
    out.variants.back().next.add(block.last_instruction().value);
    out.variants.back().next.add(block.end().value);
  }
  return out;
}

}  // namespace

Successors successors_of_code(const BlockDef& block) {
  const Successors any;
  const uint64_t end = block.end().value;
  if (block.lengths.empty() || (block.flags & TW_BLOCK_NO_DECODE) != 0) return any;
  if (block.jump == TW_JUMP_SYSCALL) {
    Successors out = only(end);
    out.add(block.last_instruction().value);
    return out;
  }
  if (block.jump != TW_JUMP_BORING && block.jump != TW_JUMP_CALL) return any;
  const ByteSpan code = block.bytes.last(block.lengths.back());
  size_t at = 0;
  while (at < code.size() && is_prefix_byte(code[at])) ++at;
  const size_t left = code.size() - at;
  if (left == 0) return any;
  const uint8_t op = code[at];
  const auto either = [&](uint64_t target) {
    Successors out = only(end);
    out.add(target);
    return out;
  };
  if (op == 0xeb && left == 2) return only(end + relative<int8_t>(code, at + 1));
  if ((op == 0xe9 || op == 0xe8) && left == 5) return only(end + relative<int32_t>(code, at + 1));
  if (((op & 0xf0) == 0x70 || (op >= 0xe0 && op <= 0xe3)) && left == 2)
    return either(end + relative<int8_t>(code, at + 1));
  if (op == 0x0f && left == 6 && (code[at + 1] & 0xf0) == 0x80)
    return either(end + relative<int32_t>(code, at + 2));
  // Indirect jumps and calls, returns, far transfers, and what might go back to itself.
  if (op == 0xff || op == 0xc2 || op == 0xc3 || op == 0xca || op == 0xcb || op == 0xcf ||
      op == 0xc7)
    return any;
  if (block.jump == TW_JUMP_CALL) return any;
  Successors out = only(end);
  out.add(block.last_instruction().value);
  return out;
}

Result<BlockFacts> block_facts(const BlockDef& block, const Dictionary& dictionary) {
  if (!block.has_ir()) return facts_of_code(block);
  TRY(const IrBlock ir, decode_ir(block.ir));
  const std::vector<size_t> exits = variant_exits(ir);
  TRY_VOID(check_ir(block, ir, exits, dictionary));
  BlockFacts out;
  const std::vector<IrLoad> loads = loads_of(ir);
  for (const IrLoad& load : loads) out.load_sizes.push_back(load.size);
  if (loads.size() > size_t{1} << TW_MISS_LOAD_BITS) return bad("it has too many loads");
  out.variants.resize(block.variants);
  for (size_t v = 0; v < out.variants.size(); ++v) {
    VariantFacts& variant = out.variants[v];
    const size_t end = v < exits.size() ? exits[v] : ir.statements.size();
    variant.next =
        v < exits.size() ? only(ir.statements[exits[v]].target) : successors_of_ir(block, ir);
    for (const IrLoad& load : loads)
      if (load.statement < end) ++variant.loads;
    const OpaqueSize opaque = opaque_size(ir, end);
    variant.opaque_min = opaque.min;
    variant.opaque_max = opaque.max;
  }
  return out;
}

}  // namespace twinrun
