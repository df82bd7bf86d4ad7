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
      functions_(functions) {
  functions_.begin_process();
}

PathView::Thread& PathView::thread(ThreadNo number) {
  if (recent_ != nullptr && recent_number_ == number.value) return *recent_;
  Thread& t = threads_.try_emplace(number.value, Thread{{tracker_, number}, nullptr, {}, nullptr})
                  .first->second;
  if (t.stream == nullptr) t.stream = &t.streams[0];
  recent_number_ = number.value;
  recent_ = &t;
  return t;
}

void PathView::put(Stream& stream, PathEvent event) {
  stream.events.push_back(event);
  stream.steps.push_back(now_);
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

bool PathView::is_folded(CodeNode node) {
  if (!options_.is_folded) return false;
  if (folded_.size() <= node) folded_.resize(std::max<size_t>(node + 1, plans_.space().size()), -1);
  if (folded_[node] < 0) folded_[node] = options_.is_folded(node) ? 1 : 0;
  return folded_[node] != 0;
}

void PathView::visit(Thread& t, CodeNode node, uint32_t outside) {
  Stream& stream = *t.stream;
  const PathFunctions::Place place = functions_.place(node, outside);
  if (stream.frames.back() != place.function) {
    if (std::exchange(stream.frames.back(), place.function) != kNotEntered)
      put(stream, PathEvent::exit());
    put(stream, PathEvent::entry(place.function));
  }
  put(stream, PathEvent::block(place.block));
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
  if (!plan->is_stub && !plan->calls_loader) {
    // An instruction that repeats itself does not begin its block again.
    const bool goes_on =
        t.before != nullptr && t.before->repeats && plan->address == t.before->last();
    for (const NodeVisit& next : plans_.visits(*plan)) {
      if (e.partial && next.instruction >= e.instructions) break;
      if ((goes_on && next.instruction == 0) || is_folded(next.node)) continue;
      now_ = item.step.value + next.instruction;
      visit(t, next.node, plan->function);
    }
  }
  t.before = e.partial ? nullptr : plan;
  now_ = item.step.value + e.instructions;
  tracker_.depart(item);
  settle_stack(t);
  return {};
}

Result<void> PathView::pass_plain(ThreadNo number, Thread& t) {
  CallTracker::Thread& runner = tracker_.runner(number);
  if (!CallTracker::is_settled(runner) || runner.enters || t.before == nullptr) return {};
  const Timeline::Ahead ahead = timeline_.ahead();
  const uint32_t most = std::min<uint32_t>(ahead.count, kTellEvents);
  uint64_t step = ahead.step.value;
  uint32_t passed = 0;
  for (; passed < most; ++passed) {
    uint32_t value;
    std::memcpy(&value, ahead.values + size_t{4} * passed, sizeof value);
    TRY(const BlockPlan* plan, plans_.of(value, ahead.first_block + passed));
    if (plan->way != BlockPlan::Way::kPass || plan->is_entry || plan->is_stub || plan->calls_loader)
      break;
    const bool goes_on = t.before->repeats && plan->address == t.before->last();
    for (const NodeVisit& next : plans_.visits(*plan)) {
      if ((goes_on && next.instruction == 0) || is_folded(next.node)) continue;
      now_ = step + next.instruction;
      visit(t, next.node, plan->function);
    }
    step += ahead.instructions[passed];
    t.before = plan;
  }
  if (passed == 0) return {};
  CallTracker::pass(runner);
  timeline_.skip(passed);
  return {};
}

Result<void> PathView::run(const Tell& tell) {
  const auto flush = [&](uint32_t number, Thread& t, size_t least) {
    for (auto& [stack, stream] : t.streams) {
      if (stream.events.size() < std::max<size_t>(least, 1)) continue;
      tell({{number}, stack}, {stream.events, stream.steps});
      stream.events.clear();
      stream.steps.clear();
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
    TRY_VOID(pass_plain(item.thread, t));
    if (t.stream->events.size() >= kTellEvents) flush(item.thread.value, t, kTellEvents);
  }
  for (auto& [number, t] : threads_) flush(number, t, 0);
  return {};
}

}  // namespace twinrun
