// SPDX-License-Identifier: MIT
#include "memory/allocation_listener.h"

#include "format/registers.h"

#include <algorithm>
#include <array>

namespace twinrun {
namespace {

// What a frame's tag says.
constexpr uint64_t kInside = 1;     // below an allocator
constexpr uint64_t kAllocator = 2;  // it is one

// Registers of a function's integer arguments.
constexpr std::array<uint32_t, 6> kArguments = {reg::kRdi, reg::kRsi, reg::kRdx,
                                                reg::kRcx, reg::kR8,  reg::kR9};

bool matches(const AllocatorRule& rule, const PlacedFunction& function) {
  if (!rule.name.ends_with('*')) return function.has_name(rule.name);
  const auto begins = [&](const std::string& name) {
    return name.starts_with(std::string_view(rule.name).substr(0, rule.name.size() - 1));
  };
  return begins(function.name) || std::ranges::any_of(function.aliases, begins);
}

}  // namespace

AllocationListener::AllocationListener(CallWalk& walk, const std::vector<AllocatorRule>& more)
    : walk_(walk), rules_(more), custom_(more.size()) {
  for (AllocatorRule& rule : standard_allocators()) rules_.push_back(std::move(rule));
}

void AllocationListener::called(ThreadNo /*thread*/, CallFrame& frame) {
  // A handler that interrupts an allocator is no part of it.
  frame.tag = frame.kind == CallFrame::Kind::kSignal || frame.tag == 0 ? 0 : kInside;
}

void AllocationListener::entered(ThreadNo thread, CallFrame& frame) {
  if (frame.kind != CallFrame::Kind::kCall) frame.tag = 0;
  recognise(thread, frame);
}

void AllocationListener::jumped(ThreadNo thread, CallFrame& frame, uint32_t /*from*/) {
  recognise(thread, frame);
}

void AllocationListener::left(ThreadNo thread, CallFrame& frame, FrameEnd how, Step step) {
  if (frame.tag != kAllocator) return;
  const auto found = under_way_.find(thread.value);
  if (found == under_way_.end()) return;
  const Call call = found->second;
  under_way_.erase(found);
  if (call.rule->kind == AllocatorRule::Kind::kStore) walk_.watch(0);
  if (how == FrameEnd::kReturn) finish(thread, call, step);
}

void AllocationListener::recognise(ThreadNo thread, CallFrame& frame) {
  if (frame.tag != 0) return;
  const auto [rule, name] = rule_of(frame.function);
  if (rule == nullptr) {
    if (known_[frame.function].is_usable_size) asked_usable_size();
    return;
  }
  const CallMoment at = walk_.before(thread);
  if (!at.is_known) return;
  frame.tag = kAllocator;
  const auto argument = [&](uint8_t number) -> uint64_t {
    return number < kArguments.size() ? at.general[general_number(kArguments[number])] : 0;
  };
  Call& call = under_way_[thread.value];
  call = {rule, name, 0, 0, argument(rule->pointer), walk_.blocks(), frame.step};
  if (rule->size != AllocatorRule::kNone) call.size = argument(rule->size);
  if (rule->count != AllocatorRule::kNone) call.size *= argument(rule->count);
  if (const BlockDef* block = frame.caller == 0 ? nullptr : walk_.dictionary().find(frame.caller))
    call.site = block->last_instruction().value;
  if (rule->kind == AllocatorRule::Kind::kStore) walk_.watch(call.pointer);
  begins(*rule, call.pointer,
         {.site = call.site, .thread = thread, .step = frame.step, .called = call.called});
}

void AllocationListener::finish(ThreadNo thread, const Call& call, Step step) {
  const uint64_t result = walk_.now().general[0];
  Allocation made{.address = result,
                  .size = call.size,
                  .site = call.site,
                  .thread = thread,
                  .step = step,
                  .block = walk_.blocks() + 1,
                  .allocator = call.name,
                  .called = call.called,
                  .from_step = call.step,
                  .argument = call.rule->pointer,
                  .is_zeroed = call.rule->kind == AllocatorRule::Kind::kAllocate &&
                               call.rule->count != AllocatorRule::kNone};
  switch (call.rule->kind) {
    case AllocatorRule::Kind::kFree:
      if (call.pointer != 0) freed(call.pointer, made, *call.rule);
      return;
    case AllocatorRule::Kind::kResize:
      if (call.pointer != 0 && (result != 0 || call.size == 0)) {
        if (result != 0) resized(call.pointer);
        freed(call.pointer, made, *call.rule);
      }
      break;
    case AllocatorRule::Kind::kStore:
      made.address = static_cast<int32_t>(result) == 0 ? walk_.watched() : 0;
      break;
    case AllocatorRule::Kind::kAllocate: break;
  }
  if (made.address != 0) this->made(made, *call.rule);
}

std::pair<const AllocatorRule*, uint32_t> AllocationListener::rule_of(uint32_t function) {
  if (known_.size() <= function) known_.resize(function + 1);
  Known& known = known_[function];
  if (!known.is_known) {
    known.is_known = true;
    const PlacedFunction& there = walk_.places().function(function);
    known.is_usable_size = !there.is_stub && there.has_name("malloc_usable_size");
    for (const AllocatorRule& rule : rules_) {
      if (there.is_stub || function == CodePlaces::kUnknown || !matches(rule, there)) continue;
      known.rule = &rule;
      known.name = add_allocator(rule.name.ends_with('*') ? source_name(there) : rule.name);
      break;
    }
  }
  return {known.rule, known.name};
}

}  // namespace twinrun
