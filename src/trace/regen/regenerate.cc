// SPDX-License-Identifier: MIT
#include "trace/regen/regenerate.h"

#include "base/check.h"
#include "format/registers.h"
#include "trace/count.h"
#include "trace/event_effects.h"

namespace twinrun {
namespace {

constexpr size_t kFaultsKept = 20;

}  // namespace

Regenerator::Regenerator(const Reader& reader, const Process& process, CodeCache& code)
    : reader_(reader), process_(process), code_(code), machine_(process.info.state_size) {
  for (const RegisterName& name : process.info.registers) {
    if (name.name == "CMSTART") code_check_.first = name.offset;
    if (name.name == "CMLEN") code_check_.second = name.offset;
  }
}

void Regenerator::fault(Contradiction what) {
  ++report_.faults;
  if (report_.first_faults.size() >= kFaultsKept) return;
  report_.first_faults.push_back({what, segment_, ordinal_, first_block_ + ordinal_, thread_,
                                  block_.executable == nullptr ? 0 : block_.executable->address});
}

void Regenerator::switch_to(uint32_t thread) {
  if (thread == thread_) return;
  if (thread_ != 0)
    parked_[thread_].assign(machine_.state(), machine_.state() + machine_.state_size());
  thread_ = thread;
  expected_next_ = 0;
  if (const auto found = parked_.find(thread); found != parked_.end()) {
    std::memcpy(machine_.state(), found->second.data(), found->second.size());
  }
}

void Regenerator::compare_state(ByteSpan recorded) {
  ++report_.states_compared;
  for (uint32_t at = 0; at + 8 <= recorded.size(); at += 8) {
    if (at == code_check_.first || at == code_check_.second) continue;
    if (std::memcmp(machine_.state() + at, recorded.data() + at, 8) == 0) continue;
    Contradiction what{.kind = Contradiction::Kind::kRegister, .offset = at};
    std::memcpy(&what.computed, machine_.state() + at, 8);
    std::memcpy(&what.recorded, recorded.data() + at, 8);
    fault(what);
    break;
  }
}

void Regenerator::apply(const Event& event) {
  switch (event.kind) {
    case EventKind::kChunk:
    case EventKind::kReset: machine_.clear_predictor(); break;
    case EventKind::kThreadSwitch:
      if (const auto e = ThreadEvent::parse(event)) switch_to(e->thread);
      break;
    case EventKind::kState:
      if (const auto e = StateEvent::parse(event); e && e->bytes.size() == machine_.state_size()) {
        if (e->thread == thread_) {
          const bool checkpoint = e->reason != TW_STATE_SWITCH && known_[thread_];
          if (checkpoint) compare_state(e->bytes);
          std::memcpy(machine_.state(), e->bytes.data(), e->bytes.size());
        } else {
          parked_[e->thread].assign(e->bytes.begin(), e->bytes.end());
        }
        known_[e->thread] = true;
      }
      break;
    case EventKind::kStateDelta:
      if (const auto e = StateDeltaEvent::parse(event); e && e->thread == thread_) {
        for_each_word(*e, [&](uint64_t offset, ByteSpan value) {
          const uint64_t size = machine_.state_size();
          if (offset < size && size - offset >= 8)
            std::memcpy(machine_.state() + offset, value.data(), 8);
        });
        expected_next_ = 0;
      }
      break;
    case EventKind::kSignal:
    case EventKind::kSyscall: expected_next_ = 0; break;
    case EventKind::kWritten:
      if (const auto e = MemoryEvent::parse(event))
        machine_.predictor_write(e->address.value, e->bytes);
      break;
    case EventKind::kInitialStack:  // the recorder's predictor has not seen it
    case EventKind::kThreadStart:
    case EventKind::kThreadExit:
    case EventKind::kSyscallResult:
    case EventKind::kRead:
    case EventKind::kMap:
    case EventKind::kUnmap:
    case EventKind::kProtect:
    case EventKind::kRemap:
    case EventKind::kClobbered:
    case EventKind::kStack:
    case EventKind::kCalls:
    case EventKind::kExec:
    case EventKind::kExit:
    case EventKind::kDeath:
    case EventKind::kFork:
    case EventKind::kWarning:
    case EventKind::kDescriptor:
    case EventKind::kUnknown: break;
  }
}

/// What native code does at the end of a block.
uint64_t Regenerator::interpret(const Executable& executable) {
  const CompiledBlock& code = *executable.code;
  const Op* const ops = code.ops.data();
  for (const Op* op = ops; op != ops + executable.ops; ++op) op->run(machine_, *op);
  uint32_t passed = 0;
  for (const CompiledBlock::Exit& exit : code.exits) {
    const bool taken = (machine_.word(exit.guard) & 1) != 0;
    if (!exit.makes_variant) {
      if (taken) return exit.raises_signal ? 0 : exit.target;
      continue;
    }
    const bool said =
        passed == executable.variant && executable.variant + 1 < code.variant_end.size();
    if (taken != said) {
      machine_.contradict(
          {.kind = Contradiction::Kind::kExit, .computed = taken, .recorded = said});
    }
    if (said || taken) return exit.target;
    ++passed;
  }
  return machine_.word(code.next);
}

/// A block that a signal left in its middle: the recording says how far it came.
Result<void> Regenerator::run_partial(Executable& executable, const Partial& partial) {
  const CompiledBlock& code = *executable.code;
  if (partial.completed > code.instruction_end.size()) {
    return fail("T022", "{} instructions of a block of {} are said to be done", partial.completed,
                code.instruction_end.size());
  }
  block_.partial = true;
  block_.completed = partial.completed;
  block_.ops = partial.completed == 0 ? 0 : code.instruction_end[partial.completed - 1];
  for (uint32_t i = 0; i < block_.ops; ++i) code.ops[i].run(machine_, code.ops[i]);
  while (machine_.has_stale_miss()) {
    const uint32_t load = machine_.stale_miss_load();
    if (load >= code.load_sizes.size()) break;
    machine_.drop_miss(code.load_sizes[load]);
  }
  machine_.set_opaque_position(partial.opaque_at);
  return {};
}

Result<void> Regenerator::run_block(uint32_t value) {
  Executable* executable = code_.find(value);
  if (__builtin_expect(executable == nullptr, 0)) {
    TRY(executable, code_.add(value));
    machine_.take_constants(code_.constants());
  }
  begin_block(value, *executable);
  uint64_t next = 0;  // anywhere
  if (next_partial_ < partial_.size() && partial_[next_partial_].ordinal == ordinal_) {
    TRY_VOID(run_partial(*executable, partial_[next_partial_++]));
  } else {
    if (executable->native == nullptr) code_.warm_up(*executable);
    next = executable->native != nullptr ? executable->native(&machine_, machine_.core())
                                         : interpret(*executable);
  }
  end_block(next);
  return {};
}

Result<void> Regenerator::enter(size_t number) {
  const FrameEntry& frame = reader_.frames()[process_.segments[number]];
  // Questions come back to the same segment.
  if (loaded_ != number) {
    loaded_ = ~size_t{0};
    TRY(data_, reader_.load(process_.segments[number]));
    loaded_ = number;
    blocks_ = data_.blocks();
  }
  segment_ = static_cast<uint32_t>(number);
  first_block_ = frame.segment.first_block;
  ordinal_ = 0;
  block_count_ = frame.segment.block_count;
  if (frame.segment.thread_at_start != 0) switch_to(frame.segment.thread_at_start);
  machine_.set_streams(data_.streams[TW_STREAM_MISS_POS], data_.streams[TW_STREAM_MISS_VAL],
                       data_.streams[TW_STREAM_OPAQUE]);

  // Partial blocks are announced by the signal that ended them.
  partial_.clear();
  next_partial_ = 0;
  bool is_left_by_call = false;
  EventReader scan(data_.events());
  for (Event event; scan.next(event);) {
    if (event.kind == EventKind::kSyscall && event.at == frame.segment.block_count)
      is_left_by_call = true;
    if (event.kind != EventKind::kSignal) continue;
    const auto e = SignalEvent::parse(event);
    if (e && (e->flags & TW_SIGNAL_PARTIAL) != 0 && event.at > 0)
      partial_.push_back({static_cast<uint32_t>(event.at - 1), e->completed, e->opaque_at});
  }
  // What a killed process left may end in a block that did not run to its end. One that made a
  // system call did: exit(2) ends a process like that.
  const bool is_cut = (frame.segment.flags & TW_SEGMENT_SALVAGED) != 0 && !is_left_by_call;
  if (is_cut && block_count_ > 0) --block_count_;
  events_.emplace(data_.events());
  if (!events_->next(pending_)) events_.reset();
  must_apply_ = false;
  machine_.take_constants(code_.constants());
  return {};
}

Result<Regenerator::Item> Regenerator::next_of_any_kind() {
  if (must_apply_) {
    apply(event_);
    must_apply_ = false;
  }
  if (events_ && pending_.at <= ordinal_) {
    event_ = pending_;
    if (!events_->next(pending_)) events_.reset();
    must_apply_ = true;
    return Item::kEvent;
  }
  if (ordinal_ >= block_count_) return Item::kEnd;
  TRY_VOID(run_block(block_at(blocks_, ordinal_)));
  ++ordinal_;
  return Item::kBlock;
}

void Regenerator::apply_events() {
  while (must_apply_ || (events_ && pending_.at <= ordinal_)) {
    if (must_apply_) apply(event_);
    must_apply_ = false;
    if (!events_ || pending_.at > ordinal_) break;
    event_ = pending_;
    if (!events_->next(pending_)) events_.reset();
    must_apply_ = true;
  }
}

Result<void> Regenerator::segment(size_t number) {
  TRY_VOID(enter(number));
  for (;;) {
    TRY(const Item item, next());
    if (item == Item::kEnd) return {};
  }
}

ByteSpan Regenerator::registers(uint32_t thread) {
  if (!known_[thread]) return {};
  if (thread == thread_) return {machine_.state(), machine_.state_size()};
  return parked_[thread];
}

RegenerationState Regenerator::save() {
  RegenerationState out;
  out.predictor.assign(machine_.predictor().begin(), machine_.predictor().end());
  for (const auto& [thread, known] : known_) {
    if (!known) continue;
    const ByteSpan bytes = registers(thread);
    out.registers[thread].assign(bytes.begin(), bytes.end());
  }
  out.thread = thread_;
  return out;
}

void Regenerator::restore(const RegenerationState& state) {
  machine_.set_predictor(state.predictor);
  parked_ = state.registers;
  known_.clear();
  for (const auto& [thread, bytes] : parked_) known_[thread] = true;
  thread_ = 0;
  switch_to(state.thread);
  expected_next_ = 0;
}

RegenerationPoint Regenerator::point() {
  CHECK(!must_apply_);
  RegenerationPoint out{.ordinal = ordinal_,
                        .parked = parked_,
                        .known = known_,
                        .thread = thread_,
                        .expected_next = expected_next_,
                        .streams = machine_.streams_at()};
  out.predictor.assign(machine_.predictor().begin(), machine_.predictor().end());
  out.registers.assign(machine_.state(), machine_.state() + machine_.state_size());
  return out;
}

void Regenerator::resume(const RegenerationPoint& point) {
  machine_.set_predictor(point.predictor);
  machine_.set_streams_at(point.streams);
  std::memcpy(machine_.state(), point.registers.data(), point.registers.size());
  parked_ = point.parked;
  known_ = point.known;
  thread_ = point.thread;
  expected_next_ = point.expected_next;
  ordinal_ = point.ordinal;
  while (next_partial_ < partial_.size() && partial_[next_partial_].ordinal < ordinal_)
    ++next_partial_;
  // Those in front of the last block have been taken.
  events_.emplace(data_.events());
  bool more = events_->next(pending_);
  while (more && pending_.at < ordinal_) more = events_->next(pending_);
  if (!more) events_.reset();
  must_apply_ = false;
}

}  // namespace twinrun
