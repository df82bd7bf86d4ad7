// SPDX-License-Identifier: MIT
#include "trace/ir.h"

#include "trace/block.h"
#include "trace/event.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>

namespace twinrun {
namespace {

struct OpEntry {
  uint16_t number;
  std::string_view name;
};
constexpr OpEntry kOps[] = {
#define OP(name, number, computed) {number, #name},
#include "format/ir_ops.def"
#undef OP
};
constexpr size_t kOpNumbers = [] {
  size_t most = 0;
  for (const OpEntry& op : kOps) most = op.number > most ? op.number : most;
  return most + 1;
}();
constexpr auto kOpNames = [] {
  std::array<std::string_view, kOpNumbers> names{};
  for (const OpEntry& op : kOps) names[op.number] = op.name;
  return names;
}();

constexpr uint32_t kTempsMax = 1u << 20;
constexpr uint32_t kEffectMax = 1u << 16;  // bytes, or repetitions, of a helper's effect

class IrDecoder {
 public:
  explicit IrDecoder(ByteSpan ir) : in_(ir) {}

  Result<IrBlock> run() {
    const uint64_t temps = in_.varint();
    const ByteSpan types = in_.take(temps);
    if (in_.failed() || temps > kTempsMax) return bad("its temporaries are cut short");
    block_.types.assign(types.begin(), types.end());
    for (const uint8_t type : types)
      if (type_size(type) == 0) return bad("a temporary has an unknown type");
    assigned_.resize(temps);
    const uint64_t count = in_.varint();
    // Each statement takes a byte at least.
    if (in_.failed() || count > in_.left()) return bad("its statements are cut short");
    block_.statements.reserve(count);
    for (uint64_t i = 0; i < count && problem_ == nullptr; ++i) statement();
    block_.next = operand_value();
    if (problem_ != nullptr) return bad(problem_);
    if (in_.failed()) return bad("it is cut short");
    if (!in_.at_end()) return bad("bytes follow its end");
    return std::move(block_);
  }

 private:
  std::unexpected<Error> bad(const char* what) const {
    return fail("T009", "the IR is malformed at byte {}: {}", in_.position(), what);
  }
  void problem(const char* what) {
    if (problem_ == nullptr) problem_ = what;
  }

  uint32_t u32() {
    const uint64_t value = in_.varint();
    if (value > UINT32_MAX) problem("a number is too large");
    return static_cast<uint32_t>(value);
  }
  // Operands of a statement are read before its result exists, except where the result is written
  // first; `assign` therefore runs at the statement's end.
  uint32_t temp() {
    const uint32_t number = u32();
    if (number >= block_.types.size()) problem("a temporary does not exist");
    return number;
  }
  void assign(uint32_t number) {
    if (number >= assigned_.size()) return;
    if (assigned_[number]) problem("a temporary is assigned twice");
    assigned_[number] = true;
  }

  IrOperand operand_value(bool is_argument = false) {
    IrOperand out;
    const uint64_t u = in_.varint();
    if ((u & 1) == 0) {
      out.kind = IrOperand::Kind::kTemp;
      out.value = u >> 1;
      if (out.value >= assigned_.size() || !assigned_[out.value])
        problem("a temporary is used before it is assigned");
      return out;
    }
    if (u == TW_ARG_STATE || u == TW_ARG_VECTOR_RESULT) {
      if (!is_argument) problem("an operand is not a value");
      out.kind = u == TW_ARG_STATE ? IrOperand::Kind::kState : IrOperand::Kind::kVectorResult;
      return out;
    }
    out.kind = IrOperand::Kind::kConstant;
    out.type = u >> 1 > UINT8_MAX ? 0 : static_cast<uint8_t>(u >> 1);
    switch (out.type) {
      case TW_I1:
      case TW_I8: out.value = in_.fixed<uint8_t>(); break;
      case TW_I16:
      case TW_V128: out.value = in_.fixed<uint16_t>(); break;
      case TW_V256: out.value = in_.fixed<uint32_t>(); break;
      case TW_I32:
      case TW_F32: out.value = u32(); break;
      case TW_I64:
      case TW_F64: out.value = in_.varint(); break;
      default: problem("a constant has an unknown type");
    }
    return out;
  }
  void operand(IrStatement& s, bool is_argument = false) {
    block_.operands.push_back(operand_value(is_argument));
    ++s.operand_count;
  }
  void operands(IrStatement& s, uint64_t count, bool are_arguments = false) {
    // Each operand takes a byte at least.
    if (count > in_.left()) return problem("operands are cut short");
    for (uint64_t i = 0; i < count; ++i) operand(s, are_arguments);
  }
  void indexed(IrStatement& s) {
    s.offset = u32();
    s.element_type = in_.fixed<uint8_t>();
    if (type_size(s.element_type) == 0) problem("an array has elements of an unknown type");
    s.element_count = u32();
    operand(s);
    s.bias = unzigzag(in_.varint());
  }
  void dirty(IrStatement& s) {
    if (in_.fixed<uint8_t>() != 0) s.dst = temp();
    s.helper = u32();
    operand(s);
    s.memory_effect = in_.fixed<uint8_t>();
    if (s.memory_effect > TW_EFFECT_MODIFY) problem("an unknown memory effect");
    if (s.memory_effect != TW_EFFECT_NONE) {
      operand(s);
      s.memory_size = u32();
      if (s.memory_size > kEffectMax) problem("an effect is too large");
    }
    const uint64_t count = in_.varint();
    if (count > in_.left()) return problem("register effects are cut short");
    for (uint64_t i = 0; i < count; ++i) {
      IrEffect effect;
      effect.effect = in_.fixed<uint8_t>();
      effect.offset = u32();
      effect.size = u32();
      effect.repeats = u32();
      effect.stride = u32();
      if (effect.size > kEffectMax || effect.repeats > kEffectMax)
        problem("an effect is too large");
      block_.effects.push_back(effect);
      ++s.effect_count;
    }
    operands(s, in_.varint(), true);
  }

