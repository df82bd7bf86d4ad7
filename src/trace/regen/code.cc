// SPDX-License-Identifier: MIT
// From the compact IR to steps of the machine. A statement becomes one step, or none (a move of a
// constant is a constant; an exit only remembers its guard); operations with more operands than a
// step has take a second one that only holds operands.
#include "trace/regen/code.h"

#include "trace/regen/flags.h"
#include "trace/regen/machine.h"

namespace twinrun {
namespace {

// ---- steps that are not operations ----

template <unsigned Bytes>
void copy(Machine& m, const Op& op) {
  uint8_t value[Bytes];
  std::memcpy(value, m.at(op.a), Bytes);
  std::memcpy(m.at(op.dst), value, Bytes);
}
/// From the register file into a temporary: narrow values are zero-extended.
template <unsigned Bytes>
void get_narrow(Machine& m, const Op& op) {
  uint64_t value = 0;
  std::memcpy(&value, m.at(op.a), Bytes);
  m.word(op.dst) = value;
}
template <unsigned Bytes>
void load(Machine& m, const Op& op) {
  m.load<Bytes>(op.dst, m.word(op.a), op.b);
}
template <unsigned Bytes>
void store(Machine& m, const Op& op) {
  m.store<Bytes>(m.word(op.a), m.at(op.b));
}
template <unsigned Bytes>
void store_if(Machine& m, const Op& op) {
  if ((m.word(op.c) & 1) != 0) m.store<Bytes>(m.word(op.a), m.at(op.b));
}
template <unsigned Bytes>
void choose(Machine& m, const Op& op) {
  uint8_t value[Bytes];
  std::memcpy(value, m.at((m.word(op.a) & 1) != 0 ? op.b : op.c), Bytes);
  std::memcpy(m.at(op.dst), value, Bytes);
}
template <unsigned Bytes>
void take_logged(Machine& m, const Op& op) {
  if constexpr (Bytes < 8) m.word(op.dst) = 0;
  m.take_opaque(m.at(op.dst), Bytes);
}

/// Index of an element in a circular part of the register file (the x87 stack).
uint32_t element(Machine& m, const Op& op, const Op& more) {
  const auto count = static_cast<int64_t>(more.a);
  const auto index =
      static_cast<int64_t>(static_cast<int32_t>(m.word(op.b))) + static_cast<int32_t>(more.b);
  const int64_t wrapped = ((index % count) + count) % count;
  return op.a + static_cast<uint32_t>(wrapped) * more.c;
}
template <unsigned Bytes>
void get_indexed(Machine& m, const Op& op) {  // a: base, b: index; then count, bias, element size
  uint64_t value = 0;
  std::memcpy(&value, m.at(element(m, op, (&op)[1])), Bytes);
  m.word(op.dst) = value;
}
template <unsigned Bytes>
void put_indexed(Machine& m, const Op& op) {  // c: data
  std::memcpy(m.at(element(m, op, (&op)[1])), m.at(op.c), Bytes);
}
void operands_only(Machine& m, const Op& op) {
  (void)m;
  (void)op;
}

void call_condition(Machine& m, const Op& op) {
  const Op& more = (&op)[1];
  m.word(op.dst) =
      condition_holds(m.word(op.a), m.word(op.b), m.word(op.c), m.word(more.a), m.word(more.b));
}
void call_rflags_all(Machine& m, const Op& op) {
  m.word(op.dst) = rflags_all(m.word(op.a), m.word(op.b), m.word(op.c), m.word((&op)[1].a));
}
void call_rflags_carry(Machine& m, const Op& op) {
  m.word(op.dst) = rflags_carry(m.word(op.a), m.word(op.b), m.word(op.c), m.word((&op)[1].a));
}

/// What is in memory after a compare-and-swap. a: address, b: expected, c: new; then old.
template <unsigned Bytes>
void swap_store(Machine& m, const Op& op) {
  const Op& more = (&op)[1];
  const bool same = std::memcmp(m.at(more.a), m.at(op.b), Bytes) == 0;
  m.store<Bytes>(m.word(op.a), m.at(same ? op.c : more.a));
}
/// The double one: dst old low, a address, b expected low, c new low; then old high, expected high,
/// new high.
template <unsigned Bytes>
void swap_store_double(Machine& m, const Op& op) {
  const Op& more = (&op)[1];
  const bool same = std::memcmp(m.at(op.dst), m.at(op.b), Bytes) == 0 &&
                    std::memcmp(m.at(more.a), m.at(more.b), Bytes) == 0;
  m.store<Bytes>(m.word(op.a), m.at(same ? op.c : op.dst));
  m.store<Bytes>(m.word(op.a) + Bytes, m.at(same ? more.c : more.a));
}
template <unsigned Bytes>
void load_behind(Machine& m, const Op& op) {  // the upper half of a double compare-and-swap
  m.load<Bytes>(op.dst, m.word(op.a) + Bytes, op.b);
}

/// A guarded load of `Bytes`, made 32 bits wide where it is narrower. a: address, b: alternative,
/// c: guard; then load number, size of the result, sign extension.
template <unsigned Bytes>
void load_if(Machine& m, const Op& op) {
  const Op& more = (&op)[1];
  if ((m.word(op.c) & 1) == 0) {
    uint8_t value[32];
    std::memcpy(value, m.at(op.b), more.b);
    std::memcpy(m.at(op.dst), value, more.b);
    return;
  }
  m.load<Bytes>(op.dst, m.word(op.a), more.a);
  if (Bytes < 4 && more.c != 0) {
    const uint64_t value = m.word(op.dst);
    m.word(op.dst) = static_cast<uint32_t>(Bytes == 1 ? int32_t{static_cast<int8_t>(value)}
                                                      : int32_t{static_cast<int16_t>(value)});
  }
}

// A helper with side effects: everything it did is in the opaque stream, if its guard held.
void logged_result(Machine& m, const Op& op) {  // a: guard, b: size
  if ((m.word(op.a) & 1) == 0) {
    m.word(op.dst) = 0x5555555555555555 >> (op.b < 8 ? 64 - 8 * op.b : 0);
    return;
  }
  m.word(op.dst) = 0;
  m.take_opaque(m.at(op.dst), op.b);
}
void logged_registers(Machine& m, const Op& op) {  // dst: offset, a: guard, b: size
  if ((m.word(op.a) & 1) != 0) m.take_opaque(m.at(op.dst), op.b);
}
void logged_memory(Machine& m, const Op& op) {  // a: guard, b: address, c: size
  if ((m.word(op.a) & 1) == 0) return;
  m.take_opaque_memory(m.word(op.b), op.c);
}

#define BY_SIZE(function)            \
  Run function##_of(uint32_t size) { \
    switch (size) {                  \
      case 1: return function<1>;    \
      case 2: return function<2>;    \
      case 4: return function<4>;    \
      case 8: return function<8>;    \
      case 16: return function<16>;  \
      case 32: return function<32>;  \
      default: return nullptr;       \
    }                                \
  }
BY_SIZE(load)
BY_SIZE(store)
BY_SIZE(store_if)
BY_SIZE(copy)
BY_SIZE(choose)
BY_SIZE(take_logged)
#define BY_WORD_SIZE(function)       \
  Run function##_of(uint32_t size) { \
    switch (size) {                  \
      case 1: return function<1>;    \
      case 2: return function<2>;    \
      case 4: return function<4>;    \
      case 8: return function<8>;    \
      default: return nullptr;       \
    }                                \
  }
