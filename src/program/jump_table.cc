// SPDX-License-Identifier: MIT
// Recognises the tables behind indirect jumps by computing along one path to the jump.
//
// Registers and stack slots hold linear expressions: a constant plus multiples of unknowns
// ("atoms"). An atom is what a register held at the start of the path, the result of an instruction
// that is not followed, or a load from an address that is again a linear expression. At the jump
// the target is then, whatever instructions the compiler chose,
//
//     load8(T + 8*i)        a table of addresses (code that is not position independent, or
//                           computed gotos, whose entries the loader relocates)
//     T + load4(T + 4*i)    a table of offsets (position independent code)
//     L + load4(T + 4*i)    the same for computed gotos: offsets from a label L of the function
//
// A conditional jump on the path that compares an expression with a constant gives an upper limit
// for it, as do masks and shifts. The limit of the expression that is proportional to the index
// gives the number of entries. Without a limit (the compiler knew that the default cannot happen),
// or with no more than the width of the index, entries are read while they lead into the function.
//
// Deviations from the machine, on purpose: widths are ignored (the zero extension of an index is
// the index), stores are taken not to alias loads from other addresses. Both hold in what compilers
// make of a switch; where they would not, the checks on the table's entries remain.
//
//     cmp  edi, 5           limit: rdi <= 5 (the path does not take the ja)
//     ja   default
//     lea  rdx, [rip+T]     rdx = T
//     movsxd rax, [rdx+rdi*4]   rax = load4(T + 4*rdi)
//     add  rax, rdx         rax = T + load4(T + 4*rdi): 6 offsets at T
//     jmp  rax
#include "program/jump_table.h"

#include "format/registers.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace twinrun {
namespace {

constexpr size_t kRegisters = 16;
constexpr size_t kTerms = 3;
constexpr int64_t kMostShift = 4096;  // in bytes, of an index without a limit
// The atoms of the registers at the start of the path have the registers' numbers.
constexpr uint32_t kStackPointer = general_number(reg::kRsp);
constexpr uint32_t kFramePointer = general_number(reg::kRbp);

struct Term {
  uint32_t atom = 0;
  uint64_t factor = 0;
  bool operator==(const Term&) const = default;
};

// constant + sum of factor * atom, terms by atom.
struct Linear {
  uint64_t constant = 0;
  std::array<Term, kTerms> terms{};
  size_t count = 0;

  bool operator==(const Linear&) const = default;
  static Linear of(uint64_t value) { return {.constant = value}; }
  static Linear of_atom(uint32_t atom) { return {0, {Term{atom, 1}}, 1}; }
  [[nodiscard]] bool is_constant() const { return count == 0; }

  [[nodiscard]] Linear times(uint64_t factor) const {
    Linear out = *this;
    out.constant *= factor;
    for (size_t i = 0; i < count; ++i) out.terms[i].factor *= factor;
    out.normalize();
    return out;
  }
  void normalize() {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i)
      if (terms[i].factor != 0) terms[kept++] = terms[i];
    for (size_t i = kept; i < kTerms; ++i) terms[i] = {};
    count = kept;
  }
};

// Nothing when the sum has too many terms.
std::optional<Linear> sum(const Linear& a, const Linear& b) {
  std::array<Term, 2 * kTerms> all{};
  size_t count = 0;
  for (size_t i = 0, j = 0; i < a.count || j < b.count;) {
    if (j == b.count || (i < a.count && a.terms[i].atom < b.terms[j].atom)) {
      all[count++] = a.terms[i++];
    } else if (i == a.count || b.terms[j].atom < a.terms[i].atom) {
      all[count++] = b.terms[j++];
    } else {
      const Term both{a.terms[i].atom, a.terms[i].factor + b.terms[j].factor};
      if (both.factor != 0) all[count++] = both;
      ++i;
      ++j;
    }
  }
  if (count > kTerms) return std::nullopt;
  Linear out = Linear::of(a.constant + b.constant);
  out.count = count;
  std::copy_n(all.begin(), count, out.terms.begin());
  return out;
}

struct Atom {
  bool is_load = false;
  uint32_t size = 0;
  Linear address;
  uint32_t epoch = 0;  // loads before and after a call are not the same
};

struct Limit {
  Linear what;
  uint64_t most = 0;
  bool is_width = false;  // no more than what fits: says little about the size of a table
};

