// SPDX-License-Identifier: MIT
// The algorithm of figure 5 of differential slicing, with what its text says and the figure does
// not: entries of the index are predicates with their outcomes, so that two arms of a branch
// differ, and runs meet at the earliest when what parted them has been popped.
//
// Most of two runs is the same. There one of them keeps the index for both, block by block, and the
// other only the frames that it needs to go on alone.
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

size_t ThreadAligner::common() const {
  const auto a = a_.path();
  const auto b = b_.path();
  const size_t known = std::min({known_, a_.low(), b_.low(), a.size(), b.size()});
  const size_t most = std::min(a.size(), b.size());
  size_t i = known;
  while (i < most && a[i].is_same(b[i])) ++i;
  return i;
}

bool ThreadAligner::is_same() const {
  return a_.node() == b_.node() && a_.offset() == b_.offset() &&
         a_.path().size() == b_.path().size() && common() == a_.path().size();
}

Result<uint64_t> ThreadAligner::step(IndexWalk& walk) const {
  if (walk.is_at_end()) {
    const auto& steps = walk.run().process->thread_steps;
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
  if (!a_.is_like(b_) || a_.path().size() != b_.path().size() || common() != a_.path().size())
    return {};
  a_.mark();
  b_.mark();
  const std::span<const BlockPlan> plans_a = a_.plans().made();
  const std::span<const BlockPlan> plans_b = b_.plans().made();
  same_.resize(plans_b.size());
  while (a_.is_settled() && b_.is_settled()) {
    const Timeline::Ahead a = a_.ahead();
    const Timeline::Ahead b = b_.ahead();
    const uint32_t most = std::min(a.count, b.count);
    uint32_t passed = 0;
    bool is_special = a_.is_special_next();
    const BlockPlan* plain = nullptr;  // the last one passed as such
    const auto end_plain = [&] {
      if (plain == nullptr) return;
      a_.passed_plain(*plain);
      b_.passed_plain(plans_b[value_at(b, passed - 1)]);
      plain = nullptr;
    };
    for (; passed < most; ++passed) {
      const uint32_t value_a = value_at(a, passed);
      const uint32_t value_b = value_at(b, passed);
      if (value_a >= plans_a.size() || value_b >= same_.size()) break;
      if (same_[value_b] != value_a) [[unlikely]] {
        // Not looked at yet, or different.
        TRY(const BlockPlan* of_a, a_.plans().of(value_a, a.first_block + passed));
        TRY(const BlockPlan* of_b, b_.plans().of(value_b, b.first_block + passed));
        if (of_a->canonical != of_b->canonical) break;
        same_[value_b] = value_a;
      }
      const BlockPlan& plan = plans_a[value_a];
      if (plan.is_plain && !is_special) [[likely]] {
        a_.pass_plain(plan);
        plain = &plan;
        continue;
      }
      end_plain();
      const BlockPlan& plan_b = plans_b[value_b];
      if (!a_.can_pass(plan) || !b_.can_pass(plan_b)) break;
      a_.pass(plan);
      b_.pass_behind(plan_b, a_);
      is_special = a_.is_special_next();
    }
    end_plain();
    if (passed == 0) break;
    a_.skip(passed, plans_a[value_at(a, passed - 1)]);
    b_.skip(passed, plans_b[value_at(b, passed - 1)]);
    if (passed < most) break;
  }
  b_.follow(a_);
  if (options_.progress && a_.block() - told_ >= kProgressBlocks) {
    told_ = a_.block();
    options_.progress(told_);
  }
  return {};
}

Result<bool> ThreadAligner::walk_aligned() {
  for (;;) {
    a_.mark();
    b_.mark();
    known_ = ~size_t{0};
    if (a_.is_between() && b_.is_between()) {
      TRY_VOID(pass_together());
    }
    TRY(const bool more_a, a_.next_node());
    TRY(const bool more_b, b_.next_node());
    if (!more_a && !more_b) return false;
    if (!more_a || !more_b || !is_same()) return true;
  }
}

Result<void> ThreadAligner::change(IndexWalk& walk, size_t entry) {
  walk.mark();
  while (!walk.is_at_end() && walk.low() > entry) {
    TRY_VOID(walk.pass_under(entry));
    TRY_VOID(walk.next_node());
  }
  return {};
}

Result<void> ThreadAligner::go_to(IndexWalk& walk, size_t size, CodeNode node) {
  const auto is_there = [&] {
    return walk.path().size() < size || (walk.path().size() == size && walk.node() == node);
  };
  walk.mark();
  while (!walk.is_at_end() && !is_there()) {
    TRY_VOID(walk.pass_under(size));
    TRY_VOID(walk.next_node());
  }
  return {};
}

Result<void> ThreadAligner::approach(size_t same) {
  const bool has_a = a_.path().size() > same;
  const bool has_b = b_.path().size() > same;
  // Times round the same loop: who is behind catches up.
  if (has_a && has_b) {
    const IndexEntry& a = a_.path()[same];
    const IndexEntry& b = b_.path()[same];
    if (a.kind == b.kind && a.site == b.site && a.count != b.count)
      return change(a.count < b.count ? a_ : b_, same);
    if (takes_over(a.kind) != takes_over(b.kind)) return change(takes_over(a.kind) ? b_ : a_, same);
  }
  if (has_a) {
    TRY_VOID(change(a_, same));
  }
  if (has_b) {
    TRY_VOID(change(b_, same));
  }
  return {};
}

Result<bool> ThreadAligner::walk_disaligned() {
  for (;;) {
    if (a_.is_at_end() || b_.is_at_end()) {
      // Nothing can meet what is over.
      while (!a_.is_at_end()) {
        TRY_VOID(a_.arrive_at(~uint64_t{0}));
      }
      while (!b_.is_at_end()) {
        TRY_VOID(b_.arrive_at(~uint64_t{0}));
      }
      return false;
    }
    const size_t same = common();
    known_ = same;
    if (a_.path().size() > same || b_.path().size() > same) {
      TRY_VOID(approach(same));
      continue;
    }
    if (a_.node() == b_.node() && a_.offset() == b_.offset()) return true;
    // In the same region, but at different places of it.
    if (a_.node() == b_.node()) {
      TRY_VOID((a_.offset() < b_.offset() ? a_ : b_).next_node());
    } else if (const CodeNode node = model_.meeting(a_.node(), b_.node());
               node != CodeModel::kNone) {
      TRY_VOID(go_to(a_, same, node));
      TRY_VOID(go_to(b_, same, node));
    } else if (same > 0) {
      TRY_VOID(change(a_, same - 1));
      TRY_VOID(change(b_, same - 1));
    } else {
      TRY_VOID(a_.arrive_at(~uint64_t{0}));
      TRY_VOID(b_.arrive_at(~uint64_t{0}));
    }
  }
}

Result<void> ThreadAligner::run(const std::function<void(const AlignedRegion&)>& tell) {
  AlignedRegion region;
  TRY(region.a.from, step(a_));
  TRY(region.b.from, step(b_));
  bool is_b_shorter = false;
  for (bool is_aligned = true;; is_aligned = !is_aligned) {
    AlignedRegion next;
    if (is_aligned) {
      TRY_VOID(walk_aligned());
    } else {
      region.at = a_.previous_node();
      region.at_address = (is_b_shorter ? b_ : a_).previous_address();
      region.to_a = a_.is_at_end() ? CodeModel::kNone : a_.node();
      region.to_b = b_.is_at_end() ? CodeModel::kNone : b_.node();
      region.depth = common();
      TRY_VOID(walk_disaligned());
    }
    region.is_aligned = is_aligned;
    TRY(region.a.to, step(a_));
    TRY(region.b.to, step(b_));
    if (is_aligned) {
      // One of them can have been interrupted in the middle of a node.
      const uint64_t length = std::min(region.a.size(), region.b.size());
      is_b_shorter = region.b.size() < region.a.size();
      region.a.to = region.a.from + length;
      region.b.to = region.b.from + length;
    }
    next.a.from = region.a.to;
    next.b.from = region.b.to;
    if (region.a.size() != 0 || region.b.size() != 0) tell(region);
    if (a_.is_at_end() && b_.is_at_end()) return {};
    region = next;
  }
}

}  // namespace twinrun
