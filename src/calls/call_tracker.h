// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "run/code_places.h"
#include "trace/call_stack.h"
#include "trace/timeline.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace twinrun {

/// A function that has been entered and not yet left. Tail calls stay in their frame: its function
/// changes.
struct CallFrame {
  enum class Kind : uint8_t {
    kStart,   // the thread's first code
    kCall,    // called
    kSignal,  // a handler, entered by a signal
    kStack,   // the first code on a stack that was switched to
  };
  static constexpr uint64_t kUnknownSp = 0;

  Kind kind = Kind::kCall;
  bool is_inherited = false;  // from before the fork, or before the first block that was told
  bool has_entered = false;   // its first block has been executed
  uint32_t signal = 0;        // kSignal
  uint32_t caller = 0;        // id of the calling block; 0: none
  uint32_t function = CodePlaces::kUnknown;
  uint64_t entry = 0;        // address of its first block
  uint64_t sp = kUnknownSp;  // where the return address is
  Step step;                 // of the thread: its first instruction
  uint64_t block = 0;        // blocks of the process that had begun at the call
  uint64_t tag = 0;          // for whoever listens; a frame begins with its caller's
};

/// How a frame was left.
enum class FrameEnd : uint8_t {
  kReturn,   // or by the end of a signal handler
  kUnwound,  // by longjmp, an exception, or because its stack was never returned to
  kOpen,     // the thread, or the recording, ended in it
};

/// Told about calls in the order of execution.
class CallListener {
 public:
  virtual ~CallListener() = default;
  /// A call has been executed; what it calls is not known yet. Registers are those that the callee
  /// sees. Not told of the first frame of a thread and of inherited ones.
  virtual void called(ThreadNo /*thread*/, CallFrame& /*frame*/) {}
  /// The first block of the frame is known; behind a call, and for the first frame of a thread.
  virtual void entered(ThreadNo /*thread*/, CallFrame& /*frame*/) {}
  /// A tail call, or the way from a stub to its function: the frame's function has changed.
  virtual void jumped(ThreadNo /*thread*/, CallFrame& /*frame*/, uint32_t /*from*/) {}
  /// After longjmp: what was executed since the jump belongs to this frame.
  virtual void found(ThreadNo /*thread*/, CallFrame& /*frame*/) {}
  /// `step`: instructions of the thread that had been executed when it was left. After longjmp this
  /// is told as late as the next call or return, with the step of the jump.
  virtual void left(ThreadNo /*thread*/, CallFrame& /*frame*/, FrameEnd /*how*/, Step /*step*/) {}
};

/// Follows the calls of one process: takes its blocks and events in order, keeps a stack of frames
/// for each thread (several, when it switches between stacks) and tells what is entered and left.
/// Needs control flow only. Memory follows the depth of calls.
class CallTracker {
 public:
  CallTracker(const Dictionary& dictionary, CodePlaces& places, CallListener& listener)
      : dictionary_(dictionary), places_(places), listener_(listener) {}

  void take(const Timeline::Item& item) {
    if (item.is_event) {
      event(item);
    } else {
      arrive(item);
      depart(item);
    }
  }
  // The parts of take(), for those who have something to do in a block's middle.
  void event(const Timeline::Item& item);
  void arrive(const Timeline::Item& item);
  void depart(const Timeline::Item& item);

  /// Frames on one stack, or on the part of one that a signal handler uses.
  struct Stack {
    std::vector<CallFrame> frames;
    // Of a signal handler: how the interrupted code goes on.
    bool resumes_entering = false;
    bool resumes_jump = false;
  };
  struct Thread {
    CallStack ring;             // tells the stack pointer of every call and return
    std::vector<Stack> stacks;  // the last one runs
    bool has_run = false;
    bool enters = true;         // the next block is the first one of the innermost frame
    bool came_by_jump = false;  // the last block was left by a jump
    bool loaded_sp = false;     // the stack pointer was loaded since the last call or return
    bool is_lost = false;       // by a jump after that: where it runs shows at the next call
    bool just_lost = false;     // no block has been executed since
    bool may_start = false;     // a return to nowhere known: perhaps the start of a stack
    uint64_t start_sp = 0;      // of that return
    Step lost_at;
    Step step;
  };

