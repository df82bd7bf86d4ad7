// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "calls/block_plans.h"
#include "calls/call_tracker.h"
#include "calls/index_stack.h"
#include "calls/thread_frames.h"
#include "run/code_model.h"
#include "run/iteration_marks.h"
#include "run/structural_index.h"
#include "trace/segment_window.h"
#include "trace/thread_timeline.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace twinrun {

/// What walks over the threads of one process share: its code, and the segments that are read.
struct WalkedProcess {
  /// `decoded` is shared with processes that are walked over side by side.
  explicit WalkedProcess(const CodeModel& model, std::shared_ptr<DecodedBlocks> decoded = nullptr)
      : process(model.process()),
        marks(model.marks()),
        places(process.binaries(), process.maps(), process.called()),
        plans(model, places),
        window(process.reader(), process.dictionary(), process.process(), std::move(decoded)) {}
  WalkedProcess(const WalkedProcess&) = delete;
  WalkedProcess& operator=(const WalkedProcess&) = delete;

  RunProcess& process;
  const ProcessMarks* marks;  // of walks that are made from now on
  CodePlaces places;
  BlockPlans plans;
  SegmentWindow window;
};

/// Walks over one thread of a process and keeps its structural index: rules (1) to (4) of memory
/// indexing on control flow alone. Moves from node to node; where that is not wanted, over blocks.
///
/// What the rules leave open: a predicate that is executed again while its entry is there counts
/// that entry up and drops what is above it, so that loops left and continued in the middle need no
/// more entries than a function has predicates, and no two moments have the same index.
///
/// Memory follows the depth of the index.
class IndexWalk : private CallListener {
 public:
  IndexWalk(const CodeModel& model, ThreadNo thread)
      : IndexWalk(std::make_shared<WalkedProcess>(model), thread) {}
  /// Beside walks over other threads of the process. Those that go on together, segment by segment,
  /// take the time of one pass over the process.
  IndexWalk(std::shared_ptr<WalkedProcess> process, ThreadNo thread);
  IndexWalk(const IndexWalk&) = delete;
  IndexWalk& operator=(const IndexWalk&) = delete;

  /// To where the next node begins, or an instruction repeats itself. False at the thread's end.
  Result<bool> next_node();
  /// Where the walk is. The node of code that has begun in its middle, too.
  [[nodiscard]] CodeNode node() const { return node_; }
  /// Bytes between the node's beginning and that place.
  [[nodiscard]] uint32_t offset() const { return offset_; }
  [[nodiscard]] std::span<const IndexEntry> path() const { return entries_.entries(); }
  /// Of an instruction of the present block, whose node the walk is at.
  [[nodiscard]] StructuralIndex index(uint32_t instruction) const;
  /// The innermost frame that has its return address at or above an address of the stack: where
  /// that is, and how many entries of path() lead to it, its own being the last. Only measured
  /// (bench/canonical): names of memory are made otherwise.
  struct FrameHolding {
    uint64_t sp = 0;
    size_t entries = 0;
  };
  [[nodiscard]] std::optional<FrameHolding> frame_holding(uint64_t address) const;
  /// Number of the block in the process, and of the instruction in it.
  [[nodiscard]] uint64_t block() const { return block_; }
  [[nodiscard]] uint32_t instruction() const { return instruction_; }
  /// Instructions of the thread in front of that one.
  Result<Step> step();
  /// In front of the present block.
  Result<Step> step_of_block() { return timeline_.step(); }
  [[nodiscard]] bool is_at_end() const { return is_at_end_; }
  /// The node that was executed before, unless the walk has just begun.
  [[nodiscard]] CodeNode previous_node() const { return previous_node_; }
  /// The address of the instruction that was executed before.
  [[nodiscard]] ModuleAddr previous_address() const;
  /// The block that is executed.
  [[nodiscard]] const BlockPlan& plan() const { return *plan_; }
  [[nodiscard]] BlockPlans& plans() { return plans_; }
  [[nodiscard]] RunProcess& process() const { return process_->process; }
  [[nodiscard]] ThreadNo thread() const { return thread_; }

