// SPDX-License-Identifier: MIT
// Two computations of the process go side by side: one runs forward through the range and has each
// instruction's registers and memory accesses, the other is asked for what memory held in front of
// the range (past_memory.h), which what runs is then laid over.
#include "values/value_dump.h"

#include "program/disassembler.h"
#include "program/naming.h"
#include "trace/regen/effects.h"
#include "trace/regen/memory_events.h"
#include "values/past_state.h"
#include "values/source_names.h"
#include "values/subject.h"

#include <algorithm>

namespace twinrun {
namespace {

std::string hex_number(ByteSpan bytes) {
  size_t size = bytes.size();
  while (size > 1 && bytes[size - 1] == 0) --size;
  std::string out = fmt::format("{:#x}", bytes[size - 1]);
  for (size_t i = size - 1; i-- > 0;) out += fmt::format("{:02x}", bytes[i]);
  return out;
}

class ValueDumper {
 public:
  ValueDumper(ProcessView& view, ProcessValues& forward, const DumpOptions& options,
              const DumpSink& sink)
      : view_(view), forward_(forward), options_(options), sink_(sink) {}

  Result<bool> run_from(BlockAt first) {
    PastMemory memory(view_, {first, 0});
    TRY(Regenerator* const machine, forward_.run_to(first, true));
    for (uint32_t number = first.segment;; ++number) {
      TRY(const SegmentValues* computed, view_.values->segment(number));
      const SegmentValues segment = *computed;
      EventReader events(machine->data().events());
      Event event;
      bool has_event = events.next(event);
      // What happened in front of the range is known to `memory` already.
      uint32_t ordinal = number == first.segment ? first.ordinal : 0;
      while (number == first.segment && has_event && event.at <= ordinal)
        has_event = events.next(event);
      for (; ordinal < segment.block_count(); ++ordinal) {
        for (; has_event && event.at <= ordinal; has_event = events.next(event))
          apply_to_memory(event, memory);
        machine->apply_events();
        const ByteSpan state{machine->machine().state(), machine->machine().state_size()};
        const Bytes before(state.begin(), state.end());
        TRY(const Regenerator::Item item, machine->next());
        if (item != Regenerator::Item::kBlock) {
          // The process ended in it: what it did is known, but not with which values.
          without_values(segment, {number, ordinal});
          return !stopped_;
        }
        TRY(const bool more, block(machine->machine(), machine->block(), segment, {number, ordinal},
                                   before, memory));
        if (!more) return !stopped_;
      }
      for (; has_event; has_event = events.next(event)) apply_to_memory(event, memory);
      machine->apply_events();
      if (number + 1 >= view_.values->segments()) return true;
      TRY_VOID(machine->enter(number + 1));
    }
  }

 private:
  [[nodiscard]] bool wanted(uint32_t thread, uint64_t step) const {
    if (options_.thread && thread != options_.thread->value) return false;
    if (!options_.range) return true;
    return thread == options_.range->from.thread.value && step >= options_.range->from.step.value &&
           step < options_.range->to.step.value;
  }

  /// False behind the range, or when the sink has ended the dump.
  Result<bool> block(Machine& machine, const Regenerator::Block& block,
                     const SegmentValues& segment, BlockAt at, ByteSpan before,
                     PastMemory& memory) {
    const BlockDef& def = *block.executable->def;
    const CompiledBlock& code = *block.executable->code;
    const uint64_t first_step = segment.steps[at.ordinal];
    if (options_.range && block.thread == options_.range->from.thread.value &&
        first_step >= options_.range->to.step.value)
      return false;
    BlockRegisters walk(def, code, block.ops, machine, before);
    size_t access = 0;
    for (uint32_t i = 0; i < def.instructions(); ++i) {
      const size_t first_access = access;
      while (access < code.accesses.size() && code.accesses[access].instruction <= i) ++access;
      const std::span<const MemoryAccess> accesses{code.accesses.data() + first_access,
                                                   access - first_access};
      // A block that was left early has counted fewer instructions than it has.
      const bool shown = i < segment.counts[at.ordinal] && wanted(block.thread, first_step + i);
      if (shown) {
        emit(row(machine, block, accesses, walk, memory, {at, i}, first_step + i));
        if (stopped_) return false;
      } else {
        walk.step();
      }
      for (const MemoryAccess& done : accesses) {
        if (happened(machine, block, done))
          memory.write(machine.word(done.address) + done.displacement,
                       {machine.at(done.value), done.size});
      }
    }
    return true;
  }

  static bool happened(Machine& machine, const Regenerator::Block& block,
                       const MemoryAccess& access) {
    return access.op < block.ops && holds(machine, access.guard);
  }

  void emit(InstructionRow row) {
    if (!sink_(std::move(row))) stopped_ = true;
  }

  InstructionRow named_row(uint32_t thread, uint64_t step, uint64_t blocks, ByteSpan code,
                           uint64_t pc) {
    InstructionRow row;
    row.position = {{view_.process().info.number}, {thread}, {step}};
    const ResolvedAddress place = view_.symbolizer.resolve_line({pc}, blocks);
    row.at = {{pc},
              std::string(place.module),
              std::string(place.function),
              place.function.empty() ? place.module_offset : place.offset};
    row.code.assign(code.begin(), code.end());
    row.text = disassembler_.text(code, {pc});
    row.file = place.file;
    row.line = place.line;
    row.has_values = true;
    return row;
  }

