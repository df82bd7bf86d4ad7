// SPDX-License-Identifier: MIT
// A stack machine (DWARF 5, section 2.5). Values are 64 bits with an optional base type; arithmetic
// on integers of a type wraps at its size, arithmetic on floating point is left out (compilers use
// such types only to move a value). The result is a value on the stack (an address, or with
// DW_OP_stack_value the value itself), a register, or pieces of those.
#include "program/dwarf_expression.h"

#include <dwarf.h>

namespace twinrun {
namespace {

constexpr int kMostOperations = 10'000;
constexpr size_t kMostStack = 1024;
constexpr size_t kMostPieces = 1024;

int64_t signed_leb(ByteReader& in) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = in.fixed<uint8_t>();
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      break;
    }
  }
  return static_cast<int64_t>(value);
}

// Of a value on the stack. Size 8 and no float is also what untyped values behave like.
struct ValueType {
  uint64_t size = 8;
  bool is_signed = false;
  bool is_float = false;
  bool is_generic = true;
};

struct Entry {
  uint64_t value = 0;
  ValueType type;
};

class Machine {
 public:
  Machine(ByteSpan expression, const ExpressionContext& context)
      : whole_(expression), in_(expression), context_(context) {}

  Location run() {
    if (whole_.empty()) return Location::unavailable("optimized out");
    while (at() < whole_.size()) {
      if (++steps_ > kMostOperations) return Location::unavailable("its location does not end");
      const auto op = in_.fixed<uint8_t>();
      if (!step(op)) return Location::unavailable(reason_);
      if (in_.failed()) return Location::unavailable("its location is damaged");
      if (stack_.size() > kMostStack || pieces_.size() > kMostPieces)
        return Location::unavailable("its location is too complex");
    }
    if (!pieces_.empty()) {
      if (simple_ || !stack_.empty()) return Location::unavailable("its location is damaged");
      Location out;
      out.kind = Location::Kind::kComposite;
      out.pieces = std::move(pieces_);
      return out;
    }
    return finish_simple();
  }

 private:
  [[nodiscard]] size_t at() const { return start_ + in_.position(); }

  bool give_up(std::string why) {
    reason_ = std::move(why);
    return false;
  }

  // What the operations since the last piece describe.
  Location finish_simple() {
    if (simple_) {
      Location out = std::move(*simple_);
      simple_.reset();
      stack_.clear();
      return out;
    }
    if (stack_.empty()) return Location::unavailable("optimized out");
    const Entry top = stack_.back();
    stack_.clear();
    return Location::in_memory(top.value);
  }

  static Bytes bytes_of(const Entry& entry) {
    Bytes out(8);
    uint64_t value = entry.value;
    if (!entry.type.is_generic && entry.type.is_signed && entry.type.size < 8) value = widen(entry);
    std::memcpy(out.data(), &value, 8);
    return out;
  }

  static uint64_t widen(const Entry& entry) {
    if (entry.type.size >= 8 || entry.type.size == 0) return entry.value;
    const unsigned shift = 64 - 8 * static_cast<unsigned>(entry.type.size);
    if (entry.type.is_signed)
      return static_cast<uint64_t>(static_cast<int64_t>(entry.value << shift) >> shift);
    return entry.value << shift >> shift;
  }

  void push(uint64_t value, ValueType type = {}) {
    Entry entry{value, type};
    if (!type.is_generic && !type.is_float) entry.value = widen(entry);
    stack_.push_back(entry);
  }
  bool pop(Entry& out) {
    if (stack_.empty()) return give_up("its location is damaged");
    out = stack_.back();
    stack_.pop_back();
    return true;
  }

  bool push_reg(unsigned number, int64_t offset) {
    const auto value = context_.source->reg(number);
    if (!value) return give_up(fmt::format("register {} is not known", number));
    push(*value + static_cast<uint64_t>(offset));
    return true;
  }

  bool in_reg(unsigned number) {
    Location out;
    out.kind = Location::Kind::kRegister;
    out.reg = number;
    simple_ = std::move(out);
    return true;
  }

  bool deref(uint64_t size, ValueType type) {
    Entry address;
    if (!pop(address)) return false;
    if (size == 0 || size > 8) return give_up("its location reads more than 8 bytes");
    uint64_t value = 0;
    if (!context_.source->memory(address.value, {reinterpret_cast<uint8_t*>(&value), size}))
      return give_up(fmt::format("memory at {:#x} is not known", address.value));
    push(value, type);
    return true;
  }