class Evaluator {
 public:
  explicit Evaluator(const CodeImage& image) : image_(image) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (Linear& value : registers_) value = fresh();
  }

  /// Computes the steps but for the last, the jump; false when something cannot be decoded.
  bool run(std::span<const PathStep> path) {
    for (size_t i = 0; i < path.size(); ++i) {
      if (!decode(path[i].address)) return false;
      if (i + 1 < path.size()) execute(path[i].taken);
    }
    return !path.empty();
  }
  /// Of the jump.
  Linear target() { return read(operands_[0]); }
  [[nodiscard]] const Atom& atom(uint32_t number) const { return atoms_[number]; }
  [[nodiscard]] const std::vector<Limit>& limits() const { return limits_; }

 private:
  bool decode(uint64_t address) {
    const ByteSpan bytes = image_.at(address);
    if (!ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(&decoder_, bytes.data(), bytes.size(), &in_, operands_.data())))
      return false;
    next_ = address + in_.length;
    return true;
  }

  Linear fresh() {
    atoms_.push_back({});
    return Linear::of_atom(static_cast<uint32_t>(atoms_.size() - 1));
  }
  Linear limited(uint64_t most) {
    const Linear value = fresh();
    limits_.push_back({value, most});
    return value;
  }
  Linear or_fresh(std::optional<Linear> value) { return value ? *value : fresh(); }

  // The number of the whole register; nothing for others than general ones.
  static std::optional<size_t> number(ZydisRegister reg) {
    switch (ZydisRegisterGetClass(reg)) {
      case ZYDIS_REGCLASS_GPR8:
      case ZYDIS_REGCLASS_GPR16:
      case ZYDIS_REGCLASS_GPR32:
      case ZYDIS_REGCLASS_GPR64: break;
      default: return std::nullopt;
    }
    if (reg == ZYDIS_REGISTER_AH || reg == ZYDIS_REGISTER_CH || reg == ZYDIS_REGISTER_DH ||
        reg == ZYDIS_REGISTER_BH)
      return std::nullopt;
    return static_cast<size_t>(
        ZydisRegisterGetId(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg)));
  }
  Linear value_of(ZydisRegister reg) {
    const auto n = number(reg);
    return n && *n < kRegisters ? registers_[*n] : fresh();
  }

  Linear address(const ZydisDecodedOperand& operand) {
    const auto& mem = operand.mem;
    Linear out = Linear::of(static_cast<uint64_t>(mem.disp.has_displacement ? mem.disp.value : 0));
    if (mem.segment == ZYDIS_REGISTER_FS || mem.segment == ZYDIS_REGISTER_GS) return fresh();
    if (mem.base == ZYDIS_REGISTER_RIP)
      out.constant += next_;
    else if (mem.base != ZYDIS_REGISTER_NONE)
      out = or_fresh(sum(out, value_of(mem.base)));
    if (mem.index != ZYDIS_REGISTER_NONE)
      out = or_fresh(sum(out, value_of(mem.index).times(mem.scale)));
    return out;
  }

  Linear load(const Linear& from, uint32_t size) {
    for (const auto& [where, value] : stores_)
      if (where == from) return value;
    for (uint32_t i = 0; i < atoms_.size(); ++i)
      if (atoms_[i].is_load && atoms_[i].size == size && atoms_[i].epoch == epoch_ &&
          atoms_[i].address == from)
        return Linear::of_atom(i);
    atoms_.push_back({true, size, from, epoch_});
    return Linear::of_atom(static_cast<uint32_t>(atoms_.size() - 1));
  }

  Linear read(const ZydisDecodedOperand& operand) {
    switch (operand.type) {
      case ZYDIS_OPERAND_TYPE_REGISTER: return value_of(operand.reg.value);
      case ZYDIS_OPERAND_TYPE_IMMEDIATE: return Linear::of(operand.imm.value.u);
      case ZYDIS_OPERAND_TYPE_MEMORY: return load(address(operand), operand.size / 8);
      default: return fresh();
    }
  }

  void write(const ZydisDecodedOperand& operand, const Linear& value) {
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
      const auto n = number(operand.reg.value);
      if (n && *n < kRegisters)
        registers_[*n] = value;
      else
        forget(operand.reg.value);
    } else if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
      store(address(operand), value);
    }
  }
  void store(const Linear& where, const Linear& value) {
    for (auto& [there, stored] : stores_)
      if (there == where) {
        stored = value;
        return;
      }
    stores_.push_back({where, value});
  }
  void forget(ZydisRegister reg) {
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    if (const auto n = number(whole); n && *n < kRegisters) registers_[*n] = fresh();
  }

  // An instruction that is not followed: what it writes is unknown.
  void forget_results() {
    for (size_t i = 0; i < in_.operand_count; ++i) {
      const ZydisDecodedOperand& operand = operands_[i];
      if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0) continue;
      if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER)
        forget(operand.reg.value);
      else if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY)
        write(operand, fresh());
    }
  }

  static uint64_t mask(uint32_t bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

  void compare(const Linear& left, const Linear& right, uint32_t bits) {
    compared_.reset();
    if (right.is_constant()) compared_ = Limit{left, right.constant & mask(bits)};
  }

  // The path goes through a conditional jump.
  void branch(bool taken) {
    if (!compared_) return;
    bool at_most = false;
    bool below = false;
    switch (in_.mnemonic) {
      case ZYDIS_MNEMONIC_JNBE: at_most = !taken; break;
      case ZYDIS_MNEMONIC_JBE: at_most = taken; break;
      case ZYDIS_MNEMONIC_JNB: below = !taken; break;
      case ZYDIS_MNEMONIC_JB: below = taken; break;
      default: break;
    }
    if (at_most) limits_.push_back(*compared_);
    if (below && compared_->most > 0) limits_.push_back({compared_->what, compared_->most - 1});
  }

  // A called function leaves our frame alone.
  void call() {
    ++epoch_;
    std::erase_if(stores_, [](const auto& store) {
      return store.first.count != 1 || (store.first.terms[0].atom != kStackPointer &&
                                        store.first.terms[0].atom != kFramePointer);
    });
    for (const size_t n : {0, 1, 2, 6, 7, 8, 9, 10, 11}) registers_[n] = fresh();
  }

  void execute(bool taken);

  const CodeImage& image_;
  ZydisDecoder decoder_;
  ZydisDecodedInstruction in_;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands_;
  uint64_t next_ = 0;
  std::array<Linear, kRegisters> registers_;
  std::vector<std::pair<Linear, Linear>> stores_;
  std::vector<Atom> atoms_;
  std::vector<Limit> limits_;
  std::optional<Limit> compared_;
  uint32_t epoch_ = 0;
};