  // Over whole blocks, while nothing unusual happens. Only when all nodes of the present block have
  // been passed: is_between().
  [[nodiscard]] bool is_between() const {
    return visit_ == visit_end_ && !is_repeat_ && !is_at_end_;
  }
  /// The segment has been walked to its end: whatever goes on enters the next one.
  [[nodiscard]] bool needs_segment() const { return is_between() && !timeline_.has_block(); }
  [[nodiscard]] size_t next_segment() const { return timeline_.next_segment(); }
  /// Departs from the present block, and enters that segment. It may have no block of the thread.
  Result<void> enter_segment();
  /// Passes all blocks of the segment.
  Result<void> pass_segment();
  /// Passes those nodes of the present block that begin at or in front of an instruction.
  Result<void> pass_nodes(uint32_t instruction);
  /// Passes all of them, and departs.
  Result<void> finish_block();
  /// Passes the next block, whatever it does. False at the thread's end.
  Result<bool> pass_block();
  /// Departs from the present block: what follows is a block's beginning.
  void depart();
  [[nodiscard]] Timeline::Ahead ahead() const { return timeline_.ahead(); }
  /// How many blocks of ahead() pass() may take: up to where a number is left out.
  [[nodiscard]] uint32_t unmarked(const Timeline::Ahead& ahead) const {
    if (marks_.empty() || marks_.front().block >= ahead.first_block + ahead.count)
      return ahead.count;
    return static_cast<uint32_t>(marks_.front().block - ahead.first_block);
  }
  [[nodiscard]] bool is_settled() const {
    return has_departed_ && CallTracker::is_settled(*runner_);
  }
  /// Whether pass() can do it.
  [[nodiscard]] [[gnu::always_inline]] bool can_pass(const BlockPlan& plan) {
    switch (plan.way) {
      case BlockPlan::Way::kPass: break;
      case BlockPlan::Way::kCall:
        if (!tracker_.can_call(*runner_, plan.id)) return false;
        break;
      case BlockPlan::Way::kReturn:
        if (frames_.size() < 2 || !CallTracker::can_return(*runner_)) return false;
        break;
      default: return false;
    }
    return plan.is_entry ? runner_->enters || CallTracker::can_jump(*runner_) : !runner_->enters;
  }
  /// Executes a block of ahead(), whose skip() is to follow.
  [[gnu::always_inline]] void pass(const BlockPlan& plan) {
    if (pending_ != 0) take_branch(std::exchange(pending_, 0), plan.node);
    arrive_shortly(plan);
    uint32_t first = 0;
    if (before_->repeats) [[unlikely]] {
      // The node goes on.
      const bool again = repeat(plan);
      if (again && plan.stops > 0 && plan.offset == 0 && plans_.stops(plan)->node == plan.node)
        first = 1;
    }
    const NodeStop* stop = plans_.stops(plan);
    for (uint32_t i = first; i < plan.stops; ++i) visit(stop[i]);
    pending_ = plan.branch;
    before_ = &plan;
    if (plan.way == BlockPlan::Way::kCall) {
      push_call(plan.last_node);
      tracker_.call_shortly(*runner_, plan.id, tag_of(frames_.size() - 1));
    } else if (plan.way == BlockPlan::Way::kReturn) {
      CallTracker::return_shortly(*runner_);
      drop_frame(frames_.size() - 1);
    }
  }
  /// The same for plain blocks, the first of which neither begins a function nor follows one that
  /// repeats itself: passes blocks as long as they are plain and `is_known` says that there is a
  /// plan for them, and tells how many that were; passed_plain() must follow.
  ///
  /// They stay in their frame, and what they change is kept in variables of the loop: the compiler
  /// cannot do that with members while entries are written that may be the same memory.
  ///
  /// `observer` is told what happens to the entries, and of each block behind that.
  template <typename IsKnown, typename Observer>
  [[gnu::always_inline]] uint32_t pass_plain(const uint8_t* values, uint32_t most,
                                             const IsKnown& is_known, Observer& observer) {
    const BlockPlan* const plans = plans_.made().data();
    const NodeStop* const stops = plans_.all_stops().data();
    IndexEntry* entries = entries_.data();
    size_t room = entries_.room();
    size_t size = entries_.size();
    size_t low = low_;
    const size_t base = frames_.back().base;
    CodeNode pending = pending_;
    CodeNode until = pending == 0 ? 0 : plans_.space().node(pending).until;
    // Rules (3) and (4), as count() and visit() do them.
    const auto count_up = [&](IndexEntry::Kind kind, CodeNode site, CodeNode outcome,
                              CodeNode its_until) {
      size_t i = size;
      while (i > base && (entries[i - 1].site != site || entries[i - 1].kind != kind)) --i;
      if (i > base) {
        observer.cut(i);
        size = i;
        low = std::min(low, i - 1);
        entries[i - 1].outcome = outcome;
        ++entries[i - 1].count;
        observer.counted(entries[i - 1]);
        return;
      }
      if (size == room) [[unlikely]] {
        entries_.resize(size);
        entries_.grow();
        entries = entries_.data();
        room = entries_.room();
      }
      IndexStack::begin(entries[size++], kind, site, outcome, its_until);
      observer.pushed(entries[size - 1]);
    };
    uint32_t passed = 0;
    for (; passed < most; ++passed) {
      uint32_t value;
      std::memcpy(&value, values + size_t{4} * passed, sizeof value);
      if (!is_known(value, passed)) [[unlikely]]
        break;
      const BlockPlan& plan = plans[value];
      if (!plan.is_plain) break;
      if (pending != 0) count_up(IndexEntry::Kind::kBranch, pending, plan.node, until);
      for (uint32_t i = 0; i < plan.stops; ++i) {
        const NodeStop stop = stops[plan.first_stop + i];
        while (size > base && entries[size - 1].until == stop.node) observer.cut(--size);
        low = std::min(low, size);
        if (stop.is_loop) [[unlikely]]
          count_up(IndexEntry::Kind::kLoop, stop.node, stop.node, 0);
      }
      pending = plan.branch;
      until = plan.branch_until;
      observer.passed(value);
    }
    entries_.resize(size);
    low_ = low;
    pending_ = pending;
    return passed;
  }
  struct NoObserver {
    void cut(size_t /*entries*/) {}                  // so many are left
    void counted(const IndexEntry& /*the last*/) {}  // once more
    void pushed(const IndexEntry& /*entry*/) {}
    void passed(uint32_t /*value*/) {}
  };
  void passed_plain(const BlockPlan& last) {
    before_ = &last;
    CallTracker::pass(*runner_);
  }
  /// The next block is not to be passed as a plain one.
  [[nodiscard]] bool is_special_next() const { return runner_->enters || before_->repeats; }
  /// The same without the index, which is to be that of the leader: follow() gets it from there.
  /// `leader` has passed the block.
  [[gnu::always_inline]] void pass_behind(const BlockPlan& plan, const IndexWalk& leader) {
    if (runner_->enters)
      CallTracker::enter(*runner_, plan.function, plan.address);
    else if (plan.is_entry)
      CallTracker::jump_shortly(*runner_, plan.function);
    CallTracker::pass(*runner_);
    if (plan.way == BlockPlan::Way::kCall)
      tracker_.call_shortly(*runner_, plan.id, tag_of(leader.frames_.size() - 1));
    else if (plan.way == BlockPlan::Way::kReturn)
      CallTracker::return_shortly(*runner_);
  }
  /// Both would do the same with the same block: nothing but their paths can differ, and what the
  /// predicates are that they wait for (pending()).
  [[nodiscard]] bool is_like(const IndexWalk& other) const {
    return numbers_.stack() == other.numbers_.stack() && frames_.size() == other.frames_.size() &&
           runner_->enters == other.runner_->enters;
  }
  /// A predicate whose outcome the next block shows.
  [[nodiscard]] CodeNode pending() const { return pending_; }
  /// Takes over the index of a leader that has passed the same blocks since both were equal.
  /// `own` says what the leader's entries and nodes are here.
  template <typename Own>
  void follow(IndexWalk& leader, const Own& own) {
    const auto take = [](auto& to, const auto& theirs, size_t from, const auto& own_one) {
      from = std::min({from, to.size(), theirs.size()});
      to.resize(from);
      for (size_t i = from; i < theirs.size(); ++i) to.push_back(own_one(theirs[i]));
    };
    take(entries_, leader.entries_, leader.low_, own);
    take(frames_, leader.frames_, leader.frames_low_, std::identity());
    pending_ = own(leader.pending_);
    low_ = leader.low_ = entries_.size();
    frames_low_ = leader.frames_low_ = frames_.size();
  }
  /// Blocks of ahead() have been passed; the last one was `plan`.
  void skip(uint32_t count, const BlockPlan& plan);
  /// Passes all blocks in front of a block of the process, and arrives at the beginning of that one
  /// or, when it is another thread's, of the next of its own. False at the thread's end. `is_near`,
  /// if given, stops the walk at blocks for which it is true.
  Result<bool> arrive_at(uint64_t block,
                         const std::function<bool(const BlockPlan&)>& is_near = nullptr);

