// SPDX-License-Identifier: MIT
#include "values/dump.h"

#include "kernel/event_row.h"
#include "kernel/syscall_row.h"
#include "kernel/syscalls.h"
#include "program/disassembler.h"
#include "trace/call_stack.h"
#include "trace/ir.h"
#include "trace/maps.h"
#include "trace/timeline.h"
#include "values/value_dump.h"

#include <map>
#include <set>
#include <unordered_map>

namespace twinrun {
namespace {

class ProcessDumper {
 public:
  ProcessDumper(RunProcess& opened, const DumpOptions& options, const DumpSink& sink)
      : options_(options),
        sink_(sink),
        reader_(opened.reader()),
        process_(opened.process()),
        dictionary_(opened.dictionary()),
        maps_(opened.maps()),
        symbolizer_(opened.symbolizer()) {}

  /// False when the sink ended the dump.
  Result<bool> run() {
    Timeline timeline(reader_, dictionary_, process_);
    // Calls that began before the range are needed to tell what returns.
    if (options_.range && options_.what != DumpWhat::kFunctions &&
        !timeline.seek_segment(options_.range->from.thread, options_.range->from.step))
      return true;
    const bool has_blocks =
        options_.what != DumpWhat::kEvents && options_.what != DumpWhat::kSyscalls;
    Timeline::Item item;
    for (;;) {
      TRY(const bool more, timeline.next(item));
      if (!more || past_range(item)) break;
      if (item.is_event)
        event(item);
      else if (has_blocks)
        block(item);
      if (stopped_) return false;
    }
    if (options_.what == DumpWhat::kSyscalls)
      for (auto& [thread, collector] : syscalls_)
        if (auto row = collector.unfinished()) emit(std::move(*row));
    return !stopped_;
  }

 private:
  [[nodiscard]] bool past_range(const Timeline::Item& item) const {
    return options_.range && !item.is_event && item.thread == options_.range->from.thread &&
           item.step >= options_.range->to.step;
  }
  [[nodiscard]] bool wanted(ThreadNo thread, Step step) const {
    if (options_.thread && thread != *options_.thread) return false;
    if (!options_.range) return true;
    return thread == options_.range->from.thread && step >= options_.range->from.step &&
           step < options_.range->to.step;
  }
  [[nodiscard]] Position position(ThreadNo thread, Step step) const {
    return {{process_.info.number}, thread, step};
  }
  void emit(DumpRow row) {
    if (!stopped_ && !sink_(std::move(row))) stopped_ = true;
  }

  NamedAddress name(Addr address, uint64_t blocks) {
    const ResolvedAddress place = symbolizer_.resolve(address, blocks);
    return {address, std::string(place.module), std::string(place.function),
            place.function.empty() ? place.module_offset : place.offset};
  }

  void event(const Timeline::Item& item) {
    const Event& e = item.event;
    const bool shown = wanted(item.thread, item.step);
    switch (options_.what) {
      case DumpWhat::kEvents:
        if (shown) emit(event_row(e, position(item.thread, item.step)));
        return;
      case DumpWhat::kSyscalls:
        if (shown) syscall_event(item);
        return;
      case DumpWhat::kFunctions: call_event(item, shown); return;
      default: return;
    }
  }

  void syscall_event(const Timeline::Item& item) {
    const Event& e = item.event;
    SyscallCollector& collector = syscalls_[item.thread.value];
    const Position at = position(item.thread, item.step);
    switch (traits_of(e.kind).call) {
      case EventCall::kNone: break;
      case EventCall::kBegins:
        if (const auto call = SyscallEvent::parse(e)) {
          if (auto row = collector.unfinished()) emit(std::move(*row));
          collector.begin(*call, at);
        }
        break;
      case EventCall::kReads:
        if (const auto memory = MemoryEvent::parse(e)) collector.add(*memory, true);
        break;
      case EventCall::kWrites:
        if (const auto memory = MemoryEvent::parse(e)) collector.add(*memory, false);
        break;
      case EventCall::kEnds:
        if (const auto result = SyscallResultEvent::parse(e)) {
          SyscallRow row = collector.finish(*result, at);
          if (!options_.data) row.data.clear();
          emit(std::move(row));
        }
        break;
    }
  }

  void block(const Timeline::Item& item) {
    const Execution& e = item.execution;
    const BlockDef* def = dictionary_.find(e.value);
    if (def == nullptr) return;  // the timeline has refused it already
    switch (options_.what) {
      case DumpWhat::kInstructions: return instructions(e, *def);
      case DumpWhat::kBlocks:
        if (wanted(e.thread, e.step))
          emit(BlockRow{position(e.thread, e.step), name(def->address, e.block), def->id.value,
                        e.value - def->id.value, def->variants, e.instructions, e.partial,
                        jump_name(def->jump)});
        return;
      case DumpWhat::kFunctions: return call_block(item, *def);
      case DumpWhat::kIr:
        if (wanted(e.thread, e.step)) ir(e, *def);
        return;
      default: return;
    }
  }

  void instructions(const Execution& e, const BlockDef& def) {
    Addr address = def.address;
    size_t at = 0;
    // An execution that counts fewer instructions than the block has was left early; a last
    // arrival at a rep instruction counts none.
    for (uint32_t i = 0; i < e.instructions && i < def.instructions() && !stopped_; ++i) {
      const uint8_t length = def.lengths[i];
      const Step step{e.step.value + i};
      if (wanted(e.thread, step)) {
        const Decoded& decoded = decode(def, i, address, def.bytes.subspan(at, length), e.block);
        emit(InstructionRow{position(e.thread, step), decoded.at, decoded.code, decoded.text});
      }
      address.value += length;
      at += length;
    }
  }