  void without_values(const SegmentValues& segment, BlockAt at) {
    const BlockDef* def = view_.values->dictionary().find(segment.value(at.ordinal));
    const uint32_t thread = segment.thread_of(at.ordinal);
    for (uint32_t i = 0; def != nullptr && i < segment.counts[at.ordinal] && !stopped_; ++i) {
      const uint64_t pc = address_of(*def, i);
      const uint64_t step = segment.steps[at.ordinal] + i;
      const ByteSpan code = def->bytes.subspan(pc - def->address.value, def->lengths[i]);
      if (wanted(thread, step)) emit(named_row(thread, step, view_.number_of(at), code, pc));
    }
  }

  /// Executes the instruction on `walk`.
  InstructionRow row(Machine& machine, const Regenerator::Block& block,
                     std::span<const MemoryAccess> accesses, BlockRegisters& walk,
                     PastMemory& memory, const InstructionAt& at, uint64_t step) {
    const uint64_t blocks = view_.number_of(at.block);
    const ByteSpan code = walk.bytes();
    const uint64_t pc = walk.pc();
    InstructionRow row = named_row(block.thread, step, blocks, code, pc);

    const auto use = decoder_.registers(code);
    const DebugAt here = debug_at(view_, {pc}, blocks);
    {
      const PastState state(walk.now(), memory, here.load_bias);
      add_registers(row.reads, use ? use->reads : 0, here, state);
      // Loads first: the memory is still as it was.
      for (const MemoryAccess& access : accesses) {
        if (access.kind == MemoryAccess::Kind::kLoad && happened(machine, block, access))
          add_memory(row.reads, machine, access, here, state, memory);
      }
      for (const MemoryAccess& access : accesses) {
        if (access.kind == MemoryAccess::Kind::kStore && happened(machine, block, access))
          add_memory(row.writes, machine, access, here, state, memory);
      }
    }
    walk.step();
    const DebugAt behind = debug_at(view_, {walk.pc()}, blocks);
    const PastState after(walk.now(), memory, behind.load_bias);
    add_registers(row.writes, use ? use->writes : 0, behind, after);
    return row;
  }

  void add_registers(std::vector<OperandValue>& out, RegisterSet which, const DebugAt& debug,
                     const PastState& state) {
    for_each_place(which & kGeneralBits, [&](uint32_t offset, uint32_t size) {
      add_register(out, offset, size, debug, state);
    });
    for_each_place(which & kVectorBits, [&](uint32_t offset, uint32_t size) {
      // The upper half is shown when there is something in it.
      const uint32_t half = size / 2;
      const auto upper = std::span(state.registers().bytes).subspan(offset + half, half);
      const bool is_wide = std::ranges::any_of(upper, [](uint8_t byte) { return byte != 0; });
      add_register(out, offset, is_wide ? size : half, debug, state);
    });
  }

  void add_register(std::vector<OperandValue>& out, uint32_t offset, uint32_t size,
                    const DebugAt& debug, const PastState& state) {
    OperandValue value{.what = register_text(view_.process(), offset, size), .size = size};
    const Registers& registers = state.registers();
    if (registers.knows(offset, size)) {
      value.value = hex_number(ByteSpan(registers.bytes).subspan(offset, size));
      SourceName name = SourceNames::of_register(debug, state, offset, size);
      value.variable = std::move(name.text);
      value.shown = std::move(name.value);
    }
    out.push_back(std::move(value));
  }

  static void add_memory(std::vector<OperandValue>& out, Machine& machine,
                         const MemoryAccess& access, const DebugAt& debug, const PastState& state,
                         PastMemory& memory) {
    const uint64_t address = machine.word(access.address) + access.displacement;
    const ByteSpan bytes{machine.at(access.value), access.size};
    // The name by the state in front of the instruction, the value by what it leaves.
    std::optional<std::string> text;
    if (debug.info != nullptr)
      text = name_memory(*debug.info, debug.pc.value, state, address, access.size);
    OperandValue value{.what = memory_text(address, access.size),
                       .is_memory = true,
                       .address = address,
                       .size = access.size,
                       .value = hex_number(bytes)};
    if (text) {
      value.variable = *text;
      const auto object = resolve_expression(*debug.info, debug.pc.value, state, *text);
      memory.write(address, bytes);
      if (object) value.shown = format_named(*object, state);
    }
    memory.write(address, bytes);
    out.push_back(std::move(value));
  }

  ProcessView& view_;
  ProcessValues& forward_;
  const DumpOptions& options_;
  const DumpSink& sink_;
  Disassembler disassembler_;
  Decoder decoder_;
  bool stopped_ = false;
};

}  // namespace

Result<bool> dump_values(RunProcess& process, const DumpOptions& options, const DumpSink& sink) {
  if (process.process().segments.empty()) return true;
  TRY(ProcessView* const view, process.facet<ProcessView>());
  BlockAt first;
  if (options.range) {
    TRY(const ProcessValues::Found found,
        view->values->find(options.range->from.thread, options.range->from.step));
    first = found.block;
  }
  TRY(const auto forward, ProcessValues::open(process));
  return ValueDumper(*view, *forward, options, sink).run_from(first);
}

}  // namespace twinrun