BY_WORD_SIZE(get_narrow)
BY_WORD_SIZE(get_indexed)
BY_WORD_SIZE(put_indexed)
BY_WORD_SIZE(swap_store)
BY_WORD_SIZE(swap_store_double)
BY_WORD_SIZE(load_behind)
Run load_if_of(uint32_t size) {
  switch (size) {
    case 1: return load_if<1>;
    case 2: return load_if<2>;
    case 4: return load_if<4>;
    case 8: return load_if<8>;
    case 16: return load_if<16>;
    default: return nullptr;
  }
}

/// Bytes that a value takes in the arena.
uint32_t slot_size(uint8_t type) { return std::max(8u, type_size(type)); }

}  // namespace

class BlockCompiler {
 public:
  BlockCompiler(CodeCache& cache, const IrBlock& ir) : cache_(cache), ir_(ir) {}

  Result<std::unique_ptr<CompiledBlock>> compile() {
    uint32_t at = kTempsOffset;
    for (const uint8_t type : ir_.types) {
      temps_.push_back(at);
      at += slot_size(type);
    }
    if (at > kTempsOffset + kTempsSize) return fail("T020", "a block has too many temporaries");
    for (const IrStatement& st : ir_.statements) {
      if (st.tag == TW_STMT_IMARK && begun_) out_->instruction_end.push_back(size());
      if (st.tag == TW_STMT_IMARK) begun_ = true;
      if (!statement(st)) return fail("T021", "a statement of kind {} cannot be computed", st.tag);
    }
    out_->instruction_end.push_back(size());
    out_->variant_end.push_back(size());
    out_->next = place(ir_.next);
    return std::move(out_);
  }

