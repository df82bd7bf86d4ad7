// SPDX-License-Identifier: MIT
#include "trace/regen/regenerate.h"

#include "trace/event.h"

namespace twinrun {
namespace {

constexpr size_t kFaultsKept = 20;
constexpr uint32_t kRipOffset = 184;  // format/registers.def

}  // namespace

Regenerator::Regenerator(const Reader& reader, const Process& process, const Dictionary& dictionary,
                         CodeCache& code)
    : reader_(reader),
      process_(process),
      dictionary_(dictionary),
      code_(code),
      machine_(process.info.state_size) {
  for (const RegisterName& name : process.info.registers) {
    if (name.name == "CMSTART") code_check_.first = name.offset;
    if (name.name == "CMLEN") code_check_.second = name.offset;
  }
}

void Regenerator::fault(Contradiction what) {
  ++report_.faults;
  if (report_.first_faults.size() >= kFaultsKept) return;
  report_.first_faults.push_back(
      {what, segment_, ordinal_, first_block_ + ordinal_, thread_, block_address_});
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
    case TW_EVENT_CHUNK:
    case TW_EVENT_RESET: machine_.clear_predictor(); break;
    case TW_EVENT_THREAD_SWITCH:
      if (const auto e = ThreadEvent::parse(event)) switch_to(e->thread);
      break;
    case TW_EVENT_STATE:
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
    case TW_EVENT_STATE_DELTA:
      if (const auto e = StateDeltaEvent::parse(event); e && e->thread == thread_) {
        ByteReader words(e->words);
        while (!words.at_end() && !words.failed()) {
          const uint64_t offset = words.varint();
          const ByteSpan value = words.take(8);
          if (value.size() != 8 || offset + 8 > machine_.state_size()) break;
          std::memcpy(machine_.state() + offset, value.data(), 8);
        }
        expected_next_ = 0;
      }
      break;
    case TW_EVENT_SIGNAL:
    case TW_EVENT_SYSCALL: expected_next_ = 0; break;
    case TW_EVENT_WRITTEN:
      if (const auto e = MemoryEvent::parse(event))
        machine_.predictor_write(e->address.value, e->bytes);
      break;
    default: break;
  }
}

void Regenerator::check_next(uint64_t address) {
  if (expected_next_ == 0 || expected_next_ == address) return;
  fault({.kind = Contradiction::Kind::kNextBlock, .computed = expected_next_, .recorded = address});
}

Result<void> Regenerator::run_block(uint32_t value, const PartialBlock& partial) {
  const BlockDef* def = dictionary_.find(value);
  if (def == nullptr) return fail("T022", "block value {} is not defined", value);
  TRY(const CompiledBlock* code, code_.find(*def));
  machine_.take_constants(code_.constants());
  check_next(def->address.value);
  block_address_ = def->address.value;
  machine_.begin_block(ordinal_);
  const uint32_t variant = value - def->id.value;
  if (partial.completed > code->instruction_end.size()) {
    return fail("T022", "{} instructions of a block of {} are said to be done", partial.completed,
                code->instruction_end.size());
  }
  uint32_t end = code->variant_end[variant];
  if (partial.is_partial)
    end = partial.completed == 0 ? 0 : code->instruction_end[partial.completed - 1];
  const Op* const ops = code->ops.data();
  for (const Op* op = ops; op != ops + end; ++op) op->run(machine_, *op);
  ++report_.blocks;

  expected_next_ = 0;
  if (partial.is_partial) {
    while (machine_.has_stale_miss()) {
      const uint32_t load = machine_.stale_miss_load();
      if (load >= code->load_sizes.size()) break;
      machine_.drop_miss(code->load_sizes[load]);
    }
    machine_.set_opaque_position(partial.opaque_at);
  } else {
    uint32_t passed = 0;
    for (const CompiledBlock::Exit& exit : code->exits) {
      const bool taken = (machine_.word(exit.guard) & 1) != 0;
      if (exit.makes_variant) {
        const bool said = passed == variant && variant + 1 < code->variant_end.size();
        if (taken != said)
          fault({.kind = Contradiction::Kind::kExit, .computed = taken, .recorded = said});
        if (said || taken) {
          expected_next_ = exit.target;
          break;
        }
        ++passed;
      } else if (taken) {
        expected_next_ = exit.raises_signal ? 0 : exit.target;
        if (expected_next_ == 0) expected_next_ = ~uint64_t{0};  // a signal event must follow
        break;
      }
    }
    if (expected_next_ == ~uint64_t{0})
      expected_next_ = 0;
    else if (expected_next_ == 0)
      expected_next_ = machine_.word(code->next);
  }
  if (expected_next_ != 0) machine_.word(kStateOffset + kRipOffset) = expected_next_;
  if (machine_.contradiction().kind != Contradiction::Kind::kNone) {
    fault(machine_.contradiction());
    machine_.forget_contradiction();
  }
  if (on_block) on_block(*def, thread_);
  return {};
}

Result<void> Regenerator::segment(size_t number) {
  const FrameEntry& frame = reader_.frames()[process_.segments[number]];
  TRY(const SegmentData data, reader_.load(process_.segments[number]));
  segment_ = static_cast<uint32_t>(number);
  first_block_ = frame.segment.first_block;
  if (frame.segment.thread_at_start != 0) switch_to(frame.segment.thread_at_start);
  machine_.set_streams(data.streams[TW_STREAM_MISS_POS], data.streams[TW_STREAM_MISS_VAL],
                       data.streams[TW_STREAM_OPAQUE]);

  // Partial blocks are announced by the signal that ended them.
  std::vector<std::pair<uint32_t, PartialBlock>> partial;
  EventReader scan(data.events());
  for (Event event; scan.next(event);) {
    if (event.kind != TW_EVENT_SIGNAL) continue;
    const auto e = SignalEvent::parse(event);
    if (e && (e->flags & TW_SIGNAL_PARTIAL) != 0 && event.at > 0) {
      partial.push_back({static_cast<uint32_t>(event.at - 1), {true, e->completed, e->opaque_at}});
    }
  }
  auto next_partial = partial.cbegin();
  EventReader events(data.events());
  Event pending;
  bool has_event = events.next(pending);
  const uint32_t blocks = frame.segment.block_count;
  const bool cut = (frame.segment.flags & TW_SEGMENT_SALVAGED) != 0;
  for (ordinal_ = 0; ordinal_ <= blocks; ++ordinal_) {
    while (has_event && pending.at <= ordinal_) {
      apply(pending);
      has_event = events.next(pending);
    }
    if (ordinal_ == blocks || (cut && ordinal_ + 1 == blocks)) break;
    uint32_t value = 0;
    std::memcpy(&value, data.blocks().data() + size_t{ordinal_} * 4, 4);
    PartialBlock how;
    if (next_partial != partial.cend() && next_partial->first == ordinal_)
      how = (next_partial++)->second;
    TRY_VOID(run_block(value, how));
  }
  return {};
}

}  // namespace twinrun