  // A base type by its offset in the unit; 0 is the untyped one.
  bool base_type(uint64_t offset, ValueType& out) {
    out = {};
    if (offset == 0) return true;
    if (context_.unit == nullptr) return give_up("its location needs a type");
    Dwarf_Die root = context_.unit->root;
    Dwarf_Die die;
    const Dwarf_Off unit = dwarf_dieoffset(&root) - dwarf_cuoffset(&root);
    if (dwarf_offdie(context_.unit->dwarf, unit + offset, &die) == nullptr ||
        dwarf_tag(&die) != DW_TAG_base_type)
      return give_up("its location needs a type that is not there");
    const uint64_t encoding = number_of(die, DW_AT_encoding).value_or(0);
    out.size = number_of(die, DW_AT_byte_size).value_or(0);
    out.is_generic = false;
    out.is_float = encoding == DW_ATE_float;
    out.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    if (out.size == 0 || out.size > 8) return give_up("its location needs more than 8 bytes");
    return true;
  }

  bool unary(uint8_t op) {
    Entry a;
    if (!pop(a)) return false;
    if (a.type.is_float) return give_up("its location computes with floating point");
    const auto value = static_cast<int64_t>(a.value);
    switch (op) {
      case DW_OP_abs: push(value < 0 ? 0 - a.value : a.value, a.type); break;
      case DW_OP_neg: push(0 - a.value, a.type); break;
      default: push(~a.value, a.type); break;
    }
    return true;
  }

  bool binary(uint8_t op) {
    Entry b;
    Entry a;
    if (!pop(b) || !pop(a)) return false;
    if (a.type.is_float || b.type.is_float)
      return give_up("its location computes with floating point");
    const bool is_signed = a.type.is_generic || a.type.is_signed;
    const auto sa = static_cast<int64_t>(a.value);
    const auto sb = static_cast<int64_t>(b.value);
    const unsigned width = a.type.is_generic ? 64 : 8 * static_cast<unsigned>(a.type.size);
    const auto compare = [&](auto test) {
      push(is_signed ? test(sa, sb) : test(a.value, b.value));
    };
    switch (op) {
      case DW_OP_and: push(a.value & b.value, a.type); break;
      case DW_OP_or: push(a.value | b.value, a.type); break;
      case DW_OP_xor: push(a.value ^ b.value, a.type); break;
      case DW_OP_plus: push(a.value + b.value, a.type); break;
      case DW_OP_minus: push(a.value - b.value, a.type); break;
      case DW_OP_mul: push(a.value * b.value, a.type); break;
      case DW_OP_div:
      case DW_OP_mod: {
        if (b.value == 0) return give_up("its location divides by 0");
        // The untyped remainder is unsigned, the untyped quotient signed.
        const bool as_signed = op == DW_OP_div ? is_signed : !a.type.is_generic && a.type.is_signed;
        if (as_signed && sb == -1)
          push(op == DW_OP_div ? 0 - a.value : 0, a.type);
        else if (as_signed)
          push(static_cast<uint64_t>(op == DW_OP_div ? sa / sb : sa % sb), a.type);
        else
          push(op == DW_OP_div ? a.value / b.value : a.value % b.value, a.type);
        break;
      }
      case DW_OP_shl: push(b.value < width ? a.value << b.value : 0, a.type); break;
      case DW_OP_shr: {
        const uint64_t plain = width < 64 ? a.value & ((uint64_t{1} << width) - 1) : a.value;
        push(b.value < width ? plain >> b.value : 0, a.type);
        break;
      }
      case DW_OP_shra:
        push(static_cast<uint64_t>(sa >> (b.value < 64 ? b.value : 63)), a.type);
        break;
      case DW_OP_eq: push(a.value == b.value ? 1 : 0); break;
      case DW_OP_ne: push(a.value != b.value ? 1 : 0); break;
      case DW_OP_ge: compare([](auto x, auto y) { return uint64_t{x >= y}; }); break;
      case DW_OP_gt: compare([](auto x, auto y) { return uint64_t{x > y}; }); break;
      case DW_OP_le: compare([](auto x, auto y) { return uint64_t{x <= y}; }); break;
      default: compare([](auto x, auto y) { return uint64_t{x < y}; }); break;
    }
    return true;
  }

