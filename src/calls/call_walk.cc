// SPDX-License-Identifier: MIT
#include "calls/call_walk.h"

#include "program/registers.h"
#include "run/module_address.h"
#include "trace/regen/effects.h"
#include "trace/regen/memory_events.h"

#include <cstring>
#include <utility>

namespace twinrun {
std::optional<uint64_t> CallMoment::reg(unsigned number) const {
  const auto offset = register_of_dwarf(number);
  if (!is_known || !offset) return std::nullopt;
  if (*offset < vector_offset(0)) return general[general_number(*offset)];
  const size_t vector = number - dwarf::kYmm0;
  return vector < vectors.size() ? std::optional(vectors[vector]) : std::nullopt;
}

bool CallMoment::memory(uint64_t address, std::span<uint8_t> out) const {
  if (read_byte == nullptr) return false;
  for (size_t i = 0; i < out.size(); ++i) {
    const auto byte = (*read_byte)(address + i);
    if (!byte) return false;
    out[i] = *byte;
  }
  return true;
}

CallWalk::CallWalk(RunProcess& process, Options options)
    : process_(process),
      dictionary_(process.dictionary()),
      places_(process.places()),
      options_(std::move(options)),
      read_byte_([this](uint64_t address) { return byte(address); }) {}

Result<std::unique_ptr<CallWalk>> CallWalk::open(RunProcess& process, Options options) {
  if (options.values && !process.reader().has_values()) {
    return std::unexpected(Error{
        "V001", "the recording has no values", "record again without --control-flow-only", {}});
  }
  std::unique_ptr<CallWalk> out(new CallWalk(process, std::move(options)));
  if (out->options_.values) {
    const uint32_t state_size = process.process().info.state_size;
    if (state_size > kTempsOffset || state_size < vector_offset(8))
      return fail("T006", "process {} has a register file of {} bytes", process.number(),
                  state_size);
    CodeCache* code = out->options_.code;
    if (code == nullptr) {
      out->own_code_ = std::make_unique<CodeCache>(out->dictionary_, state_size);
      code = out->own_code_.get();
    }
    out->regenerator_ = std::make_unique<Regenerator>(process.reader(), process.process(), *code);
  }
  return out;
}

void CallWalk::note_accesses() {
  Machine& machine = regenerator_->machine();
  const Regenerator::Block& block = regenerator_->block();
  // What is loaded is known, too: it may have been there from the start.
  for_each_access(machine, *block.executable->code, block.ops,
                  [&](const DoneAccess& access) { memory_.write(access.address, access.bytes()); });
}

std::optional<uint8_t> CallWalk::byte(uint64_t address) {
  if (const auto known = memory_.byte(address)) return known;
  // Nothing has touched it: a file's contents are still there.
  const ModuleAddress at = process_.module_address({address}, blocks_);
  if (!at.is_in_elf) return std::nullopt;
  const auto code = process_.binaries().module(*at.file);
  if (!code) return std::nullopt;
  const ByteSpan bytes = (*code)->image().at(at.address.value);
  if (bytes.empty()) return std::nullopt;
  return bytes[0];
}

void CallWalk::ignore_memory() {
  if (!std::exchange(options_.memory, false)) return;
  memory_ = KnownMemory();
}

/// The regenerator follows the timeline, one block behind the other.
Result<bool> CallWalk::compute_block(size_t segment) {
  for (;;) {
    if (segment_ != segment) {
      if (segment_ != ~size_t{0}) {
        for (;;) {
          TRY(const Regenerator::Item rest, regenerator_->next());
          if (rest == Regenerator::Item::kEnd) break;
          if (rest == Regenerator::Item::kEvent && options_.memory)
            apply_to_memory(regenerator_->event(), memory_);
        }
      }
      segment_ = segment;
      TRY_VOID(regenerator_->enter(segment));
    }
    TRY(const Regenerator::Item item, regenerator_->next());
    // What a killed process left may end in a block that was not computed.
    if (item == Regenerator::Item::kEnd) return false;
    if (item == Regenerator::Item::kBlock) break;
    if (options_.memory) apply_to_memory(regenerator_->event(), memory_);
  }
  if (options_.memory) note_accesses();
  if (watch_ != 0) note_watched();
  return true;
}

CallMoment CallWalk::moment_of(ByteSpan registers) {
  CallMoment out;
  if (registers.size() < vector_offset(out.vectors.size())) return out;
  out.is_known = true;
  std::memcpy(out.general.data(), registers.data() + reg::kRax, sizeof out.general);
  for (size_t i = 0; i < out.vectors.size(); ++i)
    std::memcpy(&out.vectors[i], registers.data() + vector_offset(static_cast<uint32_t>(i)), 8);
  return out;
}

CallMoment CallWalk::now() {
  if (!regenerator_) return {};
  Machine& machine = regenerator_->machine();
  CallMoment out = moment_of({machine.state(), machine.state_size()});
  if (options_.memory) out.read_byte = &read_byte_;
  return out;
}

CallMoment CallWalk::before(ThreadNo thread) const {
  return thread == before_thread_ ? before_ : CallMoment();
}

void CallWalk::watch(uint64_t address) {
  watch_ = address;
  if (address != 0) watched_value_ = 0;
}

void CallWalk::note_watched() {
  Machine& machine = regenerator_->machine();
  const Regenerator::Block& block = regenerator_->block();
  for_each_access(machine, *block.executable->code, block.ops, [&](const DoneAccess& access) {
    if (access.is_store() && access.size() == 8 && access.address == watch_)
      std::memcpy(&watched_value_, access.value, 8);
  });
}

bool CallWalk::is_plain(uint32_t value, uint64_t block) {
  if (plain_.size() <= value) plain_.resize(size_t{value} * 2 + 1);
  Plain& known = plain_[value];
  if (known == Plain::kUnknown) {
    known = Plain::kNo;
    const BlockDef* def = dictionary_.find(value);
    if (def == nullptr) return false;
    const CodePlaces::OfBlock& place = places_.of(*def, block);
    const bool to_the_end = value - def->id.value + 1 == def->variants;
    if (!place.is_entry && !place.loads_stack_pointer &&
        (!to_the_end || def->jump == TW_JUMP_BORING))
      known = Plain::kYes;
  }
  return known == Plain::kYes;
}

Result<bool> CallWalk::pass_plain(Timeline& timeline, ThreadNo thread, uint64_t& instructions) {
  CallTracker::Thread& t = tracker_->runner(thread);
  if (!CallTracker::can_pass(t)) return true;
  const Timeline::Ahead ahead = timeline.ahead();
  const size_t segment = timeline.segment_number();
  const ByteSpan values(ahead.values, size_t{4} * ahead.count);
  const bool follows_memory = options_.memory || watch_ != 0;
  uint64_t steps = 0;
  uint32_t count = 0;
  while (count < ahead.count && is_plain(block_at(values, count), ahead.first_block + count)) {
    if (regenerator_) {
      if (follows_memory || segment_ != segment || !regenerator_->next_block()) {
        TRY(const bool computed, compute_block(segment));
        if (!computed) return false;
      }
      told_step_ = {ahead.step.value + steps};
      if (options_.computed) options_.computed(*regenerator_);
    }
    steps += ahead.instructions[count++];
  }
  if (count == 0) return true;
  instructions += steps;
  tracker_->pass_over(t, {ahead.step.value + steps});
  timeline.skip(count);
  return true;
}

Result<void> CallWalk::run(CallListener& listener) {
  constexpr uint64_t kBlocksBetween = 1 << 14;
  tracker_ = std::make_unique<CallTracker>(dictionary_, places_, listener);
  Timeline timeline(process_.reader(), dictionary_, process_.process());
  Timeline::Item item;
  uint64_t instructions = 0;
  uint64_t told = 0;
  item.is_event = true;
  while (!stopped_) {
    if (!item.is_event && !options_.taken) {
      TRY(const bool computed, pass_plain(timeline, item.thread, instructions));
      if (!computed) break;
    }
    TRY(const bool more, timeline.next(item));
    if (!more) break;
    told_segment_ = static_cast<uint32_t>(timeline.segment_number());
    if (!item.is_event) {
      blocks_ = item.execution.block;
      instructions += item.execution.instructions;
      if (regenerator_) {
        const BlockDef* def = dictionary_.find(item.execution.value);
        if (def != nullptr && places_.of(*def, blocks_).is_entry) {
          before_ = moment_of(regenerator_->registers(item.thread.value));
          before_thread_ = item.thread;
        }
        TRY(const bool computed, compute_block(timeline.segment_number()));
        if (!computed) break;
        told_step_ = item.execution.step;
        if (options_.computed) options_.computed(*regenerator_);
      }
      if (options_.progress && blocks_ / kBlocksBetween != told) {
        told = blocks_ / kBlocksBetween;
        options_.progress(instructions);
      }
    } else if (options_.event) {
      options_.event(item);
    }
    if (options_.taken && !options_.taken(item)) return {};
    tracker_->take(item);
  }
  if (!stopped_) tracker_->finish();
  return {};
}

}  // namespace twinrun