  void statement() {
    IrStatement s;
    const auto tag = in_.fixed<uint8_t>();
    if (tag < TW_STMT_IMARK || tag > TW_STMT_LAST) return problem("an unknown statement");
    s.tag = static_cast<TwStmt>(tag);
    s.operands = static_cast<uint32_t>(block_.operands.size());
    s.effects = static_cast<uint32_t>(block_.effects.size());
    switch (s.tag) {
      case TW_STMT_IMARK:
      case TW_STMT_FENCE: break;
      case TW_STMT_PUT:
        s.offset = u32();
        operand(s);
        break;
      case TW_STMT_PUTI:
        indexed(s);
        operand(s);
        break;
      case TW_STMT_GET:
        s.dst = temp();
        s.offset = u32();
        break;
      case TW_STMT_GETI:
        s.dst = temp();
        indexed(s);
        break;
      case TW_STMT_MOVE:
      case TW_STMT_LOAD:
        s.dst = temp();
        operand(s);
        break;
      case TW_STMT_OP: {
        s.dst = temp();
        const auto shape = in_.fixed<uint8_t>();
        s.cls = shape >> 4;
        const uint64_t op = in_.varint();
        if (op > UINT16_MAX) problem("an operation has an impossible number");
        s.op = static_cast<uint16_t>(op);
        if ((shape & 15) == 0 || (shape & 15) > 4) problem("an operation has an impossible arity");
        operands(s, shape & 15);
        break;
      }
      case TW_STMT_STORE: operands(s, 2); break;
      case TW_STMT_ITE:
        s.dst = temp();
        operands(s, 3);
        break;
      case TW_STMT_CCALL: {
        s.dst = temp();
        const uint64_t cls = in_.varint();
        s.cls = cls > TW_CLASS_UNKNOWN ? 0xff : static_cast<uint8_t>(cls);
        s.helper = u32();
        operands(s, in_.varint(), true);
        break;
      }
      case TW_STMT_DIRTY: dirty(s); break;
      case TW_STMT_CAS: {
        const bool is_double = in_.fixed<uint8_t>() != 0;
        s.dst = temp();
        if (is_double) s.dst_high = temp();
        operands(s, is_double ? 5 : 3);
        break;
      }
      case TW_STMT_LOADG:
        s.dst = temp();
        s.load_kind = in_.fixed<uint8_t>();
        if (loadg_size(s.load_kind) == 0) problem("a guarded load is of an unknown kind");
        operands(s, 3);
        break;
      case TW_STMT_STOREG: operands(s, 3); break;
      case TW_STMT_EXIT: {
        operand(s);
        s.target = in_.varint();
        const uint64_t jump = in_.varint();
        s.jump = jump > TW_JUMP_OTHER ? 0 : static_cast<uint8_t>(jump);
        s.makes_variant = in_.fixed<uint8_t>() != 0;
        break;
      }
    }
    if (s.cls > TW_CLASS_UNKNOWN) problem("a result has an unknown class");
    if (s.dst != kNoTemp) assign(s.dst);
    if (s.dst_high != kNoTemp) assign(s.dst_high);
    if (in_.failed()) problem("it is cut short");
    block_.statements.push_back(s);
  }