  /// Passes blocks as long as the entry of that number stays as it is for sure, because they are
  /// of functions that were called under it.
  Result<void> pass_under(size_t entry);

  /// From here on the index begins where the walk is now: an anchor point.
  void rebase();

  /// How many entries have stayed as they were since mark().
  void mark() {
    low_ = entries_.size();
    frames_low_ = frames_.size();
  }
  [[nodiscard]] size_t low() const { return low_; }

 private:
  struct Frame {
    uint32_t first = 0;  // its own entry, the call
    uint32_t base = 0;   // what belongs to the function's code begins here
  };
  struct Fiber {
    IndexStack entries;
    std::vector<Frame> frames;
  };
  struct Interrupted {
    size_t frame = 0;  // of the handler
    CodeNode pending = 0;
    uint64_t signals = 0;
  };

  void called(ThreadNo thread, CallFrame& frame) override;
  void entered(ThreadNo thread, CallFrame& frame) override;
  void jumped(ThreadNo thread, CallFrame& frame, uint32_t from) override;
  void found(ThreadNo thread, CallFrame& frame) override;
  void left(ThreadNo thread, CallFrame& frame, FrameEnd how, Step step) override;

  using IsNear = std::function<bool(const BlockPlan&)>;
  Result<bool> next_block();
  void take_event();
  /// Passes blocks of ahead() in front of a block; whether that was all of it, and something.
  Result<bool> pass_ahead(uint64_t block, const IsNear& is_near);
  Result<void> arrive(const Timeline::Item& item);
  /// Frames from before the first block.
  void inherit();
  /// After longjmp: goes to the frame where it seems to have landed.
  void land();
  void settle_fiber();
  /// The node that called the frame's function; 0: none.
  [[nodiscard]] CodeNode site_of(size_t frame) const;
  /// Whether the block repeats the instruction that the one before it ended with.
  bool repeat(const BlockPlan& plan);
  /// The frame goes on in another function: a tail call, or a stub has found its function.
  void jump_to(const BlockPlan& plan);