  // Short ways for blocks that were executed to their end, of a thread that is_settled(). They
  // tell nothing to the listener, and frames that begin so have no step. The reference to the
  // thread stays valid until its next event.
  [[nodiscard]] Thread& runner(ThreadNo thread) { return this->thread(thread.value); }
  /// Nothing unusual is under way.
  [[nodiscard]] static bool is_settled(const Thread& t) {
    return t.has_run && !t.may_start && !t.is_lost && !t.just_lost && !t.loaded_sp;
  }
  /// A block that neither calls nor returns, nor begins a function, nor loads the stack pointer.
  static void pass(Thread& t) { t.came_by_jump = true; }
  /// Whether pass_over() does: the frame that runs is known, and its function.
  [[nodiscard]] static bool can_pass(const Thread& t) {
    return is_settled(t) && !t.enters && !t.stacks.back().frames.empty() &&
           t.stacks.back().frames.back().function != CodePlaces::kUnknown;
  }
  /// Such blocks, behind which the thread has executed so many instructions.
  void pass_over(Thread& t, Step step) {
    t.came_by_jump = true;
    t.step = step;
    executed_in_ = top(t).tag;
  }
  /// A function's first block behind its call.
  static void enter(Thread& t, uint32_t function, uint64_t address) {
    CallFrame& frame = top(t);
    t.enters = false;
    frame.has_entered = true;
    frame.function = function;
    frame.entry = address;
  }
  /// A function's first block behind a jump from elsewhere, when can_jump().
  [[nodiscard]] static bool can_jump(const Thread& t) { return t.came_by_jump; }
  /// False when the frame is in that function already.
  static bool jump_shortly(Thread& t, uint32_t function) {
    return std::exchange(top(t).function, function) != function;
  }
  /// Whether call_shortly() and return_shortly() do; else only depart() does.
  [[nodiscard]] [[gnu::always_inline]] bool can_call(const Thread& t, uint32_t block) {
    return is_on_ring(t) && t.ring.can_predict(block, deltas_);
  }
  [[nodiscard]] [[gnu::always_inline]] static bool can_return(const Thread& t) {
    return is_on_ring(t) && t.stacks.back().frames.back().kind == CallFrame::Kind::kCall;
  }
  [[gnu::always_inline]] void call_shortly(Thread& t, uint32_t block, uint64_t tag) {
    CallFrame& frame = t.stacks.back().frames.emplace_back();
    frame.tag = tag;
    frame.caller = block;
    frame.sp = t.ring.call_as_predicted(block, deltas_);
    t.enters = true;
    t.came_by_jump = false;
  }
  [[gnu::always_inline]] static void return_shortly(Thread& t) {
    t.ring.ret_as_predicted();
    t.stacks.back().frames.pop_back();
    t.came_by_jump = false;
  }
  [[nodiscard]] static CallFrame& top(Thread& t) { return t.stacks.back().frames.back(); }
  /// All that is still open is left.
  void finish();
  /// What calls are predicted by, for those who tell the blocks of one thread only: what the other
  /// threads change must be brought in.
  [[nodiscard]] CallDeltas& deltas() { return deltas_; }

  /// The tag of the frame that executed the last block; while a thread is lost after longjmp, that
  /// of one which it has left.
  [[nodiscard]] uint64_t executed_in() const { return executed_in_; }
  [[nodiscard]] bool is_lost(ThreadNo thread) const;
  /// Calls `visit` with all frames of all threads and stacks, those of a thread's current stack
  /// last.
  void for_all_frames(const std::function<void(ThreadNo, const CallFrame&)>& visit) const;

  /// Calls `visit` with the frames of each stack, innermost last; a thread's current stack is its
  /// last one, and the handler of a signal has a stack behind the one that it interrupted.
  void for_all_stacks(const std::function<void(ThreadNo, std::span<const CallFrame>)>& visit) const;

  /// The frames of the stack that the thread runs on, innermost last; empty before it has run.
  [[nodiscard]] std::span<const CallFrame> frames(ThreadNo thread) const;
  [[nodiscard]] std::span<CallFrame> frames(ThreadNo thread);

 private:
  /// The innermost frame is the last call that the recorder remembers.
  [[nodiscard]] [[gnu::always_inline]] static bool is_on_ring(const Thread& t) {
    const std::vector<CallFrame>& frames = t.stacks.back().frames;
    const std::span<const Call> calls = t.ring.calls();
    return !calls.empty() && !frames.empty() && calls.back().sp == frames.back().sp;
  }
  void signal(const SignalEvent& event, const Timeline::Item& item);
  void told_calls(const CallsEvent& calls, uint64_t blocks);
  void handler_returns(ThreadNo number, Step step);
  void call(Thread& t, ThreadNo number, uint64_t sp, const Timeline::Item& item,
            const BlockDef& def);
  void ret(Thread& t, ThreadNo number, uint64_t sp, Step step);
  /// Frames above the one that must hold the stack pointer are left; switches stacks if need be.
  void settle(Thread& t, ThreadNo number, uint64_t sp, bool is_call, Step step);
  void start_stack(Thread& t, uint64_t sp, Step step, uint64_t block);
  void leave(ThreadNo number, Stack& stack, size_t keep, FrameEnd how, Step step);
  void end_thread(uint32_t number, Step step);
  Thread& thread(uint32_t number);
  static void make_current(Thread& t, size_t stack);

  const Dictionary& dictionary_;
  CodePlaces& places_;
  CallListener& listener_;
  CallDeltas deltas_;
  std::map<uint32_t, Thread> threads_;
  uint64_t initial_sp_ = CallFrame::kUnknownSp;
  uint64_t executed_in_ = 0;
  // The thread of the last block: most blocks need no look into the map.
  uint32_t recent_number_ = ~0u;
  Thread* recent_ = nullptr;
};

}  // namespace twinrun