  bool jump(int16_t distance) {
    const auto target = static_cast<int64_t>(at()) + distance;
    if (target < 0 || static_cast<size_t>(target) > whole_.size())
      return give_up("its location is damaged");
    start_ = static_cast<size_t>(target);
    in_ = ByteReader(whole_.subspan(start_));
    return true;
  }

  bool entry_value(ByteSpan inner) {
    ByteReader in(inner);
    const auto op = in.fixed<uint8_t>();
    std::optional<unsigned> reg;
    if (op >= DW_OP_reg0 && op <= DW_OP_reg31) reg = op - DW_OP_reg0;
    if (op == DW_OP_regx) reg = static_cast<unsigned>(in.varint());
    ValueType type;
    if (op == DW_OP_regval_type || op == DW_OP_GNU_regval_type) {
      reg = static_cast<unsigned>(in.varint());
      if (!base_type(in.varint(), type)) return false;
    }
    if (reg && in.at_end() && !in.failed()) {
      auto value = context_.source->entry_reg(*reg);
      if (!value && context_.entry_reg) value = context_.entry_reg(*reg);
      if (value) {
        push(*value, type);
        return true;
      }
    }
    return give_up("only its value at the entry of the function is known");
  }

  bool piece(uint64_t bits, uint64_t bit_offset) {
    if (bits > (uint64_t{1} << 23) || bit_offset > (uint64_t{1} << 23))
      return give_up("its location is damaged");
    Location where =
        simple_ || !stack_.empty() ? finish_simple() : Location::unavailable("optimized out");
    pieces_.push_back({std::move(where), bits, bit_offset});
    return true;
  }

  bool push_address(std::optional<uint64_t> address, bool is_relocated) {
    if (!address) return give_up("its address is missing");
    push(*address + (is_relocated ? context_.source->load_bias() : 0));
    return true;
  }