  void arrive_shortly(const BlockPlan& plan) {
    if (runner_->enters) {
      CallTracker::enter(*runner_, plan.function, plan.address);
      if (!plan.is_stub) {
        low_ = std::min<size_t>(low_, frames_.back().first);
        entries_[frames_.back().first].outcome = plan.node;
      }
    } else if (plan.is_entry) [[unlikely]] {
      if (CallTracker::jump_shortly(*runner_, plan.function)) jump_to(plan);
    }
    CallTracker::pass(*runner_);
  }
  void cut(size_t size) {
    low_ = std::min(low_, size);
    entries_.resize(size);
  }
  /// Rule (4).
  [[gnu::always_inline]] void visit(NodeStop stop) {
    const uint32_t base = frames_.back().base;
    size_t size = entries_.size();
    while (size > base && entries_[size - 1].until == stop.node) --size;
    if (size != entries_.size()) cut(size);
    if (stop.is_loop) count(IndexEntry::Kind::kLoop, stop.node, stop.node, 0);
  }
  /// Rule (3).
  [[gnu::always_inline]] void take_branch(CodeNode branch, CodeNode outcome) {
    count(IndexEntry::Kind::kBranch, branch, outcome, plans_.space().node(branch).until);
  }
  /// Pushes an entry, or counts up the one that is there.
  [[gnu::always_inline]] void count(IndexEntry::Kind kind, CodeNode site, CodeNode outcome,
                                    CodeNode until) {
    const uint32_t base = frames_.back().base;
    for (size_t i = entries_.size(); i-- > base;) {
      if (entries_[i].site != site || entries_[i].kind != kind) continue;
      cut(i + 1);
      low_ = std::min(low_, i);
      entries_[i].outcome = outcome;
      ++entries_[i].count;
      return;
    }
    entries_.push(kind, site, outcome, until);
  }
  /// Behind count(), where a mark can be.
  void take_mark() {
    if (!marks_.empty() && marks_.front().block <= block_) [[unlikely]]
      jump();
  }
  void jump();
  /// Rule (1).
  void push_call(CodeNode site) {
    const auto first = static_cast<uint32_t>(entries_.size());
    entries_.push(IndexEntry::Kind::kCall, site, 0, 0);
    frames_.push_back({first, first + 1});
  }
  /// Rule (2).
  void drop_frame(size_t frame) {
    cut(frames_[frame].first);
    frames_.resize(frame);
    frames_low_ = std::min(frames_low_, frame);
    while (!interrupted_.empty() && interrupted_.back().frame >= frame) interrupted_.pop_back();
  }
  [[nodiscard]] uint64_t tag_of(size_t frame) const {
    return ThreadFrames::tag({numbers_.stack(), frame});
  }

