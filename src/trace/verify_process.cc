// SPDX-License-Identifier: MIT
// Replays the control flow of one process and compares it with everything that was recorded beside
// it. Segments are checked in order, each in one pass that takes blocks and events as they
// happened; what must hold across segments (threads, call stacks, system calls that are under way)
// is carried along. A violation never ends the pass: the replay goes on from what the recording
// says.
#include "format/registers.h"
#include "format/syscalls.h"
#include "trace/block_facts.h"
#include "trace/call_stack.h"
#include "trace/count.h"
#include "trace/event.h"
#include "trace/verify.h"

#include <memory>
#include <optional>
#include <unordered_map>

namespace twinrun {
namespace {

struct Thread {
  bool started = false;
  bool exited = false;
  bool state_in_chunk = false;
  bool calls_in_chunk = false;
  bool calls_known = false;  // the ring is known, since a CALLS event or the thread's start
  Successors next;           // of its last block
  uint64_t last_block_address = 0;
  CallStack calls;
  std::optional<uint64_t> syscall;
};

class ProcessVerifier {
 public:
  ProcessVerifier(const Reader& reader, const Process& process, VerifyReport& report,
                  const std::function<void(uint64_t)>& progress)
      : reader_(reader), process_(process), report_(report), progress_(progress) {}

  void run();

 private:
  void bad(const char* check, std::string text);
  void inherit();
  void add_definitions(Bytes defs);
  void segment(uint32_t number, const FrameEntry& entry, SegmentData data);
  void check_header(const TwSegmentHeader& header);
  void check_counts(const FrameEntry& entry, const SegmentData& data);
  void replay(const FrameEntry& entry, const SegmentData& data);
  void block(uint32_t value, bool partial, const Event* next_event);
  void check_misses(const SegmentData& data, const SegmentRuns& runs);
  void event(const Event& event);
  void event_of_thread(const Event& event);
  void calls(const Event& event);
  void state(const Event& event);
  void check_call(const char* what, CallStack::Change change);
  void check_range(const Event& event);
  Thread& thread(uint32_t number);
  bool has_values() const { return reader_.has_values(); }

