// SPDX-License-Identifier: MIT
// Which stretches of two runs correspond: figure 5 of differential slicing, in a single pass.
//
// While the structural indices of both walks are equal, both move on. Where they part, the first
// entry that differs decides: each walk moves until that entry has gone, or, in the same loop with
// other counts, the one that is behind catches up. The runs have met when all entries and the place
// agree.
//
// Right because an index occurs once in a run: what has been passed alone cannot be met later. Ends
// because every goal moves a walk forward or is reached at once, and walks end. What the paper's
// text says and its figure does not: entries are predicates with their outcomes, so that two arms
// of a branch differ, and runs meet at the earliest when what parted them has been popped. Our
// deviation: where entries agree but places do not (an exception in one run only), both go to the
// nearest common post-dominator, else out of the region.
//
// Most of two runs is the same. There one of them keeps the index for both, block by block, and the
// other only the frames that it needs to go on alone (pass_together). Under a parted entry whole
// calls are passed the same way (pass_under).
//
// An aligner stops where a walk must enter another segment, and goes on from there when it is its
// turn; so what it is about is kept as a goal, not in nested loops. The threads of a pair of
// processes take turns by the segments they need, and each segment is decoded once for all of them,
// if they run at similar times in both runs; else again.
//
// Costs a pass over both runs, and for each step apart a comparison of what is above the last mark.
// Memory follows the depth of the index.
#include "align/align_threads.h"

#include <algorithm>
#include <cstring>

