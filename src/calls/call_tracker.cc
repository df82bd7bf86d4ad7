// SPDX-License-Identifier: MIT
// Which call does a return end, and what did longjmp leave?
//
// The recording has the stack pointer of every call and return (docs/trace-format.md). A frame
// remembers where its return address is, so
//  - a return to just above the innermost frame's return address ends that frame;
//  - one further up has unwound the frames below it: an exception, or a longjmp before it;
//  - a call from above frames that are still there shows that a longjmp has left them. When it
//    jumped is remembered (a block that loads the stack pointer and jumps), so that frames end
//    there although that is known later only.
// Programs that switch stacks (swapcontext, fibers) load the stack pointer too. A return to just
// above the innermost frame of another stack goes on there; a stack pointer that belongs to no
// known frame, reached after loading it, starts a new stack. Of several stacks the one with the
// nearest frame above owns an address.
//
// A signal handler gets a stack of its own on top of the others, whose first frame ends with the
// system call rt_sigreturn; longjmp out of it is unwinding like any other.
//
// Each block costs a table look-up; calls and returns a few operations more, and unwinding a walk
// over the frames that it leaves. Only a switch of stacks looks at all stacks of the thread.
#include "calls/call_tracker.h"

#include "format/syscalls.h"

#include <algorithm>
#include <utility>