 private:
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(out_->ops.size()); }
  [[nodiscard]] const IrOperand& operand(const IrStatement& st, unsigned i) const {
    return ir_.operands[st.operands + i];
  }
  [[nodiscard]] uint8_t type_of(const IrOperand& operand) const {
    return operand.kind == IrOperand::Kind::kTemp ? ir_.types[operand.value] : operand.type;
  }

  /// Where the value of an operand is.
  uint32_t place(const IrOperand& operand) {
    if (operand.kind == IrOperand::Kind::kTemp) return temps_[operand.value];
    if (operand.type != TW_V128 && operand.type != TW_V256) return cache_.constant(operand.value);
    uint64_t words[4] = {};
    const unsigned bytes = operand.type == TW_V128 ? 16 : 32;
    for (unsigned i = 0; i < bytes; ++i) {
      if ((operand.value >> i & 1) != 0) words[i / 8] |= uint64_t{0xff} << (i % 8 * 8);
    }
    return cache_.constant(words[0], words[1], words[2], words[3], bytes / 8);
  }
  uint32_t place(const IrStatement& st, unsigned i) { return place(operand(st, i)); }

  bool emit(Run run, uint32_t dst, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    if (run == nullptr) return false;
    out_->ops.push_back({run, dst, a, b, c});
    return true;
  }
  void more(uint32_t a, uint32_t b = 0, uint32_t c = 0) { emit(operands_only, 0, a, b, c); }
  uint32_t next_load(uint32_t bytes) {
    out_->load_sizes.push_back(static_cast<uint8_t>(bytes));
    return static_cast<uint32_t>(out_->load_sizes.size() - 1);
  }

  /// Definitions come from a file: what they say about the register file is checked here, once.
  [[nodiscard]] bool inside_state(uint64_t offset, uint64_t bytes) const {
    return offset + bytes <= cache_.state_size_;
  }

  bool statement(const IrStatement& st) {
    switch (st.tag) {
      case TW_STMT_IMARK:
      case TW_STMT_FENCE: return true;
      case TW_STMT_PUT: {
        const uint32_t bytes = type_size(type_of(operand(st, 0)));
        if (!inside_state(st.offset, bytes)) return false;
        return emit(copy_of(bytes), kStateOffset + st.offset, place(st, 0));
      }
      case TW_STMT_GET: {
        const uint32_t bytes = type_size(ir_.types[st.dst]);
        if (!inside_state(st.offset, bytes)) return false;
        return emit(bytes < 8 ? get_narrow_of(bytes) : copy_of(bytes), temps_[st.dst],
                    kStateOffset + st.offset);
      }
      case TW_STMT_GETI:
      case TW_STMT_PUTI: return indexed(st);
      case TW_STMT_MOVE:
        return emit(copy_of(slot_size(ir_.types[st.dst])), temps_[st.dst], place(st, 0));
      case TW_STMT_OP: return operation(st);
      case TW_STMT_LOAD: {
        const uint32_t bytes = type_size(ir_.types[st.dst]);
        return emit(load_of(bytes), temps_[st.dst], place(st, 0), next_load(bytes));
      }
      case TW_STMT_STORE:
        return emit(store_of(type_size(type_of(operand(st, 1)))), 0, place(st, 0), place(st, 1));
      case TW_STMT_ITE:
        return emit(choose_of(slot_size(ir_.types[st.dst])), temps_[st.dst], place(st, 0),
                    place(st, 1), place(st, 2));
      case TW_STMT_CCALL: return pure_call(st);
      case TW_STMT_DIRTY: return helper_call(st);
      case TW_STMT_CAS: return swap(st);
      case TW_STMT_LOADG: return guarded_load(st);
      case TW_STMT_STOREG:
        return emit(store_if_of(type_size(type_of(operand(st, 1)))), 0, place(st, 0), place(st, 1),
                    place(st, 2));
      case TW_STMT_EXIT:
        out_->exits.push_back(
            {size(), place(st, 0), st.target, st.makes_variant, st.jump == TW_JUMP_SIGNAL});
        if (st.makes_variant) out_->variant_end.push_back(size());
        return true;
      default: return false;
    }
  }

  bool indexed(const IrStatement& st) {
    const uint32_t bytes = type_size(st.element_type);
    const bool is_put = st.tag == TW_STMT_PUTI;
    const uint64_t span = uint64_t{st.element_count} * bytes;
    if (span == 0 || !inside_state(st.offset, span)) return false;
    const bool emitted =
        is_put
            ? emit(put_indexed_of(bytes), 0, kStateOffset + st.offset, place(st, 0), place(st, 1))
            : emit(get_indexed_of(bytes), temps_[st.dst], kStateOffset + st.offset, place(st, 0));
    more(st.element_count, static_cast<uint32_t>(st.bias), bytes);
    return emitted;
  }

  bool operation(const IrStatement& st) {
    if (st.cls == TW_CLASS_UNKNOWN) return true;
    if (st.cls == TW_CLASS_LOGGED) return logged(st);
    const unsigned n = st.operand_count;
    if (n < 4 && op_name(st.op) == "64x4toV256") return false;  // the one that reads a second step
    const bool emitted = emit(evaluator_of(st.op), temps_[st.dst], n > 0 ? place(st, 0) : 0,
                              n > 1 ? place(st, 1) : 0, n > 2 ? place(st, 2) : 0);
    if (n > 3) more(place(st, 3));
    return emitted;
  }
  bool logged(const IrStatement& st) {
    return emit(take_logged_of(std::max(1u, type_size(ir_.types[st.dst]))), temps_[st.dst]);
  }

  bool pure_call(const IrStatement& st) {
    if (st.cls == TW_CLASS_UNKNOWN) return true;
    if (st.cls == TW_CLASS_LOGGED) return logged(st);
    const std::string_view name = cache_.dictionary_.helper(st.helper);
    const Run run = name == "amd64g_calculate_condition"    ? call_condition
                    : name == "amd64g_calculate_rflags_all" ? call_rflags_all
                    : name == "amd64g_calculate_rflags_c"   ? call_rflags_carry
                                                            : nullptr;
    const unsigned wanted = run == call_condition ? 5 : 4;
    if (run == nullptr || st.operand_count != wanted) return false;
    emit(run, temps_[st.dst], place(st, 0), place(st, 1), place(st, 2));
    more(place(st, 3), wanted == 5 ? place(st, 4) : 0);
    return true;
  }

  bool helper_call(const IrStatement& st) {
    const uint32_t guard = place(st, 0);
    if (st.dst != kNoTemp) {
      const uint32_t bytes = std::max(1u, type_size(ir_.types[st.dst]));
      if (!emit(logged_result, temps_[st.dst], guard, bytes)) return false;
    }
    for (uint32_t i = 0; i < st.effect_count; ++i) {
      const IrEffect& effect = ir_.effects[st.effects + i];
      if (effect.effect == TW_EFFECT_READ) continue;
      const uint64_t reach = uint64_t{effect.repeats} * effect.stride + effect.size;
      if (!inside_state(effect.offset, reach)) return false;
      for (uint32_t r = 0; r <= effect.repeats; ++r) {
        emit(logged_registers, kStateOffset + effect.offset + r * effect.stride, guard,
             effect.size);
      }
    }
    const bool writes = st.memory_effect == TW_EFFECT_WRITE || st.memory_effect == TW_EFFECT_MODIFY;
    if (writes) emit(logged_memory, 0, guard, place(st, 1), st.memory_size);
    return true;
  }

  bool swap(const IrStatement& st) {
    const uint32_t bytes = type_size(ir_.types[st.dst]);
    const uint32_t address = place(st, 0);
    const bool is_double = st.dst_high != kNoTemp;
    if (!emit(load_of(bytes), temps_[st.dst], address, next_load(bytes))) return false;
    if (!is_double) {
      emit(swap_store_of(bytes), 0, address, place(st, 1), place(st, 2));
      more(temps_[st.dst]);
      return true;
    }
    if (!emit(load_behind_of(bytes), temps_[st.dst_high], address, next_load(bytes))) return false;
    emit(swap_store_double_of(bytes), temps_[st.dst], address, place(st, 1), place(st, 3));
    more(temps_[st.dst_high], place(st, 2), place(st, 4));
    return true;
  }

  bool guarded_load(const IrStatement& st) {
    const uint32_t bytes = loadg_size(st.load_kind);
    const bool sign = st.load_kind == TW_LOADG_16S32 || st.load_kind == TW_LOADG_8S32;
    const bool emitted =
        emit(load_if_of(bytes), temps_[st.dst], place(st, 0), place(st, 1), place(st, 2));
    more(next_load(bytes), slot_size(ir_.types[st.dst]), sign ? 1 : 0);
    return emitted;
  }

  CodeCache& cache_;
  const IrBlock& ir_;
  std::vector<uint32_t> temps_;
  std::unique_ptr<CompiledBlock> out_ = std::make_unique<CompiledBlock>();
  bool begun_ = false;
};