void Evaluator::execute(bool taken) {
  ZydisDecodedOperand& to = operands_[0];
  const ZydisDecodedOperand& from = operands_[1];
  const bool sets_flags =
      in_.cpu_flags != nullptr && (in_.cpu_flags->modified | in_.cpu_flags->set_0 |
                                   in_.cpu_flags->set_1 | in_.cpu_flags->undefined) != 0;
  switch (in_.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD: write(to, read(from)); return;
    case ZYDIS_MNEMONIC_MOVZX: {
      const Linear value = read(from);
      limits_.push_back({value, mask(from.size), true});
      write(to, value);
      return;
    }
    case ZYDIS_MNEMONIC_CDQE: return;  // rax keeps its value, as far as we look
    case ZYDIS_MNEMONIC_LEA: write(to, address(from)); return;
    case ZYDIS_MNEMONIC_CMP: compare(read(to), read(from), to.size); return;
    case ZYDIS_MNEMONIC_ADD: write(to, or_fresh(sum(read(to), read(from)))); break;
    case ZYDIS_MNEMONIC_SUB: {
      const Linear left = read(to);
      const Linear right = read(from);
      write(to, or_fresh(sum(left, right.times(~0ull))));
      compare(left, right, to.size);
      return;
    }
    case ZYDIS_MNEMONIC_INC: write(to, or_fresh(sum(read(to), Linear::of(1)))); break;
    case ZYDIS_MNEMONIC_DEC: write(to, or_fresh(sum(read(to), Linear::of(~0ull)))); break;
    case ZYDIS_MNEMONIC_SHL:
      if (from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        write(to, read(to).times(1ull << (from.imm.value.u & 63)));
      else
        forget_results();
      break;
    case ZYDIS_MNEMONIC_SHR:
      if (from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        write(to, limited(mask(to.size) >> (from.imm.value.u & 63)));
      else
        forget_results();
      break;
    case ZYDIS_MNEMONIC_AND:
      if (from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        write(to, limited(from.imm.value.u & mask(to.size)));
      else
        forget_results();
      break;
    case ZYDIS_MNEMONIC_XOR:
      if (to.type == ZYDIS_OPERAND_TYPE_REGISTER && from.type == ZYDIS_OPERAND_TYPE_REGISTER &&
          to.reg.value == from.reg.value)
        write(to, Linear::of(0));
      else
        forget_results();
      break;
    case ZYDIS_MNEMONIC_CALL: call(); break;
    case ZYDIS_MNEMONIC_PUSH:
      registers_[kStackPointer] = or_fresh(sum(registers_[kStackPointer], Linear::of(-8ull)));
      store(registers_[kStackPointer], read(to));
      break;
    case ZYDIS_MNEMONIC_POP: {
      const Linear value = load(registers_[kStackPointer], 8);
      registers_[kStackPointer] = or_fresh(sum(registers_[kStackPointer], Linear::of(8)));
      write(to, value);
      break;
    }
    default:
      if (in_.meta.category == ZYDIS_CATEGORY_COND_BR) {
        branch(taken);
        return;
      }
      forget_results();
      break;
  }
  if (sets_flags) compared_.reset();
}

// `address` = start + size * (what the limit limits), if it has that form.
std::optional<uint64_t> start_of(const Linear& address, const Linear& index, uint32_t size) {
  const Linear scaled = index.times(size);
  if (index.is_constant() || scaled.count != address.count || scaled.terms != address.terms)
    return std::nullopt;
  return address.constant - scaled.constant;
}

// What a term stands for: a register at the start of the path, or what was in a slot of the stack.
bool is_from_before(const Evaluator& evaluator, const Term& term) {
  if (term.factor != 1) return false;
  if (term.atom < kRegisters) return term.atom != kStackPointer;
  const Atom& atom = evaluator.atom(term.atom);
  return atom.is_load && atom.size == 8 && atom.address.count == 1 &&
         atom.address.terms[0].factor == 1 &&
         (atom.address.terms[0].atom == kStackPointer ||
          atom.address.terms[0].atom == kFramePointer);
}

template <typename T>
std::optional<T> value_at(const CodeImage& image, uint64_t address) {
  const ByteSpan bytes = image.at(address);
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

}  // namespace

std::optional<JumpTable> find_jump_table(const CodeImage& image, std::span<const PathStep> path,
                                         const std::function<bool(uint64_t)>& is_inside,
                                         uint32_t most_entries) {
  Evaluator evaluator(image);
  if (!evaluator.run(path)) return std::nullopt;
  const Linear target = evaluator.target();
  if (target.count != 1 || target.terms[0].factor != 1) return std::nullopt;
  const Atom entry = evaluator.atom(target.terms[0].atom);
  if (!entry.is_load || entry.address.is_constant()) return std::nullopt;
  const bool offsets = entry.size == 4;
  if (!(offsets || (entry.size == 8 && target.constant == 0))) return std::nullopt;

  // Offsets count from the table itself, or from a label in the function.
  const auto is_base = [&](uint64_t start) {
    return !offsets || start == target.constant || is_inside(target.constant);
  };
  JumpTable out{.entry_size = entry.size};
  uint64_t count = most_entries;
  bool has_start = false;
  for (const Limit& limit : evaluator.limits()) {
    const auto start = start_of(entry.address, limit.what, entry.size);
    if (!start || limit.most >= count || !is_base(*start)) continue;
    has_start = true;
    out.bounded = !limit.is_width;
    out.address = *start;
    count = limit.most + 1;
  }
  if (!has_start) {
    const bool scaled =
        std::ranges::all_of(std::span(entry.address.terms).first(entry.address.count),
                            [&](const Term& term) { return term.factor % entry.size == 0; });
    if (!scaled) return std::nullopt;
    out.address = entry.address.constant;
    // The index can have a constant part: then the offsets' base says where the table begins.
    const auto shift = static_cast<int64_t>(entry.address.constant - target.constant);
    if (offsets && !is_inside(target.constant)) {
      if (shift % 4 != 0 || std::abs(shift) > kMostShift) return std::nullopt;
      out.address = target.constant;
    }
  }
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = out.address + i * entry.size;
    std::optional<uint64_t> to;
    if (!offsets)
      to = value_at<uint64_t>(image, at);
    else if (const auto offset = value_at<int32_t>(image, at))
      to = target.constant + static_cast<uint64_t>(int64_t{*offset});
    const bool good = to && (is_inside(*to) || (out.bounded && image.is_executable(*to)));
    if (good) {
      out.targets.push_back(*to);
      continue;
    }
    // A mask can allow more than the table has; entries behind it are not its.
    if (i == 0) return std::nullopt;
    out.bounded = false;
    break;
  }
  return out.targets.empty() ? std::nullopt : std::optional(std::move(out));
}

bool may_be_jump_table(const CodeImage& image, std::span<const PathStep> path) {
  Evaluator evaluator(image);
  if (!evaluator.run(path)) return false;
  const Linear target = evaluator.target();
  const auto terms = [](const Linear& value) { return std::span(value.terms).first(value.count); };
  const auto is_before = [&](const Term& term) { return is_from_before(evaluator, term); };
  // The entry, or the base of a table of offsets.
  if (std::ranges::any_of(terms(target), is_before)) return true;
  if (target.count != 1 || target.terms[0].factor != 1) return false;
  const Atom& entry = evaluator.atom(target.terms[0].atom);
  // The table's address; the index is another term.
  return entry.is_load && entry.address.count > 1 &&
         std::ranges::any_of(terms(entry.address), is_before);
}

}  // namespace twinrun