  bool step(uint8_t op) {
    // A register or value ends its description: only a piece can follow.
    if (simple_ && op != DW_OP_piece && op != DW_OP_bit_piece && op != DW_OP_nop)
      return give_up("its location is damaged");
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31) return push(op - DW_OP_lit0), true;
    if (op >= DW_OP_reg0 && op <= DW_OP_reg31) return in_reg(op - DW_OP_reg0);
    if (op >= DW_OP_breg0 && op <= DW_OP_breg31) return push_reg(op - DW_OP_breg0, signed_leb(in_));
    switch (op) {
      case DW_OP_nop: return true;
      case DW_OP_addr: return push_address(in_.fixed<uint64_t>(), true);
      case DW_OP_const1u: return push(in_.fixed<uint8_t>()), true;
      case DW_OP_const1s: return push(static_cast<uint64_t>(int64_t{in_.fixed<int8_t>()})), true;
      case DW_OP_const2u: return push(in_.fixed<uint16_t>()), true;
      case DW_OP_const2s: return push(static_cast<uint64_t>(int64_t{in_.fixed<int16_t>()})), true;
      case DW_OP_const4u: return push(in_.fixed<uint32_t>()), true;
      case DW_OP_const4s: return push(static_cast<uint64_t>(int64_t{in_.fixed<int32_t>()})), true;
      case DW_OP_const8u:
      case DW_OP_const8s: return push(in_.fixed<uint64_t>()), true;
      case DW_OP_constu: return push(in_.varint()), true;
      case DW_OP_consts: return push(static_cast<uint64_t>(signed_leb(in_))), true;
      case DW_OP_plus_uconst: {
        Entry a;
        const uint64_t more = in_.varint();
        if (!pop(a)) return false;
        if (a.type.is_float) return give_up("its location computes with floating point");
        push(a.value + more, a.type);
        return true;
      }
      case DW_OP_abs:
      case DW_OP_neg:
      case DW_OP_not: return unary(op);
      case DW_OP_and:
      case DW_OP_or:
      case DW_OP_xor:
      case DW_OP_plus:
      case DW_OP_minus:
      case DW_OP_mul:
      case DW_OP_div:
      case DW_OP_mod:
      case DW_OP_shl:
      case DW_OP_shr:
      case DW_OP_shra:
      case DW_OP_eq:
      case DW_OP_ne:
      case DW_OP_ge:
      case DW_OP_gt:
      case DW_OP_le:
      case DW_OP_lt: return binary(op);
      default: return step_stack(op);
    }
  }

  bool step_stack(uint8_t op) {
    const auto pick = [&](size_t depth) {
      if (depth >= stack_.size()) return give_up("its location is damaged");
      stack_.push_back(stack_[stack_.size() - 1 - depth]);
      return true;
    };
    switch (op) {
      case DW_OP_dup: return pick(0);
      case DW_OP_over: return pick(1);
      case DW_OP_pick: return pick(in_.fixed<uint8_t>());
      case DW_OP_drop: {
        Entry gone;
        return pop(gone);
      }
      case DW_OP_swap:
        if (stack_.size() < 2) return give_up("its location is damaged");
        std::swap(stack_[stack_.size() - 1], stack_[stack_.size() - 2]);
        return true;
      case DW_OP_rot:
        if (stack_.size() < 3) return give_up("its location is damaged");
        std::rotate(stack_.end() - 3, stack_.end() - 1, stack_.end());
        return true;
      case DW_OP_deref: return deref(8, {});
      case DW_OP_deref_size: return deref(in_.fixed<uint8_t>(), {});
      case DW_OP_skip: return jump(in_.fixed<int16_t>());
      case DW_OP_bra: {
        const auto distance = in_.fixed<int16_t>();
        Entry condition;
        if (!pop(condition)) return false;
        return condition.value == 0 || jump(distance);
      }
      default: return step_location(op);
    }
  }

  bool step_location(uint8_t op) {
    switch (op) {
      case DW_OP_regx: return in_reg(static_cast<unsigned>(in_.varint()));
      case DW_OP_bregx: {
        const auto number = static_cast<unsigned>(in_.varint());
        return push_reg(number, signed_leb(in_));
      }
      case DW_OP_fbreg: {
        const int64_t offset = signed_leb(in_);
        const auto base = context_.frame_base ? context_.frame_base() : std::nullopt;
        if (!base) return give_up("the address of its frame is not known");
        push(*base + static_cast<uint64_t>(offset));
        return true;
      }
      case DW_OP_call_frame_cfa: {
        const auto cfa = context_.call_frame_address ? context_.call_frame_address() : std::nullopt;
        if (!cfa) return give_up("the address of its frame is not known");
        push(*cfa);
        return true;
      }
      case DW_OP_piece: return piece(std::min<uint64_t>(in_.varint(), 1 << 24) * 8, 0);
      case DW_OP_bit_piece: {
        const uint64_t bits = in_.varint();
        return piece(bits, in_.varint());
      }
      case DW_OP_stack_value: {
        Entry top;
        if (!pop(top)) return false;
        Location out;
        out.kind = Location::Kind::kValue;
        out.value = bytes_of(top);
        simple_ = std::move(out);
        return true;
      }
      case DW_OP_implicit_value: {
        const ByteSpan bytes = in_.take(in_.varint());
        Location out;
        out.kind = Location::Kind::kValue;
        out.value.assign(bytes.begin(), bytes.end());
        simple_ = std::move(out);
        return true;
      }
      case DW_OP_implicit_pointer:
      case DW_OP_GNU_implicit_pointer: return give_up("it points to an object without an address");
      case DW_OP_entry_value:
      case DW_OP_GNU_entry_value: return entry_value(in_.take(in_.varint()));
      case DW_OP_addrx:
      case DW_OP_GNU_addr_index:
      case DW_OP_constx:
      case DW_OP_GNU_const_index: {
        const uint64_t index = in_.varint();
        const bool is_address = op == DW_OP_addrx || op == DW_OP_GNU_addr_index;
        return push_address(context_.unit != nullptr ? context_.unit->address(index) : std::nullopt,
                            is_address);
      }
      case DW_OP_form_tls_address:
      case DW_OP_GNU_push_tls_address: {
        Entry offset;
        if (!pop(offset)) return false;
        const auto address = context_.source->tls_address(offset.value);
        if (!address) return give_up("where its thread keeps it is not known");
        push(*address);
        return true;
      }
      default: return step_typed(op);
    }
  }

  bool step_typed(uint8_t op) {
    ValueType type;
    switch (op) {
      case DW_OP_const_type:
      case DW_OP_GNU_const_type: {
        if (!base_type(in_.varint(), type)) return false;
        const ByteSpan bytes = in_.take(in_.fixed<uint8_t>());
        if (bytes.size() > 8) return give_up("its location needs more than 8 bytes");
        uint64_t value = 0;
        if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
        push(value, type);
        return true;
      }
      case DW_OP_regval_type:
      case DW_OP_GNU_regval_type: {
        const auto number = static_cast<unsigned>(in_.varint());
        if (!base_type(in_.varint(), type)) return false;
        const auto value = context_.source->reg(number);
        if (!value) return give_up(fmt::format("register {} is not known", number));
        push(*value, type);
        return true;
      }
      case DW_OP_deref_type:
      case DW_OP_GNU_deref_type: {
        const auto size = in_.fixed<uint8_t>();
        return base_type(in_.varint(), type) && deref(size, type);
      }
      case DW_OP_convert:
      case DW_OP_GNU_convert:
      case DW_OP_reinterpret:
      case DW_OP_GNU_reinterpret: {
        Entry top;
        if (!base_type(in_.varint(), type) || !pop(top)) return false;
        const bool only_renames = op == DW_OP_reinterpret || op == DW_OP_GNU_reinterpret;
        if (!only_renames && top.type.is_float != type.is_float)
          return give_up("its location computes with floating point");
        if (!only_renames && top.type.is_float && top.type.size != type.size)
          return give_up("its location computes with floating point");
        push(top.value, type);
        return true;
      }
      default:
        return give_up(fmt::format("its location uses operation {:#x}, which is not supported",
                                   static_cast<unsigned>(op)));
    }
  }

  ByteSpan whole_;
  size_t start_ = 0;  // of in_ within whole_
  ByteReader in_;
  const ExpressionContext& context_;
  std::vector<Entry> stack_;
  std::optional<Location> simple_;  // a register or value, waiting for the end or a piece
  std::vector<LocationPiece> pieces_;
  std::string reason_;
  int steps_ = 0;
};

}  // namespace