uint32_t CodeCache::constant(uint64_t low, uint64_t high, uint64_t third, uint64_t fourth,
                             unsigned words) {
  const auto place = [&](size_t index) {
    return static_cast<uint32_t>(kConstantsOffset + index * 8);
  };
  if (words == 1) {
    const auto [found, is_new] = words_.try_emplace(low, static_cast<uint32_t>(constants_.size()));
    if (is_new) {
      constants_.push_back(low);
      constants_.push_back(0);  // operations may look at 16 bytes
    }
    return place(found->second);
  }
  const size_t index = constants_.size();
  constants_.insert(constants_.end(), {low, high});
  if (words == 4) constants_.insert(constants_.end(), {third, fourth});
  return place(index);
}

Result<const CompiledBlock*> CodeCache::find(const BlockDef& def) {
  if (by_id_.size() <= def.id.value) by_id_.resize(def.id.value * 2 + 1);
  auto& slot = by_id_[def.id.value];
  if (slot) return slot.get();
  TRY(const IrBlock ir, decode_ir(def.ir));
  TRY(slot, BlockCompiler(*this, ir).compile());
  if (slot->variant_end.size() != def.variants ||
      slot->instruction_end.size() != def.instructions()) {
    slot.reset();
    return fail("T021", "the IR of the block at {:#x} has other exits or instructions than it",
                def.address.value);
  }
  return slot.get();
}

}  // namespace twinrun
