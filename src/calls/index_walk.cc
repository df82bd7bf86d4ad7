// SPDX-License-Identifier: MIT
// What is under way at each moment of a thread: the structural index, kept from block to block.
//
// Rules (1) to (4) of figure 8 of memory indexing: a call pushes an entry (1), its return pops it
// and all above it (2); a predicate pushes an entry with the way that it took (3), popped where its
// immediate post-dominator is reached in the same frame (4). Regions nest, so a stack does.
//
// Deviations. A predicate that has an entry in its frame counts that one up and drops what is
// above, where the paper pushes again: a frame has at most one entry for each predicate of its
// function, whatever loops do. No two moments get the same index: between two visits of a node with
// equal entries there would be a cycle without a predicate, and the header of such a loop is
// counted by itself. What the rules do not know has entries too: tail calls, handlers of signals,
// stacks, repeated instructions, the loader's search, and the place where an exception or longjmp
// came out (popped where that place and the return of the call that was left meet).
//
// Which frame is meant is for the call tracker to say (thread_frames.h numbers its frames); the
// walk keeps for each its first entry. `low_` tells what has stayed since mark(): an aligner
// compares only what is above it.
//
// Costs: blocks that change no frame go by tables (block_plans.h), a few operations each; entries
// of a frame are searched from the top when a predicate is counted. Walks over the threads of one
// process share its decoded segments (trace/segment_window.h): side by side they cost one pass, one
// that is alone decodes all segments and looks at its own blocks. Memory follows the depth of the
// index.
//
// Example: main calls f at node 3, whose loop predicate 7 is there for the third time, under way to
// node 8: [call 3 -> f] [branch 7 -> 8, 3 times].
#include "calls/index_walk.h"

#include "base/check.h"
#include "trace/cursor.h"

#include <cstring>

