// SPDX-License-Identifier: MIT
// Frames of calls: the address of the current one, and the registers at its entry.
//
// An optimizer often leaves only "the value that rdi had at the entry of the function". Its caller
// may know it: for a call, compilers describe what they passed in which register, by expressions
// that hold in the caller's frame behind the call (DWARF 5, section 3.4). So the caller's registers
// are unwound by the call frame information, the call is found by its return address, and the
// expression is evaluated there, which may need an entry value of the caller in turn. A tail call
// in between would make all of that wrong: the call must name the function that we are in.
#include "format/registers.h"
#include "program/debug_info_impl.h"

#include <dwarf.h>

#include <map>
#include <set>

namespace twinrun {
namespace {

constexpr int kMostCallers = 8;
constexpr unsigned kRegisters = dwarf::kReturnAddress + 1;  // and the general registers

// The caller of a frame.
class CallerSource : public ValueSource {
 public:
  CallerSource(const ValueSource& callee, Dwarf_Frame* frame) : callee_(callee) {
    Dwarf_Op* operations = nullptr;
    size_t count = 0;
    std::optional<uint64_t> cfa;
    if (dwarf_frame_cfa(frame, &operations, &count) == 0 && count > 0)
      if (const auto bytes = encode_operations(operations, count))
        cfa = evaluate_number(*bytes, {.source = &callee});
    for (unsigned number = 0; number < kRegisters; ++number)
      regs_[number] = unwound(frame, number, cfa);
  }

  [[nodiscard]] std::optional<uint64_t> reg(unsigned number) const override {
    return number < kRegisters ? regs_[number] : std::nullopt;
  }
  [[nodiscard]] bool memory(uint64_t address, std::span<uint8_t> out) const override {
    return callee_.memory(address, out);
  }
  [[nodiscard]] std::optional<uint64_t> tls_address(uint64_t offset) const override {
    return callee_.tls_address(offset);
  }
  [[nodiscard]] uint64_t load_bias() const override { return callee_.load_bias(); }

 private:
  std::optional<uint64_t> unwound(Dwarf_Frame* frame, unsigned number,
                                  std::optional<uint64_t> cfa) const {
    Dwarf_Op memory[3];
    Dwarf_Op* operations = nullptr;
    size_t count = 0;
    if (dwarf_frame_register(frame, static_cast<int>(number), memory, &operations, &count) != 0)
      return std::nullopt;
    // No operations: with null the register was left alone, otherwise it is lost. libdw 0.188 also
    // calls those lost that a function without any rules does not mention; the ABI says that a
    // callee keeps rbx, rbp and r12 to r15.
    const bool is_kept = number == dwarf::kRbx || number == dwarf::kRbp ||
                         (number >= dwarf::kR12 && number <= dwarf::kR15);
    if (count == 0) return operations == nullptr || is_kept ? callee_.reg(number) : std::nullopt;
    const bool is_value = operations[count - 1].atom == DW_OP_stack_value;
    const bool starts_at_cfa = operations[0].atom == DW_OP_call_frame_cfa;
    const size_t first = starts_at_cfa ? 1 : 0;
    const size_t last = count - (is_value ? 1 : 0);
    if (starts_at_cfa && !cfa) return std::nullopt;
    auto rest = encode_operations(operations + first, last - first);
    if (!rest) return std::nullopt;
    ByteWriter expression;
    if (starts_at_cfa) {
      expression.fixed(uint8_t{DW_OP_const8u});
      expression.fixed(*cfa);
    }
    expression.raw(*rest);
    const auto number_there = evaluate_number(expression.bytes(), {.source = &callee_});
    if (!number_there || is_value) return number_there;
    uint64_t value = 0;
    if (!callee_.memory(*number_there, {reinterpret_cast<uint8_t*>(&value), sizeof value}))
      return std::nullopt;
    return value;
  }

