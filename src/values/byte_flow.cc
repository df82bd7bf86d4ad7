// SPDX-License-Identifier: MIT
// What an operation does to bytes follows from its name, which is VEX's: `64HLtoV128` joins two
// halves, `Add16x8` works on eight lanes of two bytes. The names are read once, into a table.
#include "values/byte_flow.h"

#include <charconv>
#include <string_view>
#include <vector>

namespace twinrun {
namespace {

enum class Shape : uint8_t {
  kAll,         // any byte depends on any
  kSame,        // byte n on byte n
  kPart,        // a part of the operand, `by` bytes from its beginning
  kJoin,        // operands are joined, the highest first, each of `size` bytes
  kWiden,       // zeroes above `size` bytes
  kSignWiden,   // copies of the sign above `size` bytes
  kReplaceLow,  // the low `size` bytes of the first operand are replaced by the second
  kUpward,      // carries go up: byte n depends on bytes up to n
  kLanes,       // of `size` bytes
  kLanesByN,    // lanes in the first operand, all of them by the second
  kShl,
  kShr,
  kSar,
};

struct Rule {
  Shape shape = Shape::kAll;
  uint8_t size = 0;
  uint8_t by = 0;
};

/// "16x8" at the end of a name, behind one of these words and perhaps a sign: size of a lane.
uint8_t lane_size(std::string_view name, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (!name.starts_with(word)) continue;
    std::string_view rest = name.substr(word.size());
    unsigned bits = 0;
    const auto number = std::from_chars(rest.begin(), rest.end(), bits);
    if (number.ec != std::errc() || (bits != 8 && bits != 16 && bits != 32 && bits != 64)) continue;
    rest = rest.substr(static_cast<size_t>(number.ptr - rest.begin()));
    if (rest.starts_with('S') || rest.starts_with('U')) rest = rest.substr(1);
    unsigned count = 0;
    if (!rest.starts_with('x')) continue;
    const auto lanes = std::from_chars(rest.begin() + 1, rest.end(), count);
    if (lanes.ec == std::errc() && lanes.ptr == rest.end()) return static_cast<uint8_t>(bits / 8);
  }
  return 0;
}

/// Bits of a name like "Shl32"; 0 when it is not one.
unsigned bits_behind(std::string_view name, std::string_view word) {
  if (!name.starts_with(word)) return 0;
  const std::string_view rest = name.substr(word.size());
  unsigned bits = 0;
  const auto number = std::from_chars(rest.begin(), rest.end(), bits);
  return number.ec == std::errc() && number.ptr == rest.end() ? bits : 0;
}

struct Named {
  std::string_view name;
  Rule rule;
};

constexpr Named kNamed[] = {
    {"64to8", {Shape::kPart}},
    {"32to8", {Shape::kPart}},
    {"64to16", {Shape::kPart}},
    {"16to8", {Shape::kPart}},
    {"32to16", {Shape::kPart}},
    {"64to32", {Shape::kPart}},
    {"128to64", {Shape::kPart}},
    {"V128to64", {Shape::kPart}},
    {"V128to32", {Shape::kPart}},
    {"V256toV128_0", {Shape::kPart}},
    {"V256to64_0", {Shape::kPart}},
    {"16HIto8", {Shape::kPart, 0, 1}},
    {"32HIto16", {Shape::kPart, 0, 2}},
    {"64HIto32", {Shape::kPart, 0, 4}},
    {"128HIto64", {Shape::kPart, 0, 8}},
    {"V128HIto64", {Shape::kPart, 0, 8}},
    {"V256toV128_1", {Shape::kPart, 0, 16}},
    {"V256to64_1", {Shape::kPart, 0, 8}},
    {"V256to64_2", {Shape::kPart, 0, 16}},
    {"V256to64_3", {Shape::kPart, 0, 24}},
    {"8HLto16", {Shape::kJoin, 1, 2}},
    {"16HLto32", {Shape::kJoin, 2, 2}},
    {"32HLto64", {Shape::kJoin, 4, 2}},
    {"64HLto128", {Shape::kJoin, 8, 2}},
    {"64HLtoV128", {Shape::kJoin, 8, 2}},
    {"V128HLtoV256", {Shape::kJoin, 16, 2}},
    {"64x4toV256", {Shape::kJoin, 8, 4}},
    {"8Uto16", {Shape::kWiden, 1}},
    {"8Uto32", {Shape::kWiden, 1}},
    {"8Uto64", {Shape::kWiden, 1}},
    {"16Uto32", {Shape::kWiden, 2}},
    {"16Uto64", {Shape::kWiden, 2}},
    {"32Uto64", {Shape::kWiden, 4}},
    {"64UtoV128", {Shape::kWiden, 8}},
    {"32UtoV128", {Shape::kWiden, 4}},
    {"ZeroHI64ofV128", {Shape::kWiden, 8}},
    {"ZeroHI96ofV128", {Shape::kWiden, 4}},
    {"ZeroHI112ofV128", {Shape::kWiden, 2}},
    {"ZeroHI120ofV128", {Shape::kWiden, 1}},
    {"8Sto16", {Shape::kSignWiden, 1}},
    {"8Sto32", {Shape::kSignWiden, 1}},
    {"8Sto64", {Shape::kSignWiden, 1}},
    {"16Sto32", {Shape::kSignWiden, 2}},
    {"16Sto64", {Shape::kSignWiden, 2}},
    {"32Sto64", {Shape::kSignWiden, 4}},
    {"SetV128lo64", {Shape::kReplaceLow, 8}},
    {"SetV128lo32", {Shape::kReplaceLow, 4}},
    {"ReinterpV128asI128", {Shape::kSame}},
    {"ReinterpI128asV128", {Shape::kSame}},
    {"ReinterpF64asI64", {Shape::kSame}},
    {"ReinterpI64asF64", {Shape::kSame}},
    {"ReinterpF32asI32", {Shape::kSame}},
    {"ReinterpI32asF32", {Shape::kSame}},
};

Rule rule_of(std::string_view name) {
  for (const Named& named : kNamed) {
    if (named.name == name) return named.rule;
  }
  for (const std::string_view word : {"And", "Or", "Xor", "Not"}) {
    if (bits_behind(name, word) >= 8 || bits_behind(name, std::string(word) + "V") >= 128)
      return {Shape::kSame};
  }
  for (const std::string_view word : {"Add", "Sub", "Mul"}) {
    if (bits_behind(name, word) >= 8) return {Shape::kUpward};
  }
  if (const unsigned bits = bits_behind(name, "Shl")) return {Shape::kShl, uint8_t(bits / 8)};
  if (const unsigned bits = bits_behind(name, "Shr")) return {Shape::kShr, uint8_t(bits / 8)};
  if (const unsigned bits = bits_behind(name, "Sar")) return {Shape::kSar, uint8_t(bits / 8)};
  if (const uint8_t size = lane_size(name, {"ShlN", "ShrN", "SarN"}))
    return {Shape::kLanesByN, size};
  if (const uint8_t size = lane_size(name, {"Add", "Sub", "QAdd", "QSub", "CmpEQ", "CmpGT",
                                            "CmpNEZ", "Max", "Min", "Avg", "Abs", "Mul", "MulHi"}))
    return {Shape::kLanes, size};
  return {};
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> kTable = [] {
    std::vector<Rule> out;
#define OP(name, number, computed)                      \
  if (out.size() <= (number)) out.resize((number) + 1); \
  out[number] = rule_of(#name);
#include "format/ir_ops.def"
#undef OP
    return out;
  }();
  return kTable;
}

ByteMask upward(ByteMask wanted) { return wanted == 0 ? 0 : kAllBytes >> __builtin_clzll(wanted); }

ByteMask lanes(ByteMask wanted, uint8_t size) {
  ByteMask out = 0;
  for (uint32_t first = 0; first < 64; first += size) {
    const ByteMask lane = byte_mask(first, size);
    if ((wanted & lane) != 0) out |= lane;
  }
  return out;
}

/// The bytes that a shift by a constant brings to the wanted ones.
ByteMask shifted(Shape shape, uint8_t size, uint64_t by, ByteMask wanted) {
  const ByteMask whole = byte_mask(0, size);
  wanted &= whole;
  if (wanted == 0) return 0;
  const auto bytes = static_cast<uint32_t>(by / 8);
  const bool between = by % 8 != 0;  // a byte comes from two
  if (by >= uint64_t{size} * 8) return shape == Shape::kSar ? byte_mask(size - 1u, 1) : 0;
  if (shape == Shape::kShl) {
    const ByteMask from = wanted >> bytes;
    return from | (between ? wanted >> (bytes + 1) : 0);
  }
  const ByteMask from = wanted << bytes;
  ByteMask out = (from | (between ? from << 1 : 0)) & whole;
  // Copies of the sign come in from above.
  if (shape == Shape::kSar && ((from | from << 1) & ~whole) != 0) out |= byte_mask(size - 1u, 1);
  return out;
}

}  // namespace

ByteMask operation_bytes(uint16_t op, uint32_t operand, ByteMask wanted, uint64_t shift) {
  if (wanted == 0) return 0;
  const Rule rule = op < rules().size() ? rules()[op] : Rule{};
  switch (rule.shape) {
    case Shape::kAll: return kAllBytes;
    case Shape::kSame: return wanted;
    case Shape::kPart: return wanted << rule.by;
    case Shape::kJoin:
      return wanted >> (rule.size * (rule.by - 1u - operand)) & byte_mask(0, rule.size);
    case Shape::kWiden: return wanted & byte_mask(0, rule.size);
    case Shape::kSignWiden: {
      const ByteMask low = byte_mask(0, rule.size);
      return (wanted & low) | ((wanted & ~low) != 0 ? byte_mask(rule.size - 1u, 1) : 0);
    }
    case Shape::kReplaceLow: {
      const ByteMask low = byte_mask(0, rule.size);
      return operand == 0 ? wanted & ~low : wanted & low;
    }
    case Shape::kUpward: return upward(wanted);
    case Shape::kLanes: return lanes(wanted, rule.size);
    case Shape::kLanesByN: return operand == 0 ? lanes(wanted, rule.size) : kAllBytes;
    case Shape::kShl:
    case Shape::kShr:
    case Shape::kSar:
      return operand != 0 || shift == kNoShift ? kAllBytes
                                               : shifted(rule.shape, rule.size, shift, wanted);
  }
  return kAllBytes;
}

ByteMask operand_bytes(const IrBlock& block, const IrStatement& statement, uint32_t operand,
                       ByteMask wanted) {
  if (wanted == 0) return 0;
  switch (statement.tag) {
    case TW_STMT_PUT:
    case TW_STMT_MOVE: return wanted;
    case TW_STMT_STORE:
    case TW_STMT_STOREG: return operand == 1 ? wanted : kAllBytes;
    case TW_STMT_ITE: return operand == 0 ? kAllBytes : wanted;
    case TW_STMT_OP: {
      uint64_t shift = kNoShift;
      if (statement.operand_count == 2) {
        const IrOperand& by = block.operands[statement.operands + 1];
        if (by.kind == IrOperand::Kind::kConstant) shift = by.value;
      }
      return operation_bytes(statement.op, operand, wanted, shift);
    }
    case TW_STMT_IMARK:
    case TW_STMT_PUTI:
    case TW_STMT_GET:
    case TW_STMT_GETI:
    case TW_STMT_LOAD:
    case TW_STMT_LOADG:
    case TW_STMT_CAS:
    case TW_STMT_CCALL:
    case TW_STMT_DIRTY:
    case TW_STMT_EXIT:
    case TW_STMT_FENCE: break;
  }
  return kAllBytes;
}

ByteMask loaded_bytes(const IrStatement& statement, ByteMask wanted) {
  return statement.tag == TW_STMT_LOAD ? wanted : kAllBytes;
}

}  // namespace twinrun