namespace twinrun {
namespace {

constexpr uint64_t kProgressBlocks = 1 << 22;

uint32_t value_at(const Timeline::Ahead& ahead, uint32_t i) {
  uint32_t value;
  std::memcpy(&value, ahead.values + size_t{4} * i, sizeof value);
  return value;
}

// Such an entry comes in place of others in one step: what has another one there is still behind.
bool takes_over(IndexEntry::Kind kind) {
  return kind == IndexEntry::Kind::kTail || kind == IndexEntry::Kind::kUnwind ||
         kind == IndexEntry::Kind::kLoop;
}

}  // namespace

void StepMap::add(uint64_t a, uint64_t b, uint64_t count) {
  if (count == 0) return;
  if (!stretches_.empty()) {
    Stretch& last = stretches_.back();
    if (last.from[0] + last.count == a && last.from[1] + last.count == b) {
      last.count += count;
      return;
    }
  }
  stretches_.push_back({{a, b}, count});
}

std::optional<uint64_t> StepMap::counterpart(RunSide side, uint64_t step) const {
  const auto own = static_cast<size_t>(side);
  const auto behind = std::ranges::upper_bound(
      stretches_, step, {}, [own](const Stretch& stretch) { return stretch.from[own]; });
  if (behind == stretches_.begin()) return std::nullopt;
  const Stretch& found = *std::prev(behind);
  const uint64_t offset = step - found.from[own];
  if (offset >= found.count) return std::nullopt;
  return found.from[1 - own] + offset;
}

std::optional<uint64_t> AlignedRegion::counterpart(RunSide side, uint64_t step) const {
  const StepRange& own = range(side);
  if (!is_aligned || step < own.from || step >= own.to) return std::nullopt;
  if (!steps.empty()) return steps.counterpart(side, step);
  return range(other(side)).from + (step - own.from);
}

size_t ThreadAligner::common() const {
  const auto a = a_.path();
  const auto b = b_.path();
  const size_t known = std::min({known_, a_.low(), b_.low(), a.size(), b.size()});
  const size_t most = std::min(a.size(), b.size());
  size_t i = known;
  while (i < most && nodes_.is_same(a[i], b[i])) ++i;
  return i;
}

bool ThreadAligner::is_same() const {
  return nodes_.is_same(a_.node(), b_.node()) && a_.offset() == b_.offset() &&
         a_.path().size() == b_.path().size() && common() == a_.path().size();
}

Result<uint64_t> ThreadAligner::step(IndexWalk& walk) {
  if (walk.is_at_end()) {
    const auto& steps = walk.process().process().thread_steps;
    const auto found = steps.find(walk.thread().value);
    return found == steps.end() ? 0 : found->second;
  }
  TRY(const Step now, walk.step());
  return now.value;
}

Result<void> ThreadAligner::pass_together() {
  a_.depart();
  b_.depart();
  // Where one of them unwinds, they have parted.
  if (!a_.is_like(b_) || !nodes_.is_same(a_.pending(), b_.pending()) ||
      a_.path().size() != b_.path().size() || common() != a_.path().size())
    return {};
  a_.mark();
  b_.mark();
  const std::span<const BlockPlan> plans_a = a_.plans().made();
  const std::span<const BlockPlan> plans_b = b_.plans().made();
  if (plans_a.empty()) return {};
  same_.resize(plans_b.size());
  while (a_.is_settled() && b_.is_settled()) {
    const Timeline::Ahead a = a_.ahead();
    const Timeline::Ahead b = b_.ahead();
    const uint32_t most = std::min(a_.unmarked(a), b_.unmarked(b));
    uint32_t passed = 0;
    IndexWalk::NoObserver nobody;
    bool is_special = a_.is_special_next();
    while (passed < most) {
      if (!is_special) {
        const uint8_t* const of_b = b.values + size_t{4} * passed;
        const uint32_t plain = a_.pass_plain(
            a.values + size_t{4} * passed, most - passed,
            [&same = same_, of_b](uint32_t value_a, uint32_t i) {
              uint32_t value_b;
              std::memcpy(&value_b, of_b + size_t{4} * i, sizeof value_b);
              return same.has(value_a, value_b);
            },
            nobody);
        if (plain > 0) {
          passed += plain;
          a_.passed_plain(plans_a[value_at(a, passed - 1)]);
          b_.passed_plain(plans_b[value_at(b, passed - 1)]);
          if (passed == most) break;
        }
      }
      const uint32_t value_a = value_at(a, passed);
      const uint32_t value_b = value_at(b, passed);
      if (value_a >= plans_a.size() || value_b >= same_.size()) break;
      if (!same_.has(value_a, value_b)) [[unlikely]] {
        // Not looked at yet, or different.
        TRY_VOID(a_.plans().of(value_a, a.first_block + passed));
        TRY_VOID(b_.plans().of(value_b, b.first_block + passed));
        if (a_.plans().canonical(value_a) != b_.plans().canonical(value_b)) break;
        same_.add(value_a, value_b);
        continue;
      }
      const BlockPlan& plan = plans_a[value_a];
      const BlockPlan& plan_b = plans_b[value_b];
      if (!a_.can_pass(plan) || !b_.can_pass(plan_b)) break;
      a_.pass(plan);
      b_.pass_behind(plan_b, a_);
      is_special = a_.is_special_next();
      ++passed;
    }
    if (passed == 0) break;
    a_.skip(passed, plans_a[value_at(a, passed - 1)]);
    b_.skip(passed, plans_b[value_at(b, passed - 1)]);
    if (passed < most) break;
  }
  b_.follow(a_, [this](const auto& theirs) { return nodes_.translate(RunSide::kA, theirs); });
  tell_progress();
  return {};
}

void ThreadAligner::tell_progress() {
  if (!options_.progress || a_.block() < told_ + kProgressBlocks) return;
  told_ = a_.block();
  options_.progress(told_);
}

// ---- by turns ----

size_t ThreadAligner::next_segment() const {
  const bool a = a_.needs_segment();
  const bool b = b_.needs_segment();
  if (a && b) return std::min(a_.next_segment(), b_.next_segment());
  return b ? b_.next_segment() : a_.next_segment();
}

Result<ThreadAligner::Pause> ThreadAligner::prepare(IndexWalk& walk) {
  while (walk.needs_segment()) {
    if (!std::exchange(may_enter_, false)) return Pause::kYes;
    TRY_VOID(walk.enter_segment());
    tell_progress();
  }
  return Pause::kNo;
}

Result<ThreadAligner::Pause> ThreadAligner::walk_aligned() {
  for (;;) {
    if (!std::exchange(is_stepping_, true)) {
      a_.mark();
      b_.mark();
      known_ = ~size_t{0};
      if (a_.is_between() && b_.is_between()) {
        TRY_VOID(pass_together());
      }
    }
    // The one that is behind first: it may be the one that next_segment() spoke of.
    const bool is_b_behind = b_.next_segment() < a_.next_segment();
    TRY(const Pause first, prepare(is_b_behind ? b_ : a_));
    TRY(const Pause second, prepare(is_b_behind ? a_ : b_));
    if (first == Pause::kYes || second == Pause::kYes) return Pause::kYes;
    is_stepping_ = false;
    TRY(const bool more_a, a_.next_node());
    TRY(const bool more_b, b_.next_node());
    if (!more_a || !more_b || !is_same()) return Pause::kNo;
    if (nodes_.is_one_build()) continue;
    TRY(const uint64_t step_a, step(a_));
    TRY(const uint64_t step_b, step(b_));
    note_steps({noted_[0], step_a}, {noted_[1], step_b});
  }
}

bool ThreadAligner::is_reached(const Goal& goal) {
  const IndexWalk& walk = *goal.walk;
  if (walk.is_at_end()) return true;
  switch (goal.kind) {
    case Goal::Kind::kChange: return walk.low() <= goal.entry;
    case Goal::Kind::kGoTo:
      return walk.path().size() < goal.entry ||
             (walk.path().size() == goal.entry && walk.node() == goal.node);
    default: return false;
  }
}

Result<ThreadAligner::Pause> ThreadAligner::pursue(const Goal& goal) {
  IndexWalk& walk = *goal.walk;
  const bool passes = goal.kind == Goal::Kind::kChange || goal.kind == Goal::Kind::kGoTo;
  if (!is_stepping_) walk.mark();
  for (;;) {
    if (!is_stepping_) {
      if (is_reached(goal)) return Pause::kNo;
      if (passes) {
        TRY_VOID(walk.pass_under(goal.entry));
      } else if (goal.kind == Goal::Kind::kEnd) {
        TRY_VOID(walk.pass_segment());
      }
      is_stepping_ = true;
    }
    TRY(const Pause pause, prepare(walk));
    if (pause == Pause::kYes) return Pause::kYes;
    is_stepping_ = false;
    TRY_VOID(walk.next_node());
    if (goal.kind == Goal::Kind::kNode) return Pause::kNo;
  }
}

void ThreadAligner::approach(size_t same) {
  const auto change = [&](IndexWalk& walk) { add_goal({Goal::Kind::kChange, &walk, same, 0}); };
  const bool has_a = a_.path().size() > same;
  const bool has_b = b_.path().size() > same;
  const auto is_round = [](const IndexEntry& entry) {
    return (entry.kind == IndexEntry::Kind::kBranch || entry.kind == IndexEntry::Kind::kLoop) &&
           entry.count > 1;
  };
  has_parted_in_loop_ |=
      (has_a && is_round(a_.path()[same])) || (has_b && is_round(b_.path()[same]));
  // Times round the same loop: who is behind catches up.
  if (has_a && has_b) {
    const IndexEntry& a = a_.path()[same];
    const IndexEntry& b = b_.path()[same];
    if (a.count != b.count && nodes_.is_same_place(a, b))
      return change(a.count < b.count ? a_ : b_);
    if (takes_over(a.kind) != takes_over(b.kind)) return change(takes_over(a.kind) ? b_ : a_);
  }
  if (has_a) change(a_);
  if (has_b) change(b_);
}

void ThreadAligner::set_goals() {
  goal_ = goal_count_ = 0;
  const auto both = [&](Goal::Kind kind, size_t entry, CodeNode node) {
    if (!a_.is_at_end()) add_goal({kind, &a_, entry, node});
    if (!b_.is_at_end()) add_goal({kind, &b_, entry, nodes_.counterpart(RunSide::kA, node)});
  };
  // Nothing can meet what is over.
  if (a_.is_at_end() || b_.is_at_end()) return both(Goal::Kind::kEnd, 0, 0);
  const size_t same = common();
  known_ = same;
  if (a_.path().size() > same || b_.path().size() > same) return approach(same);
  const bool is_same_node = nodes_.is_same(a_.node(), b_.node());
  if (is_same_node && a_.offset() == b_.offset()) return;
  // In the same region, but at different places of it.
  if (is_same_node)
    return add_goal({Goal::Kind::kNode, a_.offset() < b_.offset() ? &a_ : &b_, 0, 0});
  if (const CodeNode node = meeting(); node != CodeSpace::kNone)
    return both(Goal::Kind::kGoTo, same, node);
  if (same > 0) return both(Goal::Kind::kChange, same - 1, 0);
  both(Goal::Kind::kEnd, 0, 0);
}

Result<ThreadAligner::Pause> ThreadAligner::walk_disaligned() {
  for (;;) {
    for (; goal_ < goal_count_; ++goal_) {
      TRY(const Pause pause, pursue(goals_[goal_]));
      if (pause == Pause::kYes) return Pause::kYes;
    }
    set_goals();
    if (goal_count_ == 0) return Pause::kNo;
  }
}

CodeNode ThreadAligner::meeting() {
  // Of nodes that only one run has nothing is known.
  for (CodeNode node = space_.meeting(a_.node(), nodes_.translate(RunSide::kB, b_.node()));
       node != CodeSpace::kNone; node = space_.node(node).until)
    if (nodes_.counterpart(RunSide::kA, node) != CodeSpace::kNone) return node;
  return CodeSpace::kNone;
}

void ThreadAligner::note_steps(const StepRange& a, const StepRange& b) {
  // Blocks that were passed together are the same. Of nodes that are not, the first instructions.
  const uint64_t first = std::min<uint64_t>({a.size(), b.size(), 1});
  region_.steps.add(a.from, b.from, a.size() == b.size() ? a.size() : first);
  noted_ = {a.to, b.to};
}

Result<void> ThreadAligner::end_region() {
  region_.is_aligned = is_aligned_;
  TRY(region_.a.to, step(a_));
  TRY(region_.b.to, step(b_));
  if (is_aligned_) {
    // One of them can have been interrupted in the middle of a node.
    StepRange a{noted_[0], region_.a.to};
    StepRange b{noted_[1], region_.b.to};
    const uint64_t length = std::min(a.size(), b.size());
    is_b_shorter_ = b.size() < a.size();
    if (nodes_.is_one_build() || space_.node(a_.previous_node()).instructions ==
                                     space_.node(b_.previous_node()).instructions) {
      region_.a.to = a.to = a.from + length;
      region_.b.to = b.to = b.from + length;
    }
    if (!nodes_.is_one_build()) note_steps(a, b);
  }
  if (region_.a.size() != 0 || region_.b.size() != 0) tell_(region_);
  AlignedRegion next;
  next.a.from = region_.a.to;
  next.b.from = region_.b.to;
  is_aligned_ = !is_aligned_;
  noted_ = {next.a.from, next.b.from};
  if (!is_aligned_) {
    next.at = a_.previous_node();
    next.at_address = (is_b_shorter_ ? b_ : a_).previous_address();
    next.to_a = a_.is_at_end() ? CodeSpace::kNone : a_.node();
    next.to_b = b_.is_at_end() ? CodeSpace::kNone : b_.node();
    next.depth = common();
    goal_ = goal_count_ = 0;
  }
  region_ = next;
  return {};
}

Result<bool> ThreadAligner::go_on() {
  may_enter_ = true;
  if (!std::exchange(has_begun_, true)) {
    TRY(region_.a.from, step(a_));
    TRY(region_.b.from, step(b_));
    noted_ = {region_.a.from, region_.b.from};
  }
  for (;;) {
    TRY(const Pause pause, is_aligned_ ? walk_aligned() : walk_disaligned());
    if (pause == Pause::kYes) return true;
    is_stepping_ = false;
    TRY_VOID(end_region());
    if (a_.is_at_end() && b_.is_at_end()) return false;
  }
}

}  // namespace twinrun