  const ValueSource& callee_;
  std::optional<uint64_t> regs_[kRegisters];
};

// The entry of the call that returns to the address, somewhere below the function.
std::optional<Dwarf_Die> find_call(const Dwarf_Die& function, uint64_t return_address) {
  std::vector<Dwarf_Die> waiting{function};
  std::optional<Dwarf_Die> found;
  for (size_t visited = 0; !waiting.empty() && !found && visited < 100'000; ++visited) {
    const Dwarf_Die die = waiting.back();
    waiting.pop_back();
    for_children(die, [&](Dwarf_Die& child) {
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) waiting.push_back(child);
      if (tag != DW_TAG_call_site && tag != DW_TAG_GNU_call_site) return true;
      Dwarf_Attribute attribute;
      Dwarf_Addr address = 0;
      // GNU's older form has the return address as low_pc.
      if ((dwarf_attr(&child, DW_AT_call_return_pc, &attribute) == nullptr &&
           dwarf_attr(&child, DW_AT_low_pc, &attribute) == nullptr) ||
          dwarf_formaddr(&attribute, &address) != 0 || address != return_address)
        return true;
      found = child;
      return false;
    });
  }
  return found;
}

std::string linkage_or_name(Dwarf_Die& die) {
  std::string name = text_of(die, DW_AT_linkage_name);
  return name.empty() ? name_of(die) : name;
}

// The call is a call of the function, directly or through a pointer.
bool calls(Dwarf_Die& call, Dwarf_Die& function, const UnitContext& unit,
           const ExpressionContext& context) {
  Dwarf_Attribute attribute;
  Dwarf_Die origin;
  if ((dwarf_attr(&call, DW_AT_call_origin, &attribute) != nullptr ||
       dwarf_attr(&call, DW_AT_abstract_origin, &attribute) != nullptr) &&
      dwarf_formref_die(&attribute, &origin) != nullptr) {
    const std::string name = linkage_or_name(origin);
    return !name.empty() && name == linkage_or_name(function);
  }
  Dwarf_Addr entry = 0;
  if ((dwarf_attr(&call, DW_AT_call_target, &attribute) == nullptr &&
       dwarf_attr(&call, DW_AT_GNU_call_site_target, &attribute) == nullptr) ||
      dwarf_entrypc(&function, &entry) != 0)
    return false;
  const auto expression = unit.expression(attribute, 0);
  if (!expression) return false;
  const auto target = evaluate_number(*expression, context);
  return target == entry + context.source->load_bias();
}

// Calls `visit` for each call at the end of the function that leaves its frame to the callee.
void for_tail_calls(const Dwarf_Die& function, const std::function<void(Dwarf_Die&)>& visit) {
  std::vector<Dwarf_Die> waiting{function};
  for (size_t visited = 0; !waiting.empty() && visited < 100'000; ++visited) {
    const Dwarf_Die die = waiting.back();
    waiting.pop_back();
    for_children(die, [&](Dwarf_Die& child) {
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) waiting.push_back(child);
      if ((tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) &&
          (flag_of(child, DW_AT_call_tail_call) || flag_of(child, DW_AT_GNU_tail_call)))
        visit(child);
      return true;
    });
  }
}

// Whether the function can be entered again in the same frame, with other registers, by tail calls
// of its own and of those that they enter. What is called through a pointer may be anything; what
// is called in another unit does not come back by a tail call unless it is given a pointer.
bool can_reenter(DwarfUnit& unit, int32_t function) {
  std::map<std::string, int32_t> by_name;
  for (size_t i = 0; i < unit.scopes().size(); ++i)
    if (unit.scopes()[i].kind == Scope::Kind::kFunction) {
      Dwarf_Die die = unit.scopes()[i].die;
      by_name.emplace(linkage_or_name(die), static_cast<int32_t>(i));
    }
  std::vector<int32_t> waiting{function};
  std::set<int32_t> seen;
  bool comes_back = false;
  while (!waiting.empty() && !comes_back) {
    const int32_t at = waiting.back();
    waiting.pop_back();
    for_tail_calls(unit.scopes()[static_cast<size_t>(at)].die, [&](Dwarf_Die& call) {
      Dwarf_Attribute attribute;
      Dwarf_Die origin;
      if ((dwarf_attr(&call, DW_AT_call_origin, &attribute) == nullptr &&
           dwarf_attr(&call, DW_AT_abstract_origin, &attribute) == nullptr) ||
          dwarf_formref_die(&attribute, &origin) == nullptr) {
        comes_back = true;
        return;
      }
      const auto target = by_name.find(linkage_or_name(origin));
      if (target == by_name.end()) return;
      comes_back |= target->second == function;
      if (seen.insert(target->second).second) waiting.push_back(target->second);
    });
  }
  return comes_back;
}

// The expression for the value that the call passed in the register.
std::optional<ByteSpan> passed_value(const Dwarf_Die& call, const UnitContext& unit, unsigned reg) {
  std::optional<ByteSpan> found;
  for_children(call, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_call_site_parameter && tag != DW_TAG_GNU_call_site_parameter) return true;
    Dwarf_Attribute attribute;
    if (dwarf_attr(&child, DW_AT_location, &attribute) == nullptr) return true;
    const auto where = unit.expression(attribute, 0);
    if (!where || where->size() != 1 || (*where)[0] != DW_OP_reg0 + reg) return true;
    if (dwarf_attr(&child, DW_AT_call_value, &attribute) != nullptr ||
        dwarf_attr(&child, DW_AT_GNU_call_site_value, &attribute) != nullptr)
      found = unit.expression(attribute, 0);
    return false;
  });
  return found;
}

}  // namespace