  ByteReader in_;
  IrBlock block_;
  std::vector<bool> assigned_;
  const char* problem_ = nullptr;
};

std::string print_operand(const IrOperand& operand) {
  switch (operand.kind) {
    case IrOperand::Kind::kTemp: return fmt::format("t{}", operand.value);
    case IrOperand::Kind::kConstant:
      return fmt::format("{:#x}:{}", operand.value, type_name(operand.type));
    case IrOperand::Kind::kState: return "state";
    case IrOperand::Kind::kVectorResult: return "result";
  }
  return "?";
}

const char* class_mark(uint8_t cls) {
  return cls == TW_CLASS_LOGGED ? " [logged]" : cls == TW_CLASS_UNKNOWN ? " [unknown]" : "";
}

const char* effect_name(uint8_t effect) {
  constexpr const char* kNames[] = {"none", "reads", "writes", "modifies"};
  return effect < std::size(kNames) ? kNames[effect] : "?";
}

class IrPrinter {
 public:
  IrPrinter(const IrBlock& block, const Dictionary& names) : block_(block), names_(names) {}

  std::string statement(const IrStatement& s) const {
    switch (s.tag) {
      case TW_STMT_IMARK: return "-- instruction";
      case TW_STMT_FENCE: return "fence";
      case TW_STMT_PUT: return fmt::format("r[{}] = {}", s.offset, op(s, 0));
      case TW_STMT_PUTI: return fmt::format("{} = {}", array(s), op(s, 1));
      case TW_STMT_GET: return fmt::format("{} = r[{}]", dst(s), s.offset);
      case TW_STMT_GETI: return fmt::format("{} = {}", dst(s), array(s));
      case TW_STMT_MOVE: return fmt::format("{} = {}", dst(s), op(s, 0));
      case TW_STMT_LOAD: return fmt::format("{} = load({})", dst(s), op(s, 0));
      case TW_STMT_STORE: return fmt::format("store({}) = {}", op(s, 0), op(s, 1));
      case TW_STMT_OP: {
        const std::string_view name = op_name(s.op);
        return fmt::format("{} = {}({}){}", dst(s),
                           name.empty() ? fmt::format("op{}", s.op) : std::string(name), list(s, 0),
                           class_mark(s.cls));
      }
      case TW_STMT_ITE:
        return fmt::format("{} = {} ? {} : {}", dst(s), op(s, 0), op(s, 1), op(s, 2));
      case TW_STMT_CCALL:
        return fmt::format("{} = {}({}){}", dst(s), helper(s), list(s, 0), class_mark(s.cls));
      case TW_STMT_DIRTY: return dirty(s);
      case TW_STMT_CAS:
        return s.dst_high == kNoTemp
                   ? fmt::format("{} = cas({}, {} -> {})", dst(s), op(s, 0), op(s, 1), op(s, 2))
                   : fmt::format("{}, t{} = cas({}, {}, {} -> {}, {})", dst(s), s.dst_high,
                                 op(s, 0), op(s, 1), op(s, 2), op(s, 3), op(s, 4));
      case TW_STMT_LOADG:
        return fmt::format("{} = if {} load{}({}) else {}", dst(s), op(s, 2),
                           loadg_size(s.load_kind), op(s, 0), op(s, 1));
      case TW_STMT_STOREG: return fmt::format("if {} store({}) = {}", op(s, 2), op(s, 0), op(s, 1));
      case TW_STMT_EXIT:
        return fmt::format("if {} goto {:#x} ({}{})", op(s, 0), s.target, jump_name(s.jump),
                           s.makes_variant ? ", variant" : "");
    }
    return "?";
  }

 private:
  std::string op(const IrStatement& s, uint32_t i) const {
    return print_operand(block_.operands[s.operands + i]);
  }
  std::string list(const IrStatement& s, uint32_t from) const {
    std::string out;
    for (uint32_t i = from; i < s.operand_count; ++i) out += (i == from ? "" : ", ") + op(s, i);
    return out;
  }
  std::string dst(const IrStatement& s) const {
    return fmt::format("t{}:{}", s.dst, type_name(block_.types[s.dst]));
  }
  std::string array(const IrStatement& s) const {
    return fmt::format("r[{} + {}x{}][{} {:+}]", s.offset, s.element_count,
                       type_name(s.element_type), op(s, 0), s.bias);
  }
  std::string helper(const IrStatement& s) const {
    const std::string_view name = names_.helper(s.helper);
    return name.empty() ? fmt::format("helper{}", s.helper) : std::string(name);
  }
  std::string dirty(const IrStatement& s) const {
    const uint32_t arguments = s.memory_effect == TW_EFFECT_NONE ? 1 : 2;
    std::string out = fmt::format("{}if {} {}({})", s.dst == kNoTemp ? "" : dst(s) + " = ",
                                  op(s, 0), helper(s), list(s, arguments));
    if (s.memory_effect != TW_EFFECT_NONE)
      out +=
          fmt::format(" {} {} bytes at {}", effect_name(s.memory_effect), s.memory_size, op(s, 1));
    for (uint32_t i = 0; i < s.effect_count; ++i) {
      const IrEffect& effect = block_.effects[s.effects + i];
      out += fmt::format(" {} r[{}..{}]", effect_name(effect.effect), effect.offset,
                         effect.offset + effect.size);
      if (effect.repeats != 0) out += fmt::format(" +{}x{}", effect.repeats, effect.stride);
    }
    return out;
  }