Location evaluate(ByteSpan expression, const ExpressionContext& context) {
  return Machine(expression, context).run();
}

std::optional<uint64_t> evaluate_number(ByteSpan expression, const ExpressionContext& context) {
  const Location out = evaluate(expression, context);
  if (out.kind == Location::Kind::kMemory) return out.address;
  // A frame base that is "in a register" means the register's value.
  if (out.kind == Location::Kind::kRegister) return context.source->reg(out.reg);
  return std::nullopt;
}

std::optional<Bytes> encode_operations(const Dwarf_Op* operations, size_t count) {
  ByteWriter out;
  const auto leb = [&](uint64_t word) {
    auto value = static_cast<int64_t>(word);
    while (value < -64 || value > 63) {
      out.fixed(static_cast<uint8_t>((value & 0x7f) | 0x80));
      value >>= 7;
    }
    out.fixed(static_cast<uint8_t>(value & 0x7f));
  };
  for (size_t i = 0; i < count; ++i) {
    const Dwarf_Op& op = operations[i];
    out.fixed(op.atom);
    if ((op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31) || op.atom == DW_OP_consts) {
      leb(op.number);
    } else if (op.atom == DW_OP_bregx) {
      out.varint(op.number);
      leb(op.number2);
    } else if (op.atom == DW_OP_plus_uconst || op.atom == DW_OP_constu) {
      out.varint(op.number);
    } else if (op.atom == DW_OP_const1u || op.atom == DW_OP_const1s) {
      out.fixed(static_cast<uint8_t>(op.number));
    } else if (op.atom == DW_OP_const2u || op.atom == DW_OP_const2s) {
      out.fixed(static_cast<uint16_t>(op.number));
    } else if (op.atom == DW_OP_const4u || op.atom == DW_OP_const4s) {
      out.fixed(static_cast<uint32_t>(op.number));
    } else if ((op.atom < DW_OP_lit0 || op.atom > DW_OP_lit31) && op.atom != DW_OP_deref &&
               op.atom != DW_OP_dup && (op.atom < DW_OP_abs || op.atom > DW_OP_xor) &&
               (op.atom < DW_OP_eq || op.atom > DW_OP_ne)) {
      return std::nullopt;
    }
  }
  return out.take();
}

}  // namespace twinrun