  const Reader& reader_;
  const Process& process_;
  VerifyReport& report_;
  const std::function<void(uint64_t)>& progress_;
  Dictionary dictionary_;
  InstructionCounter counter_;
  std::vector<BlockFacts> facts_;  // of dictionary_.blocks()
  std::unordered_map<uint32_t, Thread> threads_;
  CallDeltas deltas_;
  uint32_t segment_ = 0;
  uint64_t block_ = 0;   // number of the block at hand
  uint32_t thread_ = 0;  // runs now
  Thread* running_ = nullptr;
  uint32_t chunk_ = 0;
  bool first_ = true;
  bool cut_ = false;  // the segment was salvaged: its last block may be unfinished
  uint32_t chunk_events_ = 0;
  uint64_t opaque_min_ = 0, opaque_max_ = 0;
  uint64_t signal_opaque_ = 0;
};

void ProcessVerifier::bad(const char* check, std::string text) {
  report_.add({check, process_.info.number, segment_, thread_, block_, std::move(text)});
}

Thread& ProcessVerifier::thread(uint32_t number) { return threads_[number]; }

void ProcessVerifier::inherit() {
  if (process_.info.origin != TW_ORIGIN_FORK) return;
  const auto parent = reader_.dictionary(process_.info.parent);
  if (!parent) return bad("definition", parent.error().message);
  dictionary_.inherit(*parent, process_.info.inherited_blocks, process_.info.inherited_helpers);
  for (const BlockDef& def : dictionary_.blocks()) {
    auto facts = block_facts(def, dictionary_);
    facts_.push_back(facts ? std::move(*facts)
                           : BlockFacts{{}, std::vector<VariantFacts>(def.variants)});
  }
  thread(1).started = true;
}

void ProcessVerifier::run() {
  inherit();
  for (uint32_t i = 0; i < process_.segments.size(); ++i) {
    segment_ = i;
    const FrameEntry& entry = reader_.frames()[process_.segments[i]];
    block_ = entry.segment.first_block;
    auto data = reader_.load(process_.segments[i]);
    if (!data) {
      bad("segment", data.error().message);
      return;  // nothing behind it can be replayed
    }
    segment(i, entry, std::move(*data));
    report_.instructions += entry.segment.instruction_count;
    ++report_.segments;
    if (progress_) progress_(report_.instructions);
  }
}

void ProcessVerifier::add_definitions(Bytes defs) {
  const size_t before = dictionary_.blocks().size();
  if (auto added = dictionary_.add(std::make_shared<const Bytes>(std::move(defs))); !added)
    bad("definition", added.error().message);
  for (size_t i = before; i < dictionary_.blocks().size(); ++i) {
    const BlockDef& def = dictionary_.blocks()[i];
    if (def.jump < TW_JUMP_BORING || def.jump > TW_JUMP_OTHER)
      bad("definition",
          fmt::format("block {} ends in an unknown way ({})", def.id.value, def.jump));
    if (def.has_ir() != has_values())
      bad("definition",
          fmt::format("block {} {} IR", def.id.value, def.has_ir() ? "has" : "has no"));
    auto facts = block_facts(def, dictionary_);
    if (!facts) {
      bad("ir", fmt::format("block {} at {:#x}: {}", def.id.value, def.address.value,
                            facts.error().message));
      facts = BlockFacts{{}, std::vector<VariantFacts>(def.variants)};
    }
    facts_.push_back(std::move(*facts));
  }
  report_.definitions += dictionary_.blocks().size() - before;
}

void ProcessVerifier::check_header(const TwSegmentHeader& header) {
  const bool starts_chunk = (header.flags & TW_SEGMENT_CHUNK_START) != 0;
  if (first_ && !starts_chunk) bad("chunk", "the first segment does not start a chunk");
  const uint32_t expected = first_ ? 0 : starts_chunk ? chunk_ + 1 : chunk_;
  if (header.chunk != expected)
    bad("chunk", fmt::format("it says chunk {}, expected is {}", header.chunk, expected));
  if (!first_ && header.thread_at_start != thread_)
    bad("thread", fmt::format("it starts in thread {}, the one before ended in thread {}",
                              header.thread_at_start, thread_));
  if ((header.flags & TW_SEGMENT_LAST) != 0 && segment_ + 1 != process_.segments.size())
    bad("segment", "it says it is the last one of its process, but more follow");
  for (const auto& stream : header.stream) report_.raw_bytes += stream.raw_size;
  const bool values_empty = header.stream[TW_STREAM_MISS_POS].raw_size == 0 &&
                            header.stream[TW_STREAM_MISS_VAL].raw_size == 0 &&
                            header.stream[TW_STREAM_OPAQUE].raw_size == 0;
  if (!has_values() && !values_empty) bad("segment", "it has values in a recording without values");
  chunk_ = header.chunk;
  thread_ = header.thread_at_start;
  cut_ = (header.flags & TW_SEGMENT_SALVAGED) != 0;
  first_ = false;
}

void ProcessVerifier::check_counts(const FrameEntry& entry, const SegmentData& data) {
  const auto counted = counter_.count(dictionary_.counts(), data.blocks(), data.events(),
                                      entry.segment.thread_at_start);
  if (!counted) return bad("count", counted.error().message);
  if (counted->instructions != entry.segment.instruction_count)
    bad("count", fmt::format("it says {} instructions, counted are {}",
                             entry.segment.instruction_count, counted->instructions));
  if (counted->threads.size() != entry.threads.size())
    return bad("count", fmt::format("it says {} threads ran, counted are {}", entry.threads.size(),
                                    counted->threads.size()));
  for (size_t i = 0; i < entry.threads.size(); ++i) {
    const TwThreadSpan& said = entry.threads[i];
    const TwThreadSpan& found = counted->threads[i];
    if (said.thread != found.thread || said.blocks != found.blocks ||
        said.first_step != found.first_step || said.instructions != found.instructions)
      bad("count", fmt::format("thread {} ran {} blocks and {} instructions from step {}, said are "
                               "thread {}, {}, {} and {}",
                               found.thread, found.blocks, found.instructions, found.first_step,
                               said.thread, said.blocks, said.instructions, said.first_step));
  }
}

void ProcessVerifier::segment(uint32_t number, const FrameEntry& entry, SegmentData data) {
  (void)number;
  check_header(entry.segment);
  add_definitions(std::move(data.streams[TW_STREAM_DEFS]));
  check_counts(entry, data);
  replay(entry, data);
}

void ProcessVerifier::replay(const FrameEntry& entry, const SegmentData& data) {
  const uint32_t blocks = entry.segment.block_count;
  const auto runs = segment_runs(data.events(), blocks, entry.segment.thread_at_start);
  if (!runs) return bad("event", runs.error().message);
  chunk_events_ = 0;
  opaque_min_ = opaque_max_ = signal_opaque_ = 0;
  running_ = &thread(thread_);
  EventReader events(data.events());
  Event pending;
  bool has_event = events.next(pending);
  auto partial = runs->partial.begin();
  for (uint32_t i = 0;; ++i) {
    block_ = entry.segment.first_block + i;
    while (has_event && pending.at <= i) {
      event(pending);
      has_event = events.next(pending);
    }
    if (i == blocks) break;
    while (partial != runs->partial.end() && partial->ordinal < i) ++partial;
    const bool is_partial = partial != runs->partial.end() && partial->ordinal == i;
    const bool unfinished = cut_ && i + 1 == blocks;
    block(block_at(data.blocks(), i), is_partial || unfinished,
          has_event && pending.at == i + 1 ? &pending : nullptr);
  }
  report_.blocks += blocks;
  const bool starts_chunk = (entry.segment.flags & TW_SEGMENT_CHUNK_START) != 0;
  if (chunk_events_ != (starts_chunk ? 1 : 0))
    bad("chunk", fmt::format("{} chunk events in a segment that {} a chunk", chunk_events_,
                             starts_chunk ? "starts" : "does not start"));
  const uint64_t opaque = data.streams[TW_STREAM_OPAQUE].size();
  if (has_values() && (opaque < opaque_min_ || opaque > opaque_max_))
    bad("opaque", fmt::format("{} bytes of opaque results, its blocks make {} to {}", opaque,
                              opaque_min_, opaque_max_));
  if (has_values()) check_misses(data, *runs);
}

void ProcessVerifier::block(uint32_t value, bool partial, const Event* next_event) {
  const BlockDef* def = dictionary_.find(value);
  if (def == nullptr) return;  // check_counts has said so
  Thread& t = *running_;
  if (thread_ == 0 || !t.started || t.exited)
    bad("thread",
        fmt::format("thread {} runs but {}", thread_, t.exited ? "has exited" : "was not started"));
  if (has_values() && !t.state_in_chunk)
    bad("state", fmt::format("thread {} runs without a register state in this chunk", thread_));
  if (!t.calls_in_chunk)
    bad("calls", fmt::format("thread {} runs without its calls in this chunk", thread_));
  t.state_in_chunk = t.calls_in_chunk = true;  // said once
  if (!t.next.contains(def->address.value))
    bad("successor", fmt::format("the block at {:#x} cannot follow the one at {:#x}",
                                 def->address.value, t.last_block_address));
  const size_t index = static_cast<size_t>(def - dictionary_.blocks().data());
  const uint32_t variant = value - def->id.value;
  const VariantFacts& facts = facts_[index].variants[variant];
  t.last_block_address = def->address.value;
  const bool is_last_variant = variant + 1 == def->variants;
  opaque_max_ += partial ? facts_[index].variants.back().opaque_max : facts.opaque_max;
  if (partial) {
    t.next = {};
    return;
  }
  opaque_min_ += facts.opaque_min;
  t.next = facts.next;
  if (!is_last_variant) return;
  if (def->jump != TW_JUMP_CALL && def->jump != TW_JUMP_RETURN) return;
  std::optional<StackEvent> miss;
  if (next_event != nullptr && next_event->kind == EventKind::kStack)
    miss = StackEvent::parse(*next_event);
  const StackEvent* const said = miss ? &*miss : nullptr;
  if (def->jump == TW_JUMP_CALL)
    check_call("call", t.calls.call(def->id.value, said, deltas_));
  else
    check_call("return", t.calls.ret(said));
}

void ProcessVerifier::check_call(const char* what, CallStack::Change change) {
  switch (change.outcome) {
    case CallStack::Outcome::kPredicted:
    case CallStack::Outcome::kMissed: return;
    case CallStack::Outcome::kNoPrediction:
      if (running_->calls_known) bad("stack", fmt::format("a {} has no stack pointer", what));
      return;
    case CallStack::Outcome::kNeedless:
      return bad("stack", fmt::format("a {} has the stack pointer that is predicted", what));
    case CallStack::Outcome::kWrongKind:
      return bad("stack", fmt::format("a {} has a stack pointer of another kind", what));
  }
}

void ProcessVerifier::calls(const Event& event) {
  const auto said = CallsEvent::parse(event);
  if (!said) return bad("calls", "a call ring is malformed");
  Thread& t = thread(said->thread);
  auto ring = CallStack::parse(*said);
  if (!ring) return bad("calls", "a call ring is malformed");
  if (t.calls_known) {
    // Entries further out than the event goes are forgotten.
    const std::span<const Call> replayed = t.calls.calls();
    bool same = ring->size() <= replayed.size();
    for (size_t i = 1; same && i <= ring->size(); ++i)
      same = (*ring)[ring->size() - i] == replayed[replayed.size() - i];
    if (!same)
      bad("calls", fmt::format("the {} calls of thread {} are not those of the replay ({})",
                               ring->size(), said->thread, replayed.size()));
  }
  t.calls.set(std::move(*ring));
  t.calls_known = t.calls_in_chunk = true;
}

void ProcessVerifier::state(const Event& event) {
  const auto said = StateEvent::parse(event);
  if (!said) return bad("state", "a register state is malformed");
  if (said->bytes.size() != process_.info.state_size)
    bad("state", fmt::format("a register state has {} bytes instead of {}", said->bytes.size(),
                             process_.info.state_size));
  if (said->reason < TW_STATE_CHUNK || said->reason > TW_STATE_TEST)
    bad("state", fmt::format("a register state has the unknown reason {}", said->reason));
  thread(said->thread).state_in_chunk = true;
}

void ProcessVerifier::check_range(const Event& event) {
  const auto map = event.kind == EventKind::kMap ? MapEvent::parse(event) : std::nullopt;
  const auto range = event.kind == EventKind::kMap ? std::nullopt : RangeEvent::parse(event);
  if (!map && !range) return bad("map", fmt::format("a {} event is malformed", event_name(event)));
  const uint64_t address = map ? map->address.value : range->address.value;
  const uint64_t length = map ? map->length : range->length;
  if (length > UINT64_MAX - address)
    bad("map", fmt::format("{} bytes at {:#x} wrap around", length, address));
}

void ProcessVerifier::event_of_thread(const Event& event) {
  ByteReader in(event.payload);
  const uint64_t number = in.varint();
  if (in.failed() || number == 0 || number > kThreadMax)
    return bad("event", fmt::format("a {} event is malformed", event_name(event)));
  Thread& t = thread(static_cast<uint32_t>(number));
  const auto malformed = [&] {
    bad("event", fmt::format("a {} event is malformed", event_name(event)));
  };
  switch (event.kind) {
    case EventKind::kThreadStart:
      if (t.started && !t.exited) bad("thread", fmt::format("thread {} starts twice", number));
      t = {};
      // A thread of a late process can be in calls that nobody has seen.
      t.started = true;
      t.calls_known = process_.info.origin != TW_ORIGIN_LATE || block_ > 0;
      if (number == thread_) running_ = &t;
      return;
    case EventKind::kThreadExit:
      if (!t.started || t.exited)
        bad("thread", fmt::format("thread {} exits but did not run", number));
      t.exited = true;
      t.calls.set({});
      return;
    case EventKind::kThreadSwitch:
      thread_ = static_cast<uint32_t>(number);
      running_ = &t;
      return;
    case EventKind::kStateDelta: {
      const auto delta = StateDeltaEvent::parse(event);
      if (!delta) return malformed();
      ByteReader words(delta->words);
      while (!words.at_end() && !words.failed()) {
        const uint64_t offset = words.varint();
        words.take(8);
        if (offset > process_.info.state_size || process_.info.state_size - offset < 8)
          bad("state", fmt::format("a word at {} is outside of the register file", offset));
        if (offset == reg::kRip) t.next = {};
      }
      if (words.failed()) malformed();
      return;
    }
    case EventKind::kSyscall: {
      const auto call = SyscallEvent::parse(event);
      if (!call) return malformed();
      if (t.syscall && *t.syscall != sys::kRtSigreturn)
        bad("syscall", fmt::format("thread {} calls {} while its call {} has no result", number,
                                   call->number, *t.syscall));
      t.syscall = call->number;
      if (call->number == sys::kRtSigreturn) t.next = {};
      return;
    }
    case EventKind::kSyscallResult: {
      const auto result = SyscallResultEvent::parse(event);
      if (!result) return malformed();
      // A forked child begins inside the call that made it.
      const bool child_begins =
          process_.info.origin == TW_ORIGIN_FORK && segment_ == 0 && event.at == 0 && !t.syscall;
      if (!child_begins && t.syscall != result->number)
        bad("syscall", fmt::format("thread {} gets the result of call {} without having made it",
                                   number, result->number));
      t.syscall.reset();
      return;
    }
    case EventKind::kSignal: {
      const auto signal = SignalEvent::parse(event);
      if (!signal) return malformed();
      t.next = {};
      t.syscall.reset();  // a handler may leave the interrupted call for good
      if ((signal->flags & TW_SIGNAL_PARTIAL) != 0) {
        if (event.at == 0) bad("signal", "it left a block that is not in its segment");
        if (has_values() && (signal->opaque_at < signal_opaque_ ||
                             signal->opaque_at < opaque_min_ || signal->opaque_at > opaque_max_))
          bad("signal",
              fmt::format("its position {} in the opaque results is not between {} and {}",
                          signal->opaque_at, opaque_min_, opaque_max_));
        // From here on the position is known again.
        if (has_values()) opaque_min_ = opaque_max_ = signal_opaque_ = signal->opaque_at;
      }
      return;
    }
    default: return;  // of the others, only that they have a thread
  }
}

void ProcessVerifier::event(const Event& event) {
  ++report_.events;
  switch (event.kind) {
    case EventKind::kChunk:
      if (event.at != 0) bad("chunk", "a chunk begins inside a segment");
      ++chunk_events_;
      deltas_.clear();
      for (auto& [number, t] : threads_) t.state_in_chunk = t.calls_in_chunk = false;
      return;
    case EventKind::kState: return state(event);
    case EventKind::kCalls: return calls(event);
    case EventKind::kMap:
    case EventKind::kClobbered:
    case EventKind::kUnmap:
    case EventKind::kProtect:
    case EventKind::kRemap: return check_range(event);
    case EventKind::kStack: {
      const auto stack = StackEvent::parse(event);
      if (!stack || stack->miss < TW_STACK_CALL || stack->miss > TW_STACK_RETURN || event.at == 0)
        bad("stack", "a stack event is malformed");
      return;
    }
    case EventKind::kWritten:
    case EventKind::kRead:
    case EventKind::kInitialStack:
      if (!MemoryEvent::parse(event)) bad("event", "bytes of memory are malformed");
      return;
    case EventKind::kWarning:
      if (!WarningEvent::parse(event)) bad("event", "a warning is malformed");
      return;
    case EventKind::kDescriptor:
      if (!DescriptorEvent::parse(event)) bad("event", "a descriptor is malformed");
      return;
    case EventKind::kDeath:
      if (!NumberEvent::parse(event)) bad("event", "a death is malformed");
      return;
    case EventKind::kThreadStart:
    case EventKind::kThreadExit:
    case EventKind::kThreadSwitch:
    case EventKind::kStateDelta:
    case EventKind::kSyscall:
    case EventKind::kSyscallResult:
    case EventKind::kSignal:
    case EventKind::kExec:
    case EventKind::kExit:
    case EventKind::kFork: return event_of_thread(event);
    case EventKind::kReset:
    case EventKind::kUnknown: return;
  }
}

void ProcessVerifier::check_misses(const SegmentData& data, const SegmentRuns& runs) {
  const ByteSpan positions = data.streams[TW_STREAM_MISS_POS];
  const uint64_t values = data.streams[TW_STREAM_MISS_VAL].size();
  const size_t block_count = data.blocks().size() / 4;
  if (positions.size() % 4 != 0) return bad("miss", "miss positions are cut short");
  uint64_t size = 0;
  int64_t before = -1;
  auto partial = runs.partial.begin();
  for (size_t i = 0; i < positions.size() / 4; ++i) {
    const uint32_t position = block_at(positions, i);
    const uint32_t ordinal = position >> TW_MISS_LOAD_BITS;
    const uint32_t load = position & ((1u << TW_MISS_LOAD_BITS) - 1);
    if (position <= before)
      return bad("miss", fmt::format("miss {} is not behind the one before", i));
    before = position;
    if (ordinal >= block_count)
      return bad("miss", fmt::format("miss {} belongs to block {} of {}", i, ordinal, block_count));
    const uint32_t value = block_at(data.blocks(), ordinal);
    const BlockDef* def = dictionary_.find(value);
    if (def == nullptr) return;
    while (partial != runs.partial.end() && partial->ordinal < ordinal) ++partial;
    const bool is_partial = partial != runs.partial.end() && partial->ordinal == ordinal;
    const BlockFacts& facts = facts_[static_cast<size_t>(def - dictionary_.blocks().data())];
    const size_t loads =
        is_partial ? facts.load_sizes.size() : facts.variants[value - def->id.value].loads;
    if (load >= loads || load >= facts.load_sizes.size())
      return bad("miss", fmt::format("miss {} names load {} of the {} of block {}", i, load, loads,
                                     def->id.value));
    size += facts.load_sizes[load];
  }
  report_.misses += positions.size() / 4;
  if (size != values)
    bad("miss", fmt::format("the misses are {} bytes, recorded are {}", size, values));
}

}  // namespace

void verify_process(const Reader& reader, const Process& process, VerifyReport& report,
                    const std::function<void(uint64_t)>& progress) {
  ProcessVerifier(reader, process, report, progress).run();
}

}  // namespace twinrun