  const IrBlock& block_;
  const Dictionary& names_;
};

}  // namespace

Result<IrBlock> decode_ir(ByteSpan ir) { return IrDecoder(ir).run(); }

uint32_t type_size(uint8_t type) {
  switch (type) {
    case TW_I1:
    case TW_I8: return 1;
    case TW_I16:
    case TW_F16: return 2;
    case TW_I32:
    case TW_F32:
    case TW_D32: return 4;
    case TW_I64:
    case TW_F64:
    case TW_D64: return 8;
    case TW_I128:
    case TW_F128:
    case TW_D128:
    case TW_V128: return 16;
    case TW_V256: return 32;
    default: return 0;
  }
}

uint32_t loadg_size(uint8_t kind) {
  switch (kind) {
    case TW_LOADG_SAME: return 4;
    case TW_LOADG_16U32:
    case TW_LOADG_16S32: return 2;
    case TW_LOADG_8U32:
    case TW_LOADG_8S32: return 1;
    case TW_LOADG_V128: return 16;
    case TW_LOADG_64: return 8;
    default: return 0;
  }
}

std::vector<IrLoad> loads_of(const IrBlock& block) {
  std::vector<IrLoad> out;
  for (uint32_t i = 0; i < block.statements.size(); ++i) {
    const IrStatement& s = block.statements[i];
    if (s.tag == TW_STMT_LOAD || s.tag == TW_STMT_CAS)
      out.push_back({i, type_size(block.types[s.dst])});
    if (s.tag == TW_STMT_CAS && s.dst_high != kNoTemp)
      out.push_back({i, type_size(block.types[s.dst_high])});
    if (s.tag == TW_STMT_LOADG) out.push_back({i, loadg_size(s.load_kind)});
  }
  return out;
}

OpaqueSize opaque_size(const IrBlock& block, size_t end) {
  OpaqueSize out;
  for (size_t i = 0; i < end && i < block.statements.size(); ++i) {
    const IrStatement& s = block.statements[i];
    uint64_t size = 0;
    bool always = true;
    if ((s.tag == TW_STMT_OP || s.tag == TW_STMT_CCALL) && s.cls == TW_CLASS_LOGGED) {
      size = type_size(block.types[s.dst]);
    } else if (s.tag == TW_STMT_DIRTY) {
      if (s.dst != kNoTemp) size += type_size(block.types[s.dst]);
      for (uint32_t e = 0; e < s.effect_count; ++e) {
        const IrEffect& effect = block.effects[s.effects + e];
        if (effect.effect == TW_EFFECT_WRITE || effect.effect == TW_EFFECT_MODIFY)
          size += (uint64_t{effect.repeats} + 1) * effect.size;
      }
      if (s.memory_effect == TW_EFFECT_WRITE || s.memory_effect == TW_EFFECT_MODIFY)
        size += s.memory_size;
      always = block.operands[s.operands].kind == IrOperand::Kind::kConstant;
    }
    out.max += size;
    if (always) out.min += size;
  }
  return out;
}

std::string_view op_name(uint16_t op) { return op < kOpNames.size() ? kOpNames[op] : ""; }

const char* type_name(uint8_t type) {
  constexpr const char* kNames[] = {"?",   "I1",   "I8",   "I16",  "I32", "I64", "I128", "F32",
                                    "F64", "F128", "V128", "V256", "F16", "D32", "D64",  "D128"};
  return type < std::size(kNames) ? kNames[type] : "?";
}

const char* jump_name(uint32_t jump) {
  constexpr const char* kNames[] = {"?", "jump", "call", "return", "syscall", "signal", "other"};
  return jump < std::size(kNames) ? kNames[jump] : "?";
}

std::string print_ir(const IrBlock& block, const Dictionary& names, std::string_view indent) {
  const IrPrinter printer(block, names);
  std::string out;
  for (const IrStatement& s : block.statements)
    out += fmt::format("{}{}\n", indent, printer.statement(s));
  out += fmt::format("{}goto {}\n", indent, print_operand(block.next));
  return out;
}

}  // namespace twinrun