std::unique_ptr<Dwarf_Frame, FreeFrame> DebugInfo::Impl::frame_at(uint64_t pc) {
  if (!std::exchange(has_frames, true)) {
    exception_frames = dwarf_getcfi_elf(files.binary->elf());
    if (files.debug().dwarf() != nullptr) debug_frames = dwarf_getcfi(files.debug().dwarf());
  }
  for (Dwarf_CFI* table : {exception_frames, debug_frames}) {
    Dwarf_Frame* frame = nullptr;
    if (table != nullptr && dwarf_cfi_addrframe(table, pc, &frame) == 0)
      return std::unique_ptr<Dwarf_Frame, FreeFrame>(frame);
  }
  return nullptr;
}

std::optional<uint64_t> DebugInfo::Impl::call_frame_address(uint64_t pc,
                                                            const ValueSource& source) {
  if (const auto told = source.call_frame_address()) return told;
  const auto frame = frame_at(pc);
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  if (frame == nullptr || dwarf_frame_cfa(frame.get(), &operations, &count) != 0 || count == 0)
    return std::nullopt;
  const auto expression = encode_operations(operations, count);
  if (!expression) return std::nullopt;
  return evaluate_number(*expression, {.source = &source});
}

int32_t DebugInfo::Impl::function_at(DwarfUnit& unit, uint64_t pc) {
  unit.need_scopes();
  int32_t at = unit.subroutine_at(pc);
  while (at >= 0 && unit.scopes()[static_cast<size_t>(at)].kind != Scope::Kind::kFunction)
    at = unit.scopes()[static_cast<size_t>(at)].parent;
  return at;
}

ExpressionContext DebugInfo::Impl::context_at(int32_t number, uint64_t pc,
                                              const ValueSource& source, int depth) {
  ExpressionContext out;
  out.unit = &unit(number).context();
  out.source = &source;
  out.call_frame_address = [this, pc, &source] { return call_frame_address(pc, source); };
  out.frame_base = [this, number, pc, &source]() -> std::optional<uint64_t> {
    DwarfUnit& owner = unit(number);
    const int32_t at = function_at(owner, pc);
    if (at < 0) return std::nullopt;
    Dwarf_Die function = owner.scopes()[static_cast<size_t>(at)].die;
    Dwarf_Attribute base;
    if (dwarf_attr_integrate(&function, DW_AT_frame_base, &base) == nullptr) return std::nullopt;
    const auto bytes = owner.context().expression(base, pc);
    if (!bytes) return std::nullopt;
    return evaluate_number(
        *bytes,
        {.unit = &owner.context(), .source = &source, .call_frame_address = [this, pc, &source] {
           return call_frame_address(pc, source);
         }});
  };
  if (depth < kMostCallers)
    out.entry_reg = [this, number, pc, &source, depth](unsigned reg) {
      return entry_reg(number, pc, source, reg, depth);
    };
  return out;
}

std::optional<uint64_t> DebugInfo::Impl::entry_reg(int32_t number, uint64_t pc,
                                                   const ValueSource& source, unsigned reg,
                                                   int depth) {
  DwarfUnit& callee = unit(number);
  const int32_t at = function_at(callee, pc);
  const auto frame = frame_at(pc);
  if (at < 0 || frame == nullptr || reg > 31) return std::nullopt;
  const CallerSource caller(source, frame.get());
  const auto back = caller.reg(dwarf::kReturnAddress);
  if (!back) return std::nullopt;
  const uint64_t return_address = *back - source.load_bias();
  // The call may be the last instruction of its function.
  const int32_t calling_unit = unit_at(return_address - 1);
  if (calling_unit < 0) return std::nullopt;
  DwarfUnit& calling = unit(calling_unit);
  const int32_t calling_function = function_at(calling, return_address - 1);
  if (calling_function < 0) return std::nullopt;
  auto call =
      find_call(calling.scopes()[static_cast<size_t>(calling_function)].die, return_address);
  if (!call) return std::nullopt;
  const ExpressionContext context = context_at(calling_unit, return_address - 1, caller, depth + 1);
  Dwarf_Die function = callee.scopes()[static_cast<size_t>(at)].die;
  if (!calls(*call, function, calling.context(), context)) return std::nullopt;
  const auto [known, is_new] = reentered.try_emplace({number, at}, false);
  if (is_new) known->second = can_reenter(callee, at);
  if (known->second) return std::nullopt;
  const auto expression = passed_value(*call, calling.context(), reg);
  if (!expression) return std::nullopt;
  const Location value = evaluate(*expression, context);
  if (value.kind == Location::Kind::kMemory) return value.address;
  return std::nullopt;
}

}  // namespace twinrun