namespace twinrun {
const BlockPlan IndexWalk::kNoPlan;

IndexWalk::IndexWalk(std::shared_ptr<WalkedProcess> process, ThreadNo thread)
    : process_(std::move(process)),
      thread_(thread),
      plans_(process_->plans),
      tracker_(process_->process.dictionary(), process_->places, *this),
      numbers_(tracker_, thread),
      timeline_(process_->window, thread) {
  runner_ = &tracker_.runner(thread_);
  if (process_->marks == nullptr) return;
  if (const auto marks = process_->marks->find(thread_.value); marks != process_->marks->end())
    marks_ = marks->second;
}

// ---- what the calls do to the index ----

void IndexWalk::settle_fiber() {
  const uint32_t left = numbers_.stack();
  const ThreadFrames::Stack now = numbers_.settle();
  if (now == ThreadFrames::Stack::kSame) return;
  waiting_[left] = {std::move(entries_), std::move(frames_)};
  Fiber next;
  if (now == ThreadFrames::Stack::kNew) {
    next.entries.push(IndexEntry::Kind::kStack, numbers_.stack(), 0, 0);
    next.frames.push_back({0, 1});
  } else if (const auto waits = waiting_.extract(numbers_.stack())) {
    next = std::move(waits.mapped());
  }
  if (next.frames.empty()) next.frames.push_back({});
  entries_ = std::move(next.entries);
  frames_ = std::move(next.frames);
  low_ = frames_low_ = 0;
}

void IndexWalk::called(ThreadNo, CallFrame& frame) {
  if (frames_.empty()) frames_.push_back({});  // a signal in front of the first block
  settle_fiber();
  unwound_ = false;  // it was some time ago that longjmp left those frames
  if (frame.kind == CallFrame::Kind::kSignal) {
    interrupted_.push_back({frames_.size(), std::exchange(pending_, 0), signals_});
    push_call(0);
    entries_.back() = {IndexEntry::Kind::kSignal, frame.signal, 0, 0, signals_ + 1};
    signals_ = 0;
  } else {
    push_call(plan_->last_node);
  }
  frame.tag = tag_of(frames_.size() - 1);
}

void IndexWalk::entered(ThreadNo, CallFrame& frame) {
  const bool has_entry =
      frame.kind == CallFrame::Kind::kCall || frame.kind == CallFrame::Kind::kSignal;
  if (!has_entry || frames_.size() < 2 || plan_->is_stub) return;
  IndexEntry& own = entries_[frames_.back().first];
  own.outcome = plan_->node;
  low_ = std::min<size_t>(low_, frames_.back().first);
}

void IndexWalk::jumped(ThreadNo, CallFrame&, uint32_t) { jump_to(*plan_); }

void IndexWalk::jump_to(const BlockPlan& plan) {
  Frame& frame = frames_.back();
  frames_low_ = std::min(frames_low_, frames_.size() - 1);
  const bool has_entry = frame.base > frame.first;
  const bool is_searching = has_entry && entries_[frame.first].kind == IndexEntry::Kind::kCall &&
                            entries_[frame.first].outcome == 0;
  cut(frame.base);
  if (is_searching) {
    // Through a stub. The loader may have to find the function first.
    if (before_->calls_loader) {
      entries_.push(IndexEntry::Kind::kLoader, 0, 0, 0);
    } else if (!plan.is_stub) {
      entries_[frame.first].outcome = plan.node;
      low_ = std::min<size_t>(low_, frame.first);
    }
    return;
  }
  const uint32_t first = has_entry ? frame.first + 1 : frame.first;
  for (uint32_t i = first; i < frame.base; ++i) {
    if (entries_[i].site != before_->last_node) continue;
    cut(i + 1);
    low_ = std::min<size_t>(low_, i);
    entries_[i].outcome = plan.node;
    ++entries_[i].count;
    frame.base = i + 1;
    return;
  }
  entries_.push(IndexEntry::Kind::kTail, before_->last_node, plan.node, 0);
  frame.base = static_cast<uint32_t>(entries_.size());
}

void IndexWalk::found(ThreadNo, CallFrame& frame) {
  const std::optional<size_t> keep = numbers_.found(frame);
  if (!keep) return;
  // What land() took for it may have been another one.
  while (frames_.size() < *keep) push_call(0);
  if (frames_.size() > *keep) drop_frame(*keep);
}

void IndexWalk::left(ThreadNo, CallFrame& frame, FrameEnd how, Step) {
  const auto [stack, number] = ThreadFrames::number(frame);
  if (stack != numbers_.stack()) {
    const auto waits = waiting_.find(stack);
    if (waits == waiting_.end() || number >= waits->second.frames.size()) return;
    Fiber& fiber = waits->second;
    fiber.entries.resize(fiber.frames[number].first);
    fiber.frames.resize(std::max<size_t>(number, 1));
    return;
  }
  // What land() has dropped is told later; the first frame stays for what may follow.
  if (!ThreadFrames::left(frame) || number >= frames_.size()) return;
  if (how == FrameEnd::kUnwound) {
    unwound_ = true;
    unwound_site_ = site_of(number);
  }
  Interrupted resumes;
  const bool returns_to_code = frame.kind == CallFrame::Kind::kSignal && how == FrameEnd::kReturn &&
                               !interrupted_.empty() && interrupted_.back().frame == number;
  if (returns_to_code) resumes = interrupted_.back();
  drop_frame(number);
  if (!returns_to_code) return;
  pending_ = resumes.pending;
  signals_ = resumes.signals + 1;
}

CodeNode IndexWalk::site_of(size_t frame) const {
  if (frames_[frame].base == frames_[frame].first) return 0;
  const IndexEntry& own = entries_[frames_[frame].first];
  return own.kind == IndexEntry::Kind::kCall ? own.site : 0;
}

void IndexWalk::rebase() {
  entries_.clear();
  std::ranges::fill(frames_, Frame{});
  low_ = frames_low_ = 0;
}

void IndexWalk::land() {
  const auto frame = numbers_.landing(timeline_, process().dictionary(), plan_->function);
  if (!frame || *frame + 1 >= frames_.size()) return;
  unwound_site_ = site_of(*frame + 1);
  unwound_ = true;
  drop_frame(*frame + 1);
}

ModuleAddr IndexWalk::previous_address() const {
  const CodeSpace& space = plans_.space();
  if (instruction_ > 0) return space.node(previous_node_).last;
  if (before_ == &kNoPlan) return partial_address_;
  return space.node(before_->node).address + before_->offset + before_->to_last;
}

void IndexWalk::inherit() {
  frames_.push_back({});
  const size_t count = numbers_.inherit();
  for (size_t i = 1; i < count; ++i) {
    const BlockDef* def = process().dictionary().find(tracker_.frames(thread_)[i].caller);
    CodeNode site = 0;
    if (def != nullptr)
      if (const auto plan = plans_.of(def->id.value + def->variants - 1, 0))
        site = (*plan)->last_node;
    push_call(site);
  }
}

// ---- walking ----

bool IndexWalk::repeat(const BlockPlan& plan) {
  const bool again = before_->repeats && plan.address == before_->last();
  const bool was =
      entries_.size() > frames_.back().base && entries_.back().kind == IndexEntry::Kind::kRepeat;
  // The last arrival at the instruction does nothing: it counts as no repetition.
  if (again && plan.ends_repeating) return true;
  if (again) {
    if (was && (entries_.back().site != plan.node || entries_.back().outcome != plan.offset))
      cut(entries_.size() - 1);
    count(IndexEntry::Kind::kRepeat, plan.node, plan.offset, 0);
  } else if (was) {
    cut(entries_.size() - 1);
  }
  return again;
}

Result<void> IndexWalk::arrive(const Timeline::Item& item) {
  const Execution& e = item.execution;
  TRY(plan_, plans_.of(e.value, e.block));
  has_departed_ = false;
  block_ = e.block;
  if (frames_.empty()) inherit();
  if (pending_ != 0) {
    take_branch(std::exchange(pending_, 0), plan_->node);
    take_mark();
  }
  const bool was_just_lost = runner_->just_lost;
  tracker_.arrive(item);
  settle_fiber();
  if (was_just_lost && runner_->is_lost) land();
  if (std::exchange(unwound_, false)) {
    const CodeSpace& space = plans_.space();
    count(IndexEntry::Kind::kUnwind, unwound_site_, plan_->node,
          space.meeting(space.following(unwound_site_), plan_->node));
  }
  // Where an instruction repeats itself, and where it no longer does, is as good as a node.
  const bool was_repeating = before_->repeats;
  const bool is_again = repeat(*plan_);
  is_repeat_ = was_repeating && !(is_again && plan_->ends_repeating);
  offset_ = plan_->offset;
  signals_ = 0;
  node_ = plan_->node;
  instruction_ = 0;
  visit_ = 0;
  visit_end_ = plan_->visits;
  const std::span<const NodeVisit> visits = plans_.visits(*plan_);
  while (e.partial && visit_end_ > 0 && visits[visit_end_ - 1].instruction >= e.instructions)
    --visit_end_;
  // The node goes on.
  if (is_again && visit_end_ > 0 && visits[0].instruction == 0) visit_ = 1;
  // One event for one place.
  if (is_repeat_ && !is_again && visit_end_ > 0 && visits[0].instruction == 0) is_repeat_ = false;
  return {};
}

void IndexWalk::depart() {
  if (std::exchange(has_departed_, true)) return;
  before_ = plan_;
  if (item_.execution.partial) {
    // The faulting instruction has not been executed.
    if (item_.execution.instructions > 0)
      partial_address_ = index(item_.execution.instructions - 1).address;
    before_ = &kNoPlan;
  }
  const size_t frames = frames_.size();
  tracker_.depart(item_);
  settle_fiber();
  // A handler has returned; what follows, up to the system call that ends its frame, is not its
  // own.
  if (plan_->way == BlockPlan::Way::kReturn && frames_.size() == frames &&
      frames_.back().base > frames_.back().first &&
      entries_[frames_.back().first].kind == IndexEntry::Kind::kSignal) {
    frames_.back().base = frames_.back().first + 1;
    frames_low_ = std::min(frames_low_, frames - 1);
    cut(frames_.back().base);
  }
  pending_ = item_.execution.partial ? 0 : plan_->branch;
}

Result<void> IndexWalk::enter_segment() {
  depart();
  previous_node_ = node_;
  while (timeline_.next_here(item_)) take_event();
  TRY(const bool entered, timeline_.enter_segment());
  is_at_end_ = !entered;
  return {};
}

void IndexWalk::take_event() {
  tracker_.event(item_);
  // The event can have ended the thread.
  runner_ = &tracker_.runner(thread_);
}

Result<bool> IndexWalk::next_block() {
  depart();
  previous_node_ = node_;
  for (;;) {
    TRY(const bool more, timeline_.next(item_));
    if (!more) {
      is_at_end_ = true;
      return false;
    }
    if (item_.is_event) {
      take_event();
      continue;
    }
    if (timeline_.begins_run()) timeline_.teach(tracker_.deltas());
    TRY_VOID(arrive(item_));
    return true;
  }
}

Result<bool> IndexWalk::next_node() {
  for (;;) {
    if (is_at_end_) return false;
    if (std::exchange(is_repeat_, false)) return true;
    if (visit_ < visit_end_) {
      const NodeVisit& next = plans_.visits(*plan_)[visit_++];
      if (visit_ > 1) previous_node_ = node_;
      node_ = next.node;
      offset_ = 0;
      instruction_ = next.instruction;
      visit({node_, plans_.space().node(node_).is_loop});
      take_mark();
      return true;
    }
    TRY(const bool more, next_block());
    if (!more) return false;
  }
}

void IndexWalk::jump() {
  while (!marks_.empty() && marks_.front().block < block_) marks_ = marks_.subspan(1);
  if (marks_.empty() || marks_.front().block != block_ || entries_.empty()) return;
  // What has just been counted is the last one.
  IndexEntry& entry = entries_.back();
  const bool is_counted =
      entry.kind == IndexEntry::Kind::kBranch || entry.kind == IndexEntry::Kind::kLoop;
  if (!is_counted || plans_.space().node(entry.site).address != marks_.front().site) return;
  entry.count += marks_.front().jump;
  entry.jumps += marks_.front().jump;
  low_ = std::min(low_, entries_.size() - 1);
  marks_ = marks_.subspan(1);
}

Result<void> IndexWalk::pass_nodes(uint32_t instruction) {
  is_repeat_ = false;
  while (visit_ < visit_end_ && plans_.visits(*plan_)[visit_].instruction <= instruction) {
    TRY_VOID(next_node());
  }
  return {};
}

Result<void> IndexWalk::finish_block() {
  TRY_VOID(pass_nodes(~0u));
  depart();
  return {};
}

Result<bool> IndexWalk::pass_block() {
  TRY_VOID(finish_block());
  TRY(const bool more, next_block());
  if (!more) return false;
  TRY_VOID(finish_block());
  return true;
}

Result<Step> IndexWalk::step() {
  TRY(const Step block, timeline_.step());
  return Step{block.value + instruction_};
}

std::optional<IndexWalk::FrameHolding> IndexWalk::frame_holding(uint64_t address) const {
  const std::span<const CallFrame> frames = tracker_.frames(thread_);
  for (size_t i = frames.size(); i-- > 0;) {
    if (frames[i].sp + 8 <= address) continue;
    const size_t number = ThreadFrames::number(frames[i]).frame;
    if (number >= frames_.size()) continue;
    return FrameHolding{frames[i].sp, frames_[number].first + 1};
  }
  return std::nullopt;
}

StructuralIndex IndexWalk::index(uint32_t instruction) const {
  StructuralIndex out{{path().begin(), path().end()}, node_, {}};
  const BlockDef* def = process().dictionary().find(plan_->id);
  out.address = plans_.space().node(plan_->node).address + plan_->offset;
  for (uint32_t i = 0; i < instruction && i < def->instructions(); ++i)
    out.address = out.address + def->lengths[i];
  return out;
}

void IndexWalk::skip(uint32_t count, const BlockPlan& plan) {
  const Timeline::Ahead ahead = timeline_.ahead();
  timeline_.skip(count);
  block_ = ahead.first_block + count - 1;
  plan_ = &plan;
  before_ = &plan;
  item_.execution.partial = false;
  node_ = plan.last_node;
  instruction_ = 0;
  visit_ = visit_end_ = 0;
  is_repeat_ = false;
  has_departed_ = true;
}

Result<void> IndexWalk::pass_under(size_t entry) {
  const auto is_deep = [&](const BlockPlan& plan) {
    const size_t first = frames_.back().first;
    if (first == entry)
      return plan.way != BlockPlan::Way::kReturn && entry < entries_.size() &&
             entries_[entry].outcome != 0;
    return first > entry;
  };
  if (!is_between() || plan_ == nullptr || frames_.size() < 2) return {};
  depart();
  while (is_settled()) {
    const Timeline::Ahead next = ahead();
    const BlockPlan* last = nullptr;
    uint32_t passed = 0;
    const uint32_t most = unmarked(next);
    for (; passed < most; ++passed) {
      uint32_t value;
      std::memcpy(&value, next.values + size_t{4} * passed, sizeof value);
      TRY(const BlockPlan* plan, plans_.of(value, next.first_block + passed));
      if (frames_.size() < 2 || !can_pass(*plan) || !is_deep(*plan)) break;
      pass(*plan);
      last = plan;
    }
    if (passed == 0) break;
    skip(passed, *last);
    if (passed < next.count) break;
  }
  return {};
}

Result<bool> IndexWalk::pass_ahead(uint64_t block, const IsNear& is_near) {
  const Timeline::Ahead next = ahead();
  if (!is_settled() || next.first_block >= block) return false;
  const uint64_t most = std::min<uint64_t>(unmarked(next), block - next.first_block);
  uint32_t passed = 0;
  const BlockPlan* last = nullptr;
  for (; passed < most; ++passed) {
    uint32_t value;
    std::memcpy(&value, next.values + size_t{4} * passed, sizeof value);
    TRY(const BlockPlan* plan, plans_.of(value, next.first_block + passed));
    if (!can_pass(*plan) || (is_near && is_near(*plan))) break;
    pass(*plan);
    last = plan;
  }
  if (passed > 0) skip(passed, *last);
  return passed > 0 && passed == next.count;
}

Result<bool> IndexWalk::arrive_at(uint64_t block, const IsNear& is_near) {
  for (;;) {
    if (is_at_end_) return false;
    if (plan_ != nullptr && !has_departed_ && block_ >= block) return true;
    TRY_VOID(finish_block());
    TRY(const bool has_passed, pass_ahead(block, is_near));
    if (has_passed) continue;
    TRY(const bool more, next_block());
    if (!more) return false;
    if (is_near && is_near(*plan_)) return true;
  }
}

Result<void> IndexWalk::pass_segment() {
  for (;;) {
    TRY_VOID(finish_block());
    if (is_at_end_ || needs_segment()) return {};
    TRY(const bool has_passed, pass_ahead(~uint64_t{0}, nullptr));
    if (has_passed) continue;
    TRY_VOID(next_block());
  }
}

// ---- questions ----

Result<void> indices_at(const CodeModel& model, std::span<const BlockMoment> moments,
                        const std::function<void(size_t, const StructuralIndex&)>& tell) {
  const auto process = std::make_shared<WalkedProcess>(model);
  std::map<ThreadNo, IndexWalk> walks;
  for (size_t i = 0; i < moments.size(); ++i) {
    if (moments[i].blocks == 0) continue;
    const uint64_t block = moments[i].blocks - 1;
    IndexWalk& walk =
        walks.try_emplace(moments[i].thread, process, moments[i].thread).first->second;
    if (walk.is_at_end()) continue;
    if (i == 0 || moments[i] != moments[i - 1]) {
      TRY(const bool arrived, walk.arrive_at(block));
      if (!arrived || walk.block() != block) continue;
      TRY_VOID(walk.finish_block());
    }
    if (walk.block() == block) tell(i, walk.index(walk.plan().instructions - 1));
  }
  return {};
}

Result<StructuralIndex> index_at(const CodeModel& model, ThreadNo thread, Step step) {
  const RunProcess& process = model.process();
  BlockCursor cursor(process.reader(), process.dictionary(), process.process(), thread);
  TRY(const bool exists, cursor.seek(thread, step));
  Execution execution;
  if (exists) {
    TRY_VOID(cursor.next(execution));
  }
  if (!exists) return fail("T008", "thread {} has no step {}", thread.value, step.value);
  IndexWalk walk(model, thread);
  TRY(const bool arrived, walk.arrive_at(execution.block));
  if (!arrived) return fail("T008", "thread {} has no step {}", thread.value, step.value);
  const auto instruction = static_cast<uint32_t>(step.value - execution.step.value);
  TRY_VOID(walk.pass_nodes(instruction));
  return walk.index(instruction);
}

Result<std::optional<Step>> find_step(const CodeModel& model, ThreadNo thread,
                                      const std::function<bool(CodeNode, ModuleAddr)>& is_address,
                                      const std::function<bool(const StructuralIndex&)>& is_it) {
  IndexWalk walk(model, thread);
  // The instruction of the block that has the address.
  std::map<const BlockPlan*, std::optional<uint32_t>> known;
  const auto instruction_of = [&](const BlockPlan& plan) -> std::optional<uint32_t> {
    const auto [found, is_new] = known.try_emplace(&plan);
    if (!is_new) return found->second;
    const BlockDef* def = model.process().dictionary().find(plan.id);
    ModuleAddr at = model.node(plan.node).address + plan.offset;
    for (uint32_t i = 0; def != nullptr && i < def->instructions(); ++i) {
      if (is_address(plan.node, at)) return found->second = i;
      at = at + def->lengths[i];
    }
    return std::nullopt;
  };
  for (;;) {
    TRY(const bool more, walk.arrive_at(~uint64_t{0}, [&](const BlockPlan& plan) {
      return instruction_of(plan).has_value();
    }));
    if (!more) return std::nullopt;
    const std::optional<uint32_t> instruction = instruction_of(walk.plan());
    CHECK(instruction) << "the walk stopped at another block";
    TRY_VOID(walk.pass_nodes(*instruction));
    if (is_it(walk.index(*instruction))) {
      TRY(const Step block, walk.step_of_block());
      return Step{block.value + *instruction};
    }
  }
}

}  // namespace twinrun