  std::shared_ptr<WalkedProcess> process_;
  ThreadNo thread_;
  BlockPlans& plans_;
  CallTracker tracker_;
  CallTracker::Thread* runner_ = nullptr;
  ThreadFrames numbers_;
  ThreadTimeline timeline_;
  Timeline::Item item_;
  const BlockPlan* plan_ = nullptr;
  static const BlockPlan kNoPlan;
  const BlockPlan* before_ = &kNoPlan;  // the block that was executed before
  bool has_departed_ = true;
  bool is_at_end_ = false;
  uint64_t block_ = 0;
  uint32_t instruction_ = 0;
  uint32_t visit_ = 0;
  uint32_t visit_end_ = 0;
  CodeNode node_ = 0;
  CodeNode previous_node_ = 0;
  uint32_t offset_ = 0;
  ModuleAddr partial_address_;  // of the last instruction of a block that was left in its middle

  IndexStack entries_;
  std::vector<Frame> frames_;
  CodeNode pending_ = 0;
  size_t low_ = 0;
  size_t frames_low_ = 0;
  bool is_repeat_ = false;  // the present block is a repetition that has not been told
  bool unwound_ = false;
  CodeNode unwound_site_ = 0;
  uint64_t signals_ = 0;                  // handlers since the last block
  std::span<const IterationMark> marks_;  // those ahead
  std::vector<Interrupted> interrupted_;
  std::map<uint32_t, Fiber> waiting_;  // what was under way on stacks that wait
};

/// A moment of a process: so many blocks have begun, and the last of them, the thread's own, has
/// ended.
struct BlockMoment {
  uint64_t blocks = 0;
  ThreadNo thread;

  auto operator<=>(const BlockMoment&) const = default;
};

/// Tells the structural indices of moments, ascending, of any threads, in one pass over the
/// process. Those that a thread does not come to are not told.
Result<void> indices_at(const CodeModel& model, std::span<const BlockMoment> moments,
                        const std::function<void(size_t, const StructuralIndex&)>& tell);

/// The index of the instruction at a step. T008 when the thread does not come that far.
Result<StructuralIndex> index_at(const CodeModel& model, ThreadNo thread, Step step);
/// The step at which the thread has an index that is known by the address of its instruction and a
/// test of what is under way; nothing for none.
Result<std::optional<Step>> find_step(const CodeModel& model, ThreadNo thread,
                                      const std::function<bool(CodeNode, ModuleAddr)>& is_address,
                                      const std::function<bool(const StructuralIndex&)>& is_it);

}  // namespace twinrun