namespace twinrun {
namespace {

/// No frame is larger, when the stack pointer was loaded; else it is another stack.
constexpr uint64_t kFrameMost = 1 << 20;
/// A stack that starts this close to where another one started has taken over its memory.
constexpr uint64_t kSameStart = 512;
constexpr size_t kStacksMost = 1 << 16;

}  // namespace

CallTracker::Thread& CallTracker::thread(uint32_t number) {
  if (number == recent_number_) return *recent_;
  Thread& t = threads_[number];
  if (t.stacks.empty()) t.stacks.emplace_back();
  recent_number_ = number;
  recent_ = &t;
  return t;
}

std::span<const CallFrame> CallTracker::frames(ThreadNo number) const {
  if (number.value == recent_number_) return recent_->stacks.back().frames;
  const auto found = threads_.find(number.value);
  if (found == threads_.end() || found->second.stacks.empty()) return {};
  return found->second.stacks.back().frames;
}

std::span<CallFrame> CallTracker::frames(ThreadNo number) {
  const auto found = threads_.find(number.value);
  if (found == threads_.end() || found->second.stacks.empty()) return {};
  return found->second.stacks.back().frames;
}

bool CallTracker::is_lost(ThreadNo number) const {
  const auto found = threads_.find(number.value);
  return found != threads_.end() && found->second.is_lost;
}

void CallTracker::for_all_frames(
    const std::function<void(ThreadNo, const CallFrame&)>& visit) const {
  for (const auto& [number, t] : threads_) {
    for (const Stack& stack : t.stacks)
      for (const CallFrame& frame : stack.frames) visit({number}, frame);
  }
}

void CallTracker::for_all_stacks(
    const std::function<void(ThreadNo, std::span<const CallFrame>)>& visit) const {
  for (const auto& [number, t] : threads_) {
    for (const Stack& stack : t.stacks) visit({number}, stack.frames);
  }
}

void CallTracker::make_current(Thread& t, size_t stack) {
  std::rotate(t.stacks.begin() + static_cast<ptrdiff_t>(stack),
              t.stacks.begin() + static_cast<ptrdiff_t>(stack) + 1, t.stacks.end());
}

void CallTracker::leave(ThreadNo number, Stack& stack, size_t keep, FrameEnd how, Step step) {
  while (stack.frames.size() > keep) {
    // A listener may look at the frames around it.
    CallFrame frame = stack.frames.back();
    stack.frames.pop_back();
    listener_.left(number, frame, how, step);
    how = how == FrameEnd::kReturn ? FrameEnd::kUnwound : how;
  }
}

void CallTracker::start_stack(Thread& t, uint64_t sp, Step step, uint64_t block) {
  if (t.stacks.size() >= kStacksMost) t.stacks.erase(t.stacks.begin() + 1);
  const uint64_t tag = t.stacks.back().frames.empty() ? 0 : t.stacks.back().frames.back().tag;
  Stack& stack = t.stacks.emplace_back();
  CallFrame& frame = stack.frames.emplace_back();
  frame.kind = CallFrame::Kind::kStack;
  frame.tag = tag;
  frame.sp = sp;
  frame.step = step;
  frame.block = block;
  t.enters = true;
}

void CallTracker::settle(Thread& t, ThreadNo number, uint64_t sp, bool is_call, Step step) {
  // The frame that the stack pointer is in: the nearest one above it.
  size_t owner = t.stacks.size();
  size_t index = 0;
  uint64_t distance = ~uint64_t{0};
  for (size_t s = t.stacks.size(); s-- > 0;) {
    const std::vector<CallFrame>& frames = t.stacks[s].frames;
    // Innermost last: stack pointers descend.
    const auto below = std::partition_point(frames.begin(), frames.end(), [&](const CallFrame& f) {
      return f.sp == CallFrame::kUnknownSp || (is_call ? f.sp > sp : f.sp >= sp);
    });
    if (below == frames.begin()) continue;
    const CallFrame& frame = *std::prev(below);
    const uint64_t away = frame.sp == CallFrame::kUnknownSp ? kFrameMost : frame.sp - sp;
    if (away >= distance) continue;
    distance = away;
    owner = s;
    index = static_cast<size_t>(below - frames.begin());
  }
  const bool is_elsewhere = owner == t.stacks.size() || distance > kFrameMost;
  if (is_elsewhere && (t.loaded_sp || t.is_lost)) {
    start_stack(t, sp, step, 0);
    t.enters = false;
    t.stacks.back().frames.back().has_entered = true;
    return;
  }
  if (owner == t.stacks.size()) return;
  if (owner + 1 != t.stacks.size()) {
    // Signal handlers that ran on top of it are left for good; other stacks wait.
    for (size_t s = t.stacks.size(); s-- > owner + 1;) {
      Stack& above = t.stacks[s];
      if (above.frames.empty() || above.frames[0].kind != CallFrame::Kind::kSignal) continue;
      leave(number, above, 0, FrameEnd::kUnwound, step);
      t.stacks.erase(t.stacks.begin() + static_cast<ptrdiff_t>(s));
    }
    make_current(t, owner);
  }
  leave(number, t.stacks.back(), index, FrameEnd::kUnwound, step);
}

void CallTracker::call(Thread& t, ThreadNo number, uint64_t sp, const Timeline::Item& item,
                       const BlockDef& def) {
  const Execution& e = item.execution;
  const std::vector<CallFrame>& now = t.stacks.back().frames;
  const bool is_below = now.empty() || now.back().sp == CallFrame::kUnknownSp ||
                        (sp < now.back().sp && (!t.loaded_sp || now.back().sp - sp <= kFrameMost));
  if (t.is_lost || !is_below) settle(t, number, sp, true, t.is_lost ? t.lost_at : e.step);
  if (t.is_lost && !t.stacks.back().frames.empty()) {
    executed_in_ = t.stacks.back().frames.back().tag;
    listener_.found(number, t.stacks.back().frames.back());
  }
  t.is_lost = t.loaded_sp = false;
  const uint64_t tag = t.stacks.back().frames.empty() ? 0 : t.stacks.back().frames.back().tag;
  CallFrame& frame = t.stacks.back().frames.emplace_back();
  frame.tag = tag;
  frame.caller = def.id.value;
  frame.sp = sp;
  frame.step = {e.step.value + e.instructions};
  frame.block = e.block;
  t.enters = true;
  listener_.called(number, frame);
}

void CallTracker::ret(Thread& t, ThreadNo number, uint64_t sp, Step step) {
  Stack& now = t.stacks.back();
  if (!t.is_lost && !now.frames.empty() && now.frames.back().sp + 8 == sp) {
    // A handler's end is the system call that follows.
    if (now.frames.back().kind != CallFrame::Kind::kSignal)
      leave(number, now, now.frames.size() - 1, FrameEnd::kReturn, step);
    t.loaded_sp = false;
    return;
  }
  if (t.is_lost) {
    // The function that longjmp went to returns.
    for (size_t i = now.frames.size(); i-- > 0;) {
      if (now.frames[i].sp + 8 > sp) break;
      if (now.frames[i].sp + 8 != sp || now.frames[i].kind == CallFrame::Kind::kSignal) continue;
      leave(number, now, i + 1, FrameEnd::kUnwound, t.lost_at);
      executed_in_ = now.frames[i].tag;
      listener_.found(number, now.frames[i]);
      leave(number, now, i, FrameEnd::kReturn, step);
      t.loaded_sp = t.is_lost = false;
      return;
    }
  }
  for (size_t s = t.stacks.size(); s-- > 0;) {
    Stack& other = t.stacks[s];
    if (other.frames.empty() || other.frames.back().sp + 8 != sp ||
        other.frames.back().kind == CallFrame::Kind::kSignal)
      continue;
    make_current(t, s);
    leave(number, t.stacks.back(), t.stacks.back().frames.size() - 1, FrameEnd::kReturn, step);
    t.loaded_sp = t.is_lost = false;
    return;
  }
  const bool is_inside =
      !now.frames.empty() && (now.frames.back().sp == CallFrame::kUnknownSp ||
                              (sp <= now.frames.back().sp && !t.loaded_sp && !t.is_lost));
  if (is_inside) {
    // A handler whose start is not known, or a return that is used as a jump.
    if (now.frames.size() == 1 && now.frames[0].kind == CallFrame::Kind::kSignal)
      now.frames[0].sp = sp - 8;
    // Out of the outermost frame that is known, into one that is not.
    if (now.frames.size() == 1 && now.frames[0].is_inherited)
      now.frames[0].function = CodePlaces::kUnknown;
    t.came_by_jump = true;
    t.loaded_sp = false;
    return;
  }
  if (t.loaded_sp) {
    t.may_start = true;
    t.start_sp = sp;
    if (!t.is_lost) t.lost_at = step;
    t.is_lost = false;
    return;  // the next block decides
  }
  const bool was_lost = t.is_lost;
  settle(t, number, sp, false, was_lost ? t.lost_at : step);
  t.loaded_sp = t.is_lost = false;
  if (was_lost && !t.stacks.back().frames.empty()) {
    executed_in_ = t.stacks.back().frames.back().tag;
    listener_.found(number, t.stacks.back().frames.back());
  }
}

void CallTracker::signal(const SignalEvent& event, const Timeline::Item& item) {
  if ((event.flags & TW_SIGNAL_HANDLED) == 0) return;
  Thread& t = thread(event.thread);
  const uint64_t tag = t.stacks.back().frames.empty() ? 0 : t.stacks.back().frames.back().tag;
  Stack& stack = t.stacks.emplace_back();
  CallFrame& frame = stack.frames.emplace_back();
  frame.tag = tag;
  frame.kind = CallFrame::Kind::kSignal;
  frame.signal = event.signal;
  frame.step = item.step;
  frame.block = item.blocks;
  stack.resumes_entering = std::exchange(t.enters, true);
  stack.resumes_jump = std::exchange(t.came_by_jump, false);
  listener_.called(item.thread, frame);
}

void CallTracker::told_calls(const CallsEvent& calls, uint64_t blocks) {
  Thread& t = thread(calls.thread);
  auto ring = CallStack::parse(calls);
  if (!ring) return;
  if (!t.has_run) {
    // A forked process, or a walk that begins in the middle.
    t.stacks.back().frames.clear();
    t.stacks.back().frames.emplace_back().kind = CallFrame::Kind::kStart;
    t.stacks.back().frames.back().is_inherited = !ring->empty();
    t.stacks.back().frames.back().has_entered = !ring->empty();
    for (const Call& call : *ring) {
      CallFrame& frame = t.stacks.back().frames.emplace_back();
      frame.is_inherited = frame.has_entered = true;
      frame.sp = call.sp;
      frame.caller = call.block;
    }
    // A late process begins where it enters a function that nobody has seen being called.
    const bool begins_late = blocks == 0 && !ring->empty() && ring->back().block == 0;
    if (begins_late) t.stacks.back().frames.back().has_entered = false;
    t.enters = ring->empty() || begins_late;
  }
  t.ring.set(std::move(*ring));
}

void CallTracker::handler_returns(ThreadNo number, Step step) {
  Thread& t = thread(number.value);
  for (size_t s = t.stacks.size(); s-- > 0;) {
    Stack& stack = t.stacks[s];
    if (stack.frames.empty() || stack.frames[0].kind != CallFrame::Kind::kSignal) continue;
    leave(number, stack, 0, FrameEnd::kReturn, step);
    t.enters = stack.resumes_entering;
    t.came_by_jump = stack.resumes_jump;
    t.stacks.erase(t.stacks.begin() + static_cast<ptrdiff_t>(s));
    break;
  }
  t.is_lost = t.loaded_sp = false;
}

void CallTracker::event(const Timeline::Item& item) {
  const Event& e = item.event;
  switch (e.kind) {
    case EventKind::kChunk: deltas_.clear(); break;
    case EventKind::kInitialStack:
      if (const auto memory = MemoryEvent::parse(e))
        if (initial_sp_ == CallFrame::kUnknownSp || memory->address.value < initial_sp_)
          initial_sp_ = memory->address.value;
      break;
    case EventKind::kCalls:
      if (const auto calls = CallsEvent::parse(e)) told_calls(*calls, item.blocks);
      break;
    case EventKind::kSignal:
      if (const auto told = SignalEvent::parse(e)) signal(*told, item);
      break;
    case EventKind::kWritten:
      // The frame of a signal begins with the return address of its handler.
      if (const auto memory = MemoryEvent::parse(e); memory && memory->part == TW_PART_SIGNAL) {
        Thread& t = thread(memory->thread);
        if (t.stacks.back().frames.empty()) break;
        CallFrame& top = t.stacks.back().frames.back();
        if (top.kind == CallFrame::Kind::kSignal && !top.has_entered &&
            (top.sp == CallFrame::kUnknownSp || memory->address.value < top.sp))
          top.sp = memory->address.value;
      }
      break;
    case EventKind::kSyscall:
      if (const auto call = SyscallEvent::parse(e); call && call->number == sys::kRtSigreturn)
        handler_returns({call->thread}, item.step);
      break;
    case EventKind::kThreadExit: end_thread(item.thread.value, item.step); break;
    case EventKind::kThreadStart:
    case EventKind::kThreadSwitch:
    case EventKind::kStack:  // comes with its block
    case EventKind::kState:
    case EventKind::kStateDelta:
    case EventKind::kReset:
    case EventKind::kSyscallResult:
    case EventKind::kRead:
    case EventKind::kMap:
    case EventKind::kUnmap:
    case EventKind::kProtect:
    case EventKind::kRemap:
    case EventKind::kClobbered:
    case EventKind::kExec:
    case EventKind::kExit:
    case EventKind::kDeath:
    case EventKind::kFork:
    case EventKind::kWarning:
    case EventKind::kDescriptor:
    case EventKind::kUnknown: break;
  }
}

void CallTracker::arrive(const Timeline::Item& item) {
  const Execution& e = item.execution;
  const BlockDef* def = dictionary_.find(e.value);
  if (def == nullptr) return;  // the timeline has refused it already
  Thread& t = thread(e.thread.value);
  const CodePlaces::OfBlock& place = places_.of(*def, e.block);
  t.step = {e.step.value + e.instructions};
  if (!t.has_run) {
    t.has_run = true;
    if (t.stacks.back().frames.empty())
      t.stacks.back().frames.emplace_back().kind = CallFrame::Kind::kStart;
    CallFrame& first = t.stacks.back().frames.front();
    if (first.kind == CallFrame::Kind::kStart && !first.is_inherited && e.thread.value == 1)
      first.sp = initial_sp_;
  }
  if (t.may_start) {
    t.may_start = false;
    t.loaded_sp = false;
    if (place.is_entry) {
      // Another stack that began here has given up its memory.
      for (size_t s = t.stacks.size() - 1; s-- > 1;) {
        const std::vector<CallFrame>& frames = t.stacks[s].frames;
        if (!frames.empty() && frames[0].kind == CallFrame::Kind::kStack &&
            frames[0].sp + kSameStart > t.start_sp && frames[0].sp < t.start_sp + kSameStart) {
          leave(e.thread, t.stacks[s], 0, FrameEnd::kUnwound, t.lost_at);
          t.stacks.erase(t.stacks.begin() + static_cast<ptrdiff_t>(s));
        }
      }
      start_stack(t, t.start_sp, e.step, e.block);
    } else {
      t.loaded_sp = true;
      settle(t, e.thread, t.start_sp, false, t.lost_at);
      t.loaded_sp = false;
    }
  }
  if (t.just_lost && place.is_entry) {
    // Not longjmp, which goes to the middle of a function: the loader has found what a stub leads
    // to. Unless it is the start of another stack, which the next call will show.
    t.is_lost = t.just_lost = false;
    t.loaded_sp = true;
  }
  if (t.stacks.back().frames.empty()) t.stacks.back().frames.emplace_back().has_entered = true;
  CallFrame& top = t.stacks.back().frames.back();
  if (t.enters) {
    t.enters = false;
    top.has_entered = true;
    top.function = place.function;
    top.entry = def->address.value;
    listener_.entered(e.thread, top);
  } else if (t.is_lost && !t.just_lost) {
    // Whose code this is shows later.
  } else if (place.is_entry && t.came_by_jump && place.function != top.function) {
    const uint32_t from = std::exchange(top.function, place.function);
    listener_.jumped(e.thread, top, from);
  } else if (top.function == CodePlaces::kUnknown && !t.is_lost) {
    top.function = place.function;
  }
  t.just_lost = false;
  executed_in_ = t.stacks.back().frames.back().tag;
}

void CallTracker::depart(const Timeline::Item& item) {
  const Execution& e = item.execution;
  const BlockDef* def = dictionary_.find(e.value);
  if (def == nullptr) return;
  Thread& t = thread(e.thread.value);
  const CodePlaces::OfBlock& place = places_.of(*def, e.block);
  const bool to_the_end = !e.partial && e.value - def->id.value + 1 == def->variants;
  t.loaded_sp |= place.loads_stack_pointer && !e.partial;
  t.came_by_jump = !e.partial && (!to_the_end || def->jump == TW_JUMP_BORING);
  if (!to_the_end) return;
  if (def->jump == TW_JUMP_CALL) {
    t.ring.call(def->id.value, item.stack_miss, deltas_);
    call(t, e.thread, t.ring.calls().back().sp, item, *def);
  } else if (def->jump == TW_JUMP_RETURN) {
    const uint64_t sp = item.stack_miss != nullptr ? item.stack_miss->sp.value
                        : t.ring.calls().empty()   ? 0
                                                   : t.ring.calls().back().sp + 8;
    t.ring.ret(item.stack_miss);
    ret(t, e.thread, sp, t.step);
  } else if (place.jumps_indirectly && t.loaded_sp) {
    t.is_lost = t.just_lost = true;
    t.loaded_sp = false;
    t.lost_at = t.step;
  }
}

void CallTracker::end_thread(uint32_t number, Step step) {
  const auto found = threads_.find(number);
  if (found == threads_.end()) return;
  std::vector<Stack>& stacks = found->second.stacks;
  while (!stacks.empty()) {
    leave({number}, stacks.back(), 0, FrameEnd::kOpen, step);
    stacks.pop_back();
  }
  threads_.erase(found);
  recent_number_ = ~0u;
}

void CallTracker::finish() {
  while (!threads_.empty()) end_thread(threads_.begin()->first, threads_.begin()->second.step);
}

}  // namespace twinrun
