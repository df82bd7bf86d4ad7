// SPDX-License-Identifier: MIT
// The frames are the call tracker's, numbered by calls/thread_frames.h; each stack has a stream. An
// entry is told with the first block of a frame, so that stubs, the loader's search and frames that
// were there before the thread's first block need no rules of their own; a frame whose code goes on
// in another function tells an exit and an entry.
//
// After longjmp the tracker knows only with the next call or return which frame it is in. That
// moment is looked up ahead, so that the blocks in between are told where they belong.
#include "paths/path_view.h"

#include "base/check.h"

#include <cstring>
#include <utility>

namespace twinrun {

PathFunctions::Place PathFunctions::make(CodeNode node, uint32_t outside) {
  if (places_.size() <= node) places_.resize(space_.size(), {0, kUnknown});
  const CodeSpace::Node& code = space_.node(node);
  const bool has_graph = code.function != 0;
  const uint64_t key = has_graph ? code.function : uint64_t{process_} << 32 | outside;
  const auto [it, is_new] = numbers_.try_emplace(key, size());
  if (is_new) functions_.emplace_back();
  Function& function = functions_[it->second];
  if (is_new && has_graph) {
    // The nodes of a function are made together, by address.
    CodeNode first = node;
    while (first > 1 && space_.node(first - 1).function == code.function) --first;
    function.first = first;
    for (CodeNode n = first; n < space_.size() && space_.node(n).function == code.function; ++n)
      lengths_.set(it->second, n - first, space_.node(n).instructions);
  }
  if (!has_graph) function.loose.push_back(node);
  const auto block =
      static_cast<uint32_t>(has_graph ? node - function.first : function.loose.size() - 1);
  if (!has_graph) lengths_.set(it->second, block, code.instructions);
  return places_[node] = {it->second, block};
}

CodeNode PathFunctions::node(uint32_t function, uint32_t block) const {
  if (function >= functions_.size()) return CodeSpace::kNone;
  const Function& f = functions_[function];
  if (f.first == 0) return block < f.loose.size() ? f.loose[block] : CodeSpace::kNone;
  const uint64_t node = uint64_t{f.first} + block;
  if (node >= space_.size()) return CodeSpace::kNone;
  const auto number = static_cast<CodeNode>(node);
  return space_.node(number).function == space_.node(f.first).function ? number : CodeSpace::kNone;
}

PathView::PathView(const CodeModel& model, PathFunctions& functions, Options options)
    : process_(model.process()),
      options_(std::move(options)),
      places_(process_.binaries(), process_.maps(), process_.called()),
      plans_(model, places_),
      tracker_(process_.dictionary(), places_, *this),
      timeline_(process_.reader(), process_.dictionary(), process_.process()),
      functions_(functions),
      passings_(process_.dictionary().counts().size()) {
  functions_.begin_process();
}

PathView::Thread& PathView::thread(ThreadNo number) {
  if (recent_ != nullptr && recent_number_ == number.value) return *recent_;
  Thread& t =
      threads_.try_emplace(number.value, Thread{.numbers = {tracker_, number}, .streams = {}})
          .first->second;
  if (t.stream == nullptr) t.stream = &t.streams[0];
  recent_number_ = number.value;
  recent_ = &t;
  return t;
}

void PathView::put(Stream& stream, PathEvent event) {
  if (stream.size == stream.events.size()) {
    const size_t room = std::max<size_t>(stream.size * size_t{2}, 64);
    stream.events.resize(room, PathEvent::exit());
    stream.steps.resize(room);
  }
  if (!event.is_block() || now_ != stream.end)
    stream.marks.push_back({now_ - stream.end, stream.size});
  stream.events[stream.size] = event;
  stream.steps[stream.size] = now_;
  ++stream.size;
}

void PathView::drop_frames(Stream& stream, size_t keep) {
  while (stream.frames.size() > keep) {
    if (stream.frames.back() != kNotEntered) put(stream, PathEvent::exit());
    stream.frames.pop_back();
  }
}

void PathView::settle_stack(Thread& t) {
  if (t.numbers.settle() == ThreadFrames::Stack::kSame) return;
  t.stream = &t.streams[t.numbers.stack()];
  if (t.stream->frames.empty()) t.stream->frames.push_back(kNotEntered);
}

void PathView::called(ThreadNo number, CallFrame& frame) {
  Thread& t = thread(number);
  if (t.stream->frames.empty()) t.stream->frames.push_back(kNotEntered);
  settle_stack(t);
  t.stream->frames.push_back(kNotEntered);
  frame.tag = ThreadFrames::tag({t.numbers.stack(), t.stream->frames.size() - 1});
}

void PathView::found(ThreadNo number, CallFrame& frame) {
  Thread& t = thread(number);
  const std::optional<size_t> keep = t.numbers.found(frame);
  if (!keep) return;
  // What landing() took for it may have been another one.
  drop_frames(*t.stream, *keep);
  while (t.stream->frames.size() < *keep) t.stream->frames.push_back(kNotEntered);
}

void PathView::left(ThreadNo number, CallFrame& frame, FrameEnd how, Step) {
  if (how == FrameEnd::kOpen) return;
  Thread& t = thread(number);
  const std::optional<FrameNumber> gone = ThreadFrames::left(frame);
  if (!gone) return;
  const auto it = t.streams.find(gone->stack);
  if (it != t.streams.end()) drop_frames(it->second, gone->frame);
}

PathView::Passing PathView::make_passing(const BlockPlan& plan) {
  Passing out{.first_visit = static_cast<uint32_t>(visits_.size()), .is_known = true};
  const bool is_told = !plan.is_stub && !plan.calls_loader;
  bool is_of_one = true;
  for (const NodeVisit& next : plans_.visits(plan)) {
    if (!is_told) break;
    const bool is_folded = options_.is_folded && options_.is_folded(next.node);
    const PathFunctions::Place place = is_folded ? PathFunctions::Place{kNotEntered, 0}
                                                 : functions_.place(next.node, plan.function);
    visits_.push_back({place.function, place.block, next.instruction,
                       plans_.space().node(next.node).instructions});
    is_of_one = is_of_one && !is_folded && place.function == visits_[out.first_visit].function;
  }
  out.visits = static_cast<uint16_t>(visits_.size() - out.first_visit);
  out.is_plain = plan.is_plain && is_of_one && !plan.calls_loader;
  return out;
}

std::span<const PathView::Visit> PathView::visits(uint32_t value, const BlockPlan& plan) {
  Passing& passing = passings_[value];
  if (!passing.is_known) passing = make_passing(plan);
  return std::span(visits_).subspan(passing.first_visit, passing.visits);
}

void PathView::visit(Stream& stream, const Visit& visit) {
  if (stream.frames.back() != visit.function) {
    if (std::exchange(stream.frames.back(), visit.function) != kNotEntered)
      put(stream, PathEvent::exit());
    put(stream, PathEvent::entry(visit.function));
    stream.end = now_;
  }
  put(stream, PathEvent::block(visit.block));
  stream.end = now_ + visit.length;
}

Result<void> PathView::arrive(const Timeline::Item& item) {
  const Execution& e = item.execution;
  TRY(const BlockPlan* plan, plans_.of(e.value, e.block));
  Thread& t = thread(item.thread);
  const bool was_just_lost = tracker_.runner(item.thread).just_lost;
  now_ = item.step.value;
  tracker_.arrive(item);
  if (t.stream->frames.empty())
    t.stream->frames.assign(std::max<size_t>(t.numbers.inherit(), 1), kNotEntered);
  settle_stack(t);
  if (was_just_lost && tracker_.runner(item.thread).is_lost)
    if (const auto frame = t.numbers.landing(timeline_, process_.dictionary(), plan->function))
      drop_frames(*t.stream, *frame + 1);
  // An instruction that repeats itself does not begin its block again.
  const bool goes_on =
      t.before != nullptr && t.before->repeats && plan->address == t.before->last();
  for (const Visit& next : visits(e.value, *plan)) {
    if (e.partial && next.instruction >= e.instructions) break;
    if ((goes_on && next.instruction == 0) || next.function == kNotEntered) continue;
    now_ = item.step.value + next.instruction;
    visit(*t.stream, next);
  }
  t.before = e.partial ? nullptr : plan;
  now_ = item.step.value + e.instructions;
  tracker_.depart(item);
  settle_stack(t);
  return {};
}

bool PathView::can_pass(Thread& t, const BlockPlan& plan) {
  const CallTracker::Thread& runner = *t.runner;
  if (plan.way == BlockPlan::Way::kCall) {
    if (!tracker_.can_call(runner, plan.id)) return false;
  } else if (plan.way == BlockPlan::Way::kReturn) {
    if (!CallTracker::can_return(runner)) return false;
    const auto gone = ThreadFrames::left(CallTracker::top(*t.runner));
    if (!gone || gone->stack != t.numbers.stack()) return false;
  } else if (plan.way != BlockPlan::Way::kPass || plan.calls_loader) {
    return false;
  }
  return plan.is_entry ? runner.enters || CallTracker::can_jump(runner) : !runner.enters;
}

void PathView::pass(Thread& t, const BlockPlan& plan, uint64_t step, uint32_t instructions) {
  CallTracker::Thread& runner = *t.runner;
  Stream& stream = *t.stream;
  if (runner.enters) {
    CallTracker::enter(runner, plan.function, plan.address);
  } else if (plan.is_entry) {
    CallTracker::jump_shortly(runner, plan.function);
  }
  CallTracker::pass(runner);
  const bool goes_on = t.before->repeats && plan.address == t.before->last();
  for (const Visit& next : visits(t.value, plan)) {
    if ((goes_on && next.instruction == 0) || next.function == kNotEntered) continue;
    now_ = step + next.instruction;
    visit(stream, next);
  }
  t.before = &plan;
  now_ = step + instructions;
  if (plan.way == BlockPlan::Way::kCall) {
    stream.frames.push_back(kNotEntered);
    tracker_.call_shortly(runner, plan.id,
                          ThreadFrames::tag({t.numbers.stack(), stream.frames.size() - 1}));
  } else if (plan.way == BlockPlan::Way::kReturn) {
    const auto gone = ThreadFrames::left(CallTracker::top(runner));
    CallTracker::return_shortly(runner);
    drop_frames(stream, gone->frame);
  }
}

uint32_t PathView::pass_plain(Thread& t, const Timeline::Ahead& ahead, uint32_t begin,
                              uint32_t most, uint64_t& step) {
  Stream& stream = *t.stream;
  if (t.runner->enters || t.before->repeats) return 0;
  // In variables, which the compiler cannot do with members while it writes to arrays.
  const uint32_t function = stream.frames.back();
  const auto room = static_cast<uint32_t>(stream.events.size());
  PathEvent* const events = stream.events.data();
  PathPosition* const steps = stream.steps.data();
  const Passing* const passings = passings_.data();
  const Visit* const all_visits = visits_.data();
  uint32_t size = stream.size;
  PathPosition end = stream.end;
  uint64_t now = step;
  uint32_t value = 0;
  uint32_t at = begin;
  for (; at < most; ++at) {
    uint32_t next;
    std::memcpy(&next, ahead.values + size_t{4} * at, sizeof next);
    if (next >= passings_.size()) break;
    const Passing passing = passings[next];
    if (!passing.is_plain || room - size < passing.visits) break;
    const Visit* visit = all_visits + passing.first_visit;
    if (passing.visits > 0 && visit->function != function) break;
    for (uint32_t i = 0; i < passing.visits; ++i, ++visit, ++size) {
      const PathPosition is = now + visit->instruction;
      if (is != end) [[unlikely]]
        stream.marks.push_back({is - end, size});
      events[size] = PathEvent::block(visit->block);
      steps[size] = is;
      end = is + visit->length;
    }
    now += ahead.instructions[at];
    value = next;
  }
  if (at == begin) return 0;
  stream.size = size;
  stream.end = end;
  step = now;
  t.before = &plans_.made()[value];
  CallTracker::pass(*t.runner);
  return at - begin;
}

Result<void> PathView::pass_ahead(ThreadNo number, Thread& t) {
  t.runner = &tracker_.runner(number);
  if (!CallTracker::is_settled(*t.runner) || t.before == nullptr) return {};
  const Timeline::Ahead ahead = timeline_.ahead();
  const uint32_t most = std::min<uint32_t>(ahead.count, kTellEvents);
  uint64_t step = ahead.step.value;
  uint32_t passed = 0;
  for (;;) {
    passed += pass_plain(t, ahead, passed, most, step);
    if (passed == most) break;
    std::memcpy(&t.value, ahead.values + size_t{4} * passed, sizeof t.value);
    TRY(const BlockPlan* plan, plans_.of(t.value, ahead.first_block + passed));
    if (!can_pass(t, *plan)) break;
    pass(t, *plan, step, ahead.instructions[passed]);
    step += ahead.instructions[passed++];
  }
  if (passed > 0) timeline_.skip(passed);
  return {};
}

Result<void> PathView::run(const Tell& tell) {
  const auto flush = [&](uint32_t number, Thread& t, size_t least) {
    for (auto& [stack, stream] : t.streams) {
      if (stream.size < std::max<size_t>(least, 1)) continue;
      tell({{number}, stack}, {PathTraceView(stream.events).first(stream.size),
                               std::span(stream.steps).first(stream.size), stream.marks});
      stream.size = 0;
      stream.marks.clear();
    }
  };
  Timeline::Item item;
  for (;;) {
    TRY(const bool more, timeline_.next(item));
    if (!more) break;
    if (item.is_event) {
      tracker_.event(item);
      continue;
    }
    TRY_VOID(arrive(item));
    Thread& t = thread(item.thread);
    TRY_VOID(pass_ahead(item.thread, t));
    if (t.stream->size >= kTellEvents) flush(item.thread.value, t, kTellEvents);
  }
  for (auto& [number, t] : threads_) flush(number, t, 0);
  return {};
}

}  // namespace twinrun