  struct Decoded {
    NamedAddress at;
    Bytes code;
    std::string text;
  };
  const Decoded& decode(const BlockDef& def, uint32_t number, Addr address, ByteSpan code,
                        uint64_t blocks) {
    const uint64_t key = uint64_t{def.id.value} << 32 | number;
    const auto it = decoded_.find(key);
    if (it != decoded_.end()) return it->second;
    if (decoded_.size() > kDecodedKept) decoded_.clear();
    return decoded_
        .emplace(key, Decoded{name(address, blocks), Bytes(code.begin(), code.end()),
                              disassembler_.text(code, address)})
        .first->second;
  }

  void ir(const Execution& e, const BlockDef& def) {
    if (!printed_.insert(def.id.value).second) return;
    std::string text = "(control flow only)\n";
    if (def.has_ir()) {
      const auto decoded = decode_ir(def.ir);
      text = decoded ? print_ir(*decoded, dictionary_, "") : decoded.error().message + "\n";
    }
    emit(IrRow{position(e.thread, e.step), name(def.address, e.block), def.id.value,
               std::move(text)});
  }

  // ---- functions ----

  struct Thread {
    CallStack calls;
    std::vector<NamedAddress> names;  // of the functions that are active, outermost first
    bool enters = true;               // the next block is the first one of a function
    std::string_view enters_by = "start";
    uint32_t last_jump = 0;
    NamedAddress current;
  };

  void call_event(const Timeline::Item& item, bool shown) {
    const Event& e = item.event;
    if (e.kind == EventKind::kChunk) deltas_.clear();
    if (e.kind == EventKind::kCalls) {
      // Only what this process did itself has names.
      const auto calls = CallsEvent::parse(e);
      if (!calls) return;
      Thread& t = threads_[calls->thread];
      if (auto ring = CallStack::parse(*calls)) t.calls.set(std::move(*ring));
    }
    if (e.kind == EventKind::kSignal) {
      const auto signal = SignalEvent::parse(e);
      if (!signal || (signal->flags & TW_SIGNAL_HANDLED) == 0) return;
      Thread& t = threads_[signal->thread];
      if (shown)
        emit(CallRow{position(item.thread, item.step),
                     "signal",
                     static_cast<uint32_t>(t.names.size()),
                     {signal->pc, {}, signal_name(signal->signal), 0}});
    }
  }

  void call_block(const Timeline::Item& item, const BlockDef& def) {
    const Execution& e = item.execution;
    Thread& t = threads_[e.thread.value];
    const bool shown = wanted(e.thread, e.step);
    NamedAddress here = name(def.address, e.block);
    if (t.enters) {
      if (shown)
        emit(CallRow{position(e.thread, e.step), t.enters_by, static_cast<uint32_t>(t.names.size()),
                     here});
      t.names.push_back(here);
      t.enters = false;
    } else if (!here.function.empty() && here.offset == 0 && t.last_jump == TW_JUMP_BORING &&
               (here.function != t.current.function || here.module != t.current.module)) {
      // A jump to another function's start: a tail call, or the way through a PLT stub.
      if (shown)
        emit(CallRow{position(e.thread, e.step), "jump",
                     static_cast<uint32_t>(t.names.empty() ? 0 : t.names.size() - 1), here});
      if (!t.names.empty()) t.names.back() = here;
    }
    t.current = std::move(here);
    const bool to_the_end = !e.partial && e.value - def.id.value + 1 == def.variants;
    t.last_jump = to_the_end ? def.jump : 0;
    if (!to_the_end) return;
    const Step after{e.step.value + e.instructions};
    if (def.jump == TW_JUMP_CALL) {
      leave(t, t.calls.call(def.id.value, item.stack_miss, deltas_).popped, e.thread, after);
      t.enters = true;
      t.enters_by = "call";
    } else if (def.jump == TW_JUMP_RETURN) {
      leave(t, t.calls.ret(item.stack_miss).popped, e.thread, after);
    }
  }

  void leave(Thread& t, size_t count, ThreadNo thread, Step step) {
    for (; count > 0 && !t.names.empty(); --count) {
      const NamedAddress left = std::move(t.names.back());
      t.names.pop_back();
      if (wanted(thread, step))
        emit(
            CallRow{position(thread, step), "return", static_cast<uint32_t>(t.names.size()), left});
    }
  }

  static constexpr size_t kDecodedKept = 1 << 18;

  const DumpOptions& options_;
  const DumpSink& sink_;
  const Reader& reader_;
  const Process& process_;
  const Dictionary& dictionary_;
  const MapHistory& maps_;
  Symbolizer& symbolizer_;
  Disassembler disassembler_;
  std::unordered_map<uint64_t, Decoded> decoded_;
  std::map<uint32_t, SyscallCollector> syscalls_;
  std::map<uint32_t, Thread> threads_;
  CallDeltas deltas_;
  std::set<uint32_t> printed_;
  bool stopped_ = false;
};

}  // namespace

Result<void> dump(Run& run, const DumpOptions& options, const DumpSink& sink) {
  const Reader& reader = run.reader();
  std::optional<ProcessId> only = options.process;
  if (options.range) only = options.range->from.process;
  if (only && reader.process(only->value) == nullptr)
    return fail("T008", "there is no process {}", only->value);
  for (const auto& [number, process] : reader.processes()) {
    if (only && number != only->value) continue;
    const bool with_values = options.values && options.what == DumpWhat::kInstructions;
    TRY(const auto borrowed, run.borrow(number));
    TRY(const bool more, with_values ? dump_values(*borrowed, options, sink)
                                     : ProcessDumper(*borrowed, options, sink).run());
    if (!more) break;
  }
  return {};
}

}  // namespace twinrun
