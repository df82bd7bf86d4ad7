// SPDX-License-Identifier: MIT
// From the compact IR to steps of the machine. A statement becomes one step, or none (a move of a
// constant is a constant; an exit only remembers its guard); operations with more operands than a
// step has take a second one that only holds operands.
#include "trace/regen/code.h"

#include "trace/regen/machine.h"
#include "trace/regen/native.h"
#include "trace/regen/steps.h"

namespace twinrun {
namespace {

/// Bytes that a value takes in the arena.
uint32_t slot_size(uint8_t type) { return std::max(8u, type_size(type)); }

}  // namespace

using namespace steps;  // NOLINT(google-build-using-namespace)

class BlockCompiler {
 public:
  BlockCompiler(CodeCache& cache, const IrBlock& ir) : cache_(cache), ir_(ir) {}

  Result<std::unique_ptr<CompiledBlock>> compile() {
    for (const uint8_t type : ir_.types) temps_.push_back(take_slot(slot_size(type)));
    for (const IrStatement& st : ir_.statements) {
      if (st.tag == TW_STMT_IMARK && begun_) out_->instruction_end.push_back(size());
      if (st.tag == TW_STMT_IMARK) begun_ = true;
      out_->statement_start.push_back(size());
      if (!statement(st))
        return fail("T021", "a statement of kind {} cannot be computed", static_cast<int>(st.tag));
    }
    if (slots_end_ > kTempsOffset + kTempsSize)
      return fail("T020", "a block has too many temporaries");
    out_->instruction_end.push_back(size());
    out_->variant_end.push_back(size());
    out_->next = place(ir_.next);
    out_->temps = std::move(temps_);
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

  uint32_t take_slot(uint32_t bytes) {
    const uint32_t slot = slots_end_;
    slots_end_ += (bytes + 7) / 8 * 8;
    return slot;
  }

  bool emit(StepFunction run, uint32_t dst, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    return emit({}, run, dst, a, b, c);
  }
  bool emit(StepShape shape, StepFunction run, uint32_t dst, uint32_t a = 0, uint32_t b = 0,
            uint32_t c = 0) {
    if (run == nullptr) return false;
    if (run == cache_.planted_.right) {
      run = cache_.planted_.wrong;
      shape = {};
    }
    out_->ops.push_back({run, dst, a, b, c});
    out_->shapes.push_back(shape);
    return true;
  }
  void more(uint32_t a, uint32_t b = 0, uint32_t c = 0) {
    emit({StepShape::kNothing}, operands_only_step(), 0, a, b, c);
  }
  /// The step that was emitted last accesses memory.
  void access(MemoryAccess::Kind kind, uint32_t bytes, uint32_t address, uint32_t value,
              uint32_t guard = MemoryAccess::kAlways, uint32_t displacement = 0) {
    out_->accesses.push_back({.op = size() - 1,
                              .instruction = static_cast<uint32_t>(out_->instruction_end.size()),
                              .address = address,
                              .value = value,
                              .guard = guard,
                              .size = static_cast<uint16_t>(bytes),
                              .displacement = static_cast<uint8_t>(displacement),
                              .kind = kind});
    if (kind == MemoryAccess::Kind::kStore) out_->stores.push_back(out_->accesses.back());
  }
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
        if (!emit({StepShape::kCopy, bytes}, copy_of(bytes), kStateOffset + st.offset,
                  place(st, 0)))
          return false;
        writes_register({.offset = st.offset, .size = bytes, .value = place(st, 0)});
        return true;
      }
      case TW_STMT_GET: {
        const uint32_t bytes = type_size(ir_.types[st.dst]);
        if (!inside_state(st.offset, bytes)) return false;
        const StepShape shape{bytes < 8 ? StepShape::kGet : StepShape::kCopy, bytes};
        return emit(shape, bytes < 8 ? get_narrow_of(bytes) : copy_of(bytes), temps_[st.dst],
                    kStateOffset + st.offset);
      }
      case TW_STMT_GETI:
      case TW_STMT_PUTI: return indexed(st);
      case TW_STMT_MOVE: {
        const uint32_t bytes = slot_size(ir_.types[st.dst]);
        return emit({StepShape::kCopy, bytes}, copy_of(bytes), temps_[st.dst], place(st, 0));
      }
      case TW_STMT_OP: return operation(st);
      case TW_STMT_LOAD: return load(temps_[st.dst], type_size(ir_.types[st.dst]), place(st, 0));
      case TW_STMT_STORE: {
        const uint32_t bytes = type_size(type_of(operand(st, 1)));
        if (!emit({StepShape::kStore, bytes}, store_of(bytes), 0, place(st, 0), place(st, 1)))
          return false;
        access(MemoryAccess::Kind::kStore, bytes, place(st, 0), place(st, 1));
        return true;
      }
      case TW_STMT_ITE: {
        const uint32_t bytes = slot_size(ir_.types[st.dst]);
        return emit({StepShape::kChoose, bytes}, choose_of(bytes), temps_[st.dst], place(st, 0),
                    place(st, 1), place(st, 2));
      }
      case TW_STMT_CCALL: return pure_call(st);
      case TW_STMT_DIRTY: return helper_call(st);
      case TW_STMT_CAS: return swap(st);
      case TW_STMT_LOADG: return guarded_load(st);
      case TW_STMT_STOREG: {
        const uint32_t bytes = type_size(type_of(operand(st, 1)));
        if (!emit(store_if_of(bytes), 0, place(st, 0), place(st, 1), place(st, 2))) return false;
        access(MemoryAccess::Kind::kStore, bytes, place(st, 0), place(st, 1), place(st, 2));
        return true;
      }
      case TW_STMT_EXIT:
        out_->exits.push_back(
            {size(), place(st, 0), st.target, st.makes_variant, st.jump == TW_JUMP_SIGNAL});
        if (st.makes_variant) out_->variant_end.push_back(size());
        return true;
    }
    return false;
  }

  /// The step that was emitted last writes to the register file.
  void writes_register(RegisterWrite write) {
    write.op = size() - 1;
    write.instruction = static_cast<uint32_t>(out_->instruction_end.size());
    out_->register_writes.push_back(write);
  }

  bool load(uint32_t dst, uint32_t bytes, uint32_t address) {
    if (!emit({StepShape::kLoad, bytes}, load_of(bytes), dst, address, next_load(bytes)))
      return false;
    access(MemoryAccess::Kind::kLoad, bytes, address, dst);
    return true;
  }

  bool indexed(const IrStatement& st) {
    const uint32_t bytes = type_size(st.element_type);
    const bool is_put = st.tag == TW_STMT_PUTI;
    const uint64_t span = uint64_t{st.element_count} * bytes;
    if (span == 0 || !inside_state(st.offset, span)) return false;
    if (is_put) {
      const uint32_t offset = take_slot(8);
      if (!emit(put_indexed_of(bytes), offset, kStateOffset + st.offset, place(st, 0),
                place(st, 1)))
        return false;
      writes_register({.offset_from = offset, .size = bytes, .value = place(st, 1)});
    } else if (!emit(get_indexed_of(bytes), temps_[st.dst], kStateOffset + st.offset,
                     place(st, 0))) {
      return false;
    }
    more(st.element_count, static_cast<uint32_t>(st.bias), bytes);
    return true;
  }

  bool operation(const IrStatement& st) {
    if (st.cls == TW_CLASS_UNKNOWN) return true;
    if (st.cls == TW_CLASS_LOGGED) return logged(st);
    const unsigned n = st.operand_count;
    if (n < 4 && op_name(st.op) == "64x4toV256") return false;  // the one that reads a second step
    const bool emitted =
        emit({StepShape::kOperation, st.op}, evaluator_of(st.op), temps_[st.dst],
             n > 0 ? place(st, 0) : 0, n > 1 ? place(st, 1) : 0, n > 2 ? place(st, 2) : 0);
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
    const StepFunction run = name == "amd64g_calculate_condition"    ? call_condition_step()
                             : name == "amd64g_calculate_rflags_all" ? call_rflags_all_step()
                             : name == "amd64g_calculate_rflags_c"   ? call_rflags_carry_step()
                                                                     : nullptr;
    const unsigned wanted = run == call_condition_step() ? 5 : 4;
    if (run == nullptr || st.operand_count != wanted) return false;
    emit(run, temps_[st.dst], place(st, 0), place(st, 1), place(st, 2));
    more(place(st, 3), wanted == 5 ? place(st, 4) : 0);
    return true;
  }

  bool helper_call(const IrStatement& st) {
    const uint32_t guard = place(st, 0);
    if (st.dst != kNoTemp) {
      const uint32_t bytes = std::max(1u, type_size(ir_.types[st.dst]));
      if (!emit(logged_result_step(), temps_[st.dst], guard, bytes)) return false;
    }
    for (uint32_t i = 0; i < st.effect_count; ++i) {
      const IrEffect& effect = ir_.effects[st.effects + i];
      if (effect.effect == TW_EFFECT_READ) continue;
      const uint64_t reach = uint64_t{effect.repeats} * effect.stride + effect.size;
      if (!inside_state(effect.offset, reach)) return false;
      for (uint32_t r = 0; r <= effect.repeats; ++r) {
        const uint32_t offset = effect.offset + r * effect.stride;
        const uint32_t taken = take_slot(effect.size);
        if (slots_end_ > kTempsOffset + kTempsSize) return false;
        emit(logged_registers_step(), kStateOffset + offset, guard, effect.size, taken);
        writes_register({.offset = offset, .size = effect.size, .value = taken, .guard = guard});
      }
    }
    const bool writes = st.memory_effect == TW_EFFECT_WRITE || st.memory_effect == TW_EFFECT_MODIFY;
    if (writes && st.memory_size > UINT16_MAX) return false;
    if (writes) {
      const uint32_t stored = take_slot(st.memory_size);
      if (slots_end_ > kTempsOffset + kTempsSize) return false;
      emit(logged_memory_step(), stored, guard, place(st, 1), st.memory_size);
      access(MemoryAccess::Kind::kStore, st.memory_size, place(st, 1), stored, guard);
    }
    return true;
  }

  bool swap(const IrStatement& st) {
    const uint32_t bytes = type_size(ir_.types[st.dst]);
    const uint32_t address = place(st, 0);
    const bool is_double = st.dst_high != kNoTemp;
    if (!load(temps_[st.dst], bytes, address)) return false;
    const uint32_t stored = take_slot(16);
    if (!is_double) {
      emit(swap_store_of(bytes), stored, address, place(st, 1), place(st, 2));
      access(MemoryAccess::Kind::kStore, bytes, address, stored);
      more(temps_[st.dst]);
      return true;
    }
    if (!emit(load_behind_of(bytes), temps_[st.dst_high], address, next_load(bytes))) return false;
    access(MemoryAccess::Kind::kLoad, bytes, address, temps_[st.dst_high], MemoryAccess::kAlways,
           bytes);
    emit(swap_store_double_of(bytes), stored, address, place(st, 1), place(st, 3));
    access(MemoryAccess::Kind::kStore, 2 * bytes, address, stored);
    more(temps_[st.dst], place(st, 2), place(st, 4));
    more(temps_[st.dst_high]);
    return true;
  }

  bool guarded_load(const IrStatement& st) {
    const uint32_t bytes = loadg_size(st.load_kind);
    const bool sign = st.load_kind == TW_LOADG_16S32 || st.load_kind == TW_LOADG_8S32;
    const bool emitted =
        emit(load_if_of(bytes), temps_[st.dst], place(st, 0), place(st, 1), place(st, 2));
    if (emitted)
      access(MemoryAccess::Kind::kLoad, bytes, place(st, 0), temps_[st.dst], place(st, 2));
    more(next_load(bytes), slot_size(ir_.types[st.dst]), sign ? 1 : 0);
    return emitted;
  }

  CodeCache& cache_;
  const IrBlock& ir_;
  std::vector<uint32_t> temps_;
  uint32_t slots_end_ = kTempsOffset;
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

CodeCache::CodeCache(const Dictionary& dictionary, uint32_t state_size, Engine engine)
    : dictionary_(dictionary),
      state_size_(state_size),
      hot_(engine == Engine::kMixed    ? 32
           : engine == Engine::kNative ? 1
                                       : 0),
      native_(std::make_unique<NativeCompiler>()) {}
CodeCache::~CodeCache() = default;

Result<const CompiledBlock*> CodeCache::compiled(const BlockDef& def) {
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

Result<Executable*> CodeCache::add(uint32_t value) {
  const BlockDef* def = dictionary_.find(value);
  if (def == nullptr) return fail("T022", "block value {} is not defined", value);
  TRY(const CompiledBlock* code, compiled(*def));
  if (by_value_.size() <= value) by_value_.resize(size_t{value} * 2 + 1);
  const uint32_t variant = value - def->id.value;
  by_value_[value] = {.def = def,
                      .code = code,
                      .address = def->address.value,
                      .variant = variant,
                      .ops = code->variant_end[variant]};
  return &by_value_[value];
}

void CodeCache::make_native(Executable& executable) {
  executable.native = native_->compile(*executable.code, executable.variant, constants_);
}

}  // namespace twinrun
