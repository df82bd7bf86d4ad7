// SPDX-License-Identifier: MIT
// What a thread does each time round its loops, reduced to hashes that two runs can compare.
//
// A walk keeps the structural index (index_walk.h). An entry of a predicate that is counted up is a
// loop, and what lies between two counts is one time round. Beside the walk's entries stands a
// shadow of each, with the hashes of all that was executed when the entry was counted last: after
// every block the walk tells what has stayed (low()), and only what is above that is looked at.
//
// Hashes are polynomials of the blocks' numbers, so that the hash of a stretch follows from those
// at its ends. One runs over all blocks of the thread; one runs over those of each frame, and waits
// while functions that were called run.
//
// Loops nest, and an outer one is counted only when all inner ones have ended. Iterations of loops
// under way are therefore a stack in one array, and the many short loops leave nothing behind. What
// is in front of its parent in time becomes its child when the parent ends: whatever has been kept
// since the parent began and has none yet.
//
// Costs a walk block by block and 16 bytes an iteration of the loops that are kept. When there are
// too many, loops with the shortest iterations are dropped first; one that is too long by itself is
// dropped, too.
#include "calls/loop_instances.h"

#include <algorithm>
#include <cstring>

namespace twinrun {
namespace {

constexpr uint64_t kProgressBlocks = 1 << 22;
constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;

uint64_t mix(uint64_t value) {
  value = (value ^ value >> 32) * 0xd6e8feb86659fd93;
  value = (value ^ value >> 32) * 0xd6e8feb86659fd93;
  return value ^ value >> 32;
}

uint32_t value_at(const Timeline::Ahead& ahead, uint32_t i) {
  uint32_t value;
  std::memcpy(&value, ahead.values + size_t{4} * i, sizeof value);
  return value;
}

class Powers {
 public:
  Powers() {
    small_[0] = 1;
    for (size_t i = 1; i < small_.size(); ++i) small_[i] = small_[i - 1] * kFactor;
  }
  [[nodiscard]] uint64_t of(uint64_t exponent) const {
    if (exponent < small_.size()) return small_[exponent];
    uint64_t out = 1;
    for (uint64_t base = kFactor; exponent != 0; exponent >>= 1, base *= base)
      if ((exponent & 1) != 0) out *= base;
    return out;
  }

 private:
  std::array<uint64_t, 1024> small_{};
};

class Collector {
 public:
  Collector(IndexWalk& walk, const LoopOptions& options) : walk_(walk), options_(options) {}

  Result<ThreadLoops> run() {
    numbers_.resize(walk_.plans().made().size());
    for (;;) {
      if (options_.progress && walk_.block() >= told_ + kProgressBlocks)
        options_.progress(told_ = walk_.block());
      TRY(const bool has_passed, pass_ahead());
      if (has_passed) continue;
      walk_.mark();
      TRY(const bool more, walk_.pass_block());
      if (!more) break;
      note_number(walk_.block());
      take(walk_.plan());
    }
    shrink(0);
    arrange();
    out_.blocks = now_;
    return std::move(out_);
  }

 private:
  /// Hashes up to a moment.
  struct Sums {
    uint64_t full = 0;
    uint64_t shallow = 0;
    uint64_t in_frame = 0;  // blocks of the frame

    [[gnu::always_inline]] void add(uint64_t number) {
      full = full * kFactor + number;
      shallow = shallow * kFactor + number;
      ++in_frame;
    }
  };
  struct Shadow {
    IndexEntry::Kind kind;
    CodeNode site;
    CodeNode outcome;
    uint64_t count;
    uint64_t pushed;      // the count that it had when it came
    uint64_t begin;       // blocks of the thread, of a loop that is under way
    uint64_t counted_at;  // the same, when it was counted last
    Sums sums;            // at that time; of a call: those of the caller
    size_t first;         // of its iterations
  };

  static bool has_frame(IndexEntry::Kind kind) {
    return kind == IndexEntry::Kind::kCall || kind == IndexEntry::Kind::kSignal ||
           kind == IndexEntry::Kind::kStack;
  }
  static bool is_counted(IndexEntry::Kind kind) {
    return kind == IndexEntry::Kind::kBranch || kind == IndexEntry::Kind::kLoop;
  }

  Result<bool> pass_ahead() {
    TRY_VOID(walk_.finish_block());
    if (walk_.is_at_end() || !walk_.is_settled()) return false;
    const Timeline::Ahead next = walk_.ahead();
    const uint32_t most = walk_.unmarked(next);
    if (most > 0) note_number(next.first_block);
    const std::span<const BlockPlan> plans = walk_.plans().made();
    const auto is_known = [plans](uint32_t value, uint32_t) {
      return value < plans.size() && plans[value].way != BlockPlan::Way::kUnknown;
    };
    uint32_t passed = 0;
    const BlockPlan* last = nullptr;
    // The walk may have begun in the middle of something.
    if (walk_.path().size() != depth_) sync(0, walk_.path().size());
    while (passed < most) {
      if (!walk_.is_special_next()) {
        PlainBlocks blocks(*this);
        const uint32_t plain =
            walk_.pass_plain(next.values + size_t{4} * passed, most - passed, is_known, blocks);
        blocks.finish();
        if (plain > 0) {
          passed += plain;
          last = &plans[value_at(next, passed - 1)];
          walk_.passed_plain(*last);
          if (passed == most) break;
        }
      }
      TRY(const BlockPlan* plan,
          walk_.plans().of(value_at(next, passed), next.first_block + passed));
      if (!walk_.can_pass(*plan)) break;
      walk_.mark();
      walk_.pass(*plan);
      take(*plan);
      last = plan;
      ++passed;
    }
    if (passed > 0) walk_.skip(passed, *last);
    return passed > 0 && passed == next.count;
  }

  /// Keeps the shadows while the walk passes plain blocks: every change of an entry at once, and
  /// the sums in registers.
  class PlainBlocks {
   public:
    explicit PlainBlocks(Collector& of)
        : of_(of), numbers_(of.numbers_.data()), now_(of.now_), sums_(of.sums_) {}

    [[gnu::always_inline]] void cut(size_t size) {
      while (of_.depth_ > size) {
        if (of_.shadows_[of_.depth_ - 1].first < of_.iterations_.size()) [[unlikely]] {
          finish();
          of_.end(of_.shadows_[of_.depth_ - 1]);
        }
        --of_.depth_;
      }
    }
    [[gnu::always_inline]] void counted(const IndexEntry& entry) {
      finish();
      of_.shadows_[of_.depth_ - 1].outcome = entry.outcome;
      of_.count(of_.shadows_[of_.depth_ - 1], entry);
    }
    [[gnu::always_inline]] void pushed(const IndexEntry& entry) { of_.push(entry, now_, sums_); }
    [[gnu::always_inline]] void passed(uint32_t value) {
      uint64_t number = numbers_[value];
      if (number == 0) [[unlikely]]
        number = of_.find_number(value);
      sums_.add(number);
      ++now_;
    }
    [[gnu::always_inline]] void finish() {
      of_.now_ = now_;
      of_.sums_ = sums_;
    }

   private:
    Collector& of_;
    const uint64_t* numbers_;
    uint64_t now_;
    Sums sums_;
  };

  void note_number(uint64_t in_process) {
    auto& stretches = out_.stretches;
    if (stretches.empty() ||
        in_process - stretches.back().in_process != now_ - stretches.back().from)
      stretches.push_back({now_, in_process});
  }

  [[gnu::noinline]] uint64_t find_number(size_t plan) {
    return numbers_[plan] = mix(options_.block_number(static_cast<uint32_t>(plan))) | 1;
  }

  void add(const BlockPlan& plan) {
    const auto i = static_cast<size_t>(&plan - walk_.plans().made().data());
    sums_.add(numbers_[i] != 0 ? numbers_[i] : find_number(i));
    ++now_;
  }

  /// A block has been passed.
  [[gnu::always_inline]] void take(const BlockPlan& plan) {
    const size_t low = walk_.low();
    const size_t size = walk_.path().size();
    if (low >= depth_ && size == depth_) return add(plan);
    // It is part of the function that it calls from, or returns from.
    if (plan.way == BlockPlan::Way::kReturn) {
      add(plan);
      sync(low, size);
    } else if (plan.way == BlockPlan::Way::kCall && size > 0) {
      sync(low, size - 1);
      add(plan);
      sync(low, size);
    } else {
      sync(low, size);
      add(plan);
    }
  }

  /// Makes the shadows those of the first `size` entries, of which `low` have stayed.
  void sync(size_t low, size_t size) {
    const std::span<const IndexEntry> path = walk_.path();
    const size_t most = std::min(size, depth_);
    size_t same = std::min(low, most);
    for (; same < most; ++same) {
      Shadow& shadow = shadows_[same];
      const IndexEntry& entry = path[same];
      if (shadow.site != entry.site || shadow.kind != entry.kind || shadow.count > entry.count)
        break;
      shadow.outcome = entry.outcome;
      if (shadow.count == entry.count) continue;
      shrink(same + 1);
      count(shadow, entry);
    }
    shrink(same);
    for (; same < size; ++same) {
      push(path[same], now_, sums_);
      if (has_frame(path[same].kind)) sums_.shallow = sums_.in_frame = 0;
    }
  }

  /// Written in its place: making it elsewhere and copying it waits for the fields.
  [[gnu::always_inline]] void push(const IndexEntry& entry, uint64_t now, const Sums& sums) {
    if (depth_ == shadows_.size()) [[unlikely]]
      shadows_.resize(std::max<size_t>(64, depth_ * 2));
    Shadow& shadow = shadows_[depth_++];
    shadow.kind = entry.kind;
    shadow.site = entry.site;
    shadow.outcome = entry.outcome;
    shadow.count = shadow.pushed = entry.count;
    shadow.begin = shadow.counted_at = now;
    shadow.sums = sums;
    shadow.first = iterations_.size();
  }

  void count(Shadow& shadow, const IndexEntry& entry) {
    shadow.count = entry.count;
    if (!is_counted(entry.kind)) return;
    close(shadow);
    shadow.counted_at = now_;
    shadow.sums = sums_;
  }

  /// An iteration is over.
  void close(Shadow& shadow) {
    if (shadow.first == kTooLong) return;
    if (iterations_.size() - shadow.first >= options_.most_iterations ||
        now_ - shadow.begin > ~0u) {
      drop(shadow);
      return;
    }
    const uint64_t full = sums_.full - shadow.sums.full * powers_.of(now_ - shadow.counted_at);
    const uint64_t shallow =
        sums_.shallow - shadow.sums.shallow * powers_.of(sums_.in_frame - shadow.sums.in_frame);
    iterations_.push_back({full, static_cast<uint32_t>(mix(shallow)),
                           static_cast<uint32_t>(shadow.counted_at - shadow.begin)});
  }

  void drop(Shadow& shadow) {
    iterations_.resize(shadow.first);
    shadow.first = kTooLong;
    ++out_.dropped;
  }

  /// Pops shadows.
  void shrink(size_t size) {
    while (depth_ > size) {
      Shadow& shadow = shadows_[depth_ - 1];
      if (has_frame(shadow.kind)) {
        sums_.shallow = shadow.sums.shallow;
        sums_.in_frame = shadow.sums.in_frame;
      } else if (shadow.first < iterations_.size()) {
        end(shadow);
      }
      --depth_;
    }
  }

  /// A loop is over.
  void end(Shadow& shadow) {
    if (now_ - shadow.begin < options_.least_blocks) return iterations_.resize(shadow.first);
    // When it was counted in this very block, its last time round is there already.
    if (shadow.counted_at != now_) close(shadow);
    if (shadow.first == kTooLong) return;
    LoopInstance made;
    made.site = walk_.plans().space().node(shadow.site).address;
    made.first = shadow.pushed;
    made.begin = shadow.begin;
    made.end = now_;
    made.iterations.assign(iterations_.begin() + static_cast<ptrdiff_t>(shadow.first),
                           iterations_.end());
    iterations_.resize(shadow.first);
    kept_ += made.iterations.size();
    // What leads here, for the time being from the thread's start.
    const auto number = static_cast<size_t>(&shadow - shadows_.data());
    Trail trail{0, number};
    for (size_t i = 0; i <= number; ++i)
      trail.hash = trail.hash * kFactor + entry_number(shadows_[i]);
    trails_.push_back(trail);
    out_.instances.push_back(std::move(made));
    if (kept_ > options_.most_iterations) thin_out();
  }

  /// Outcomes of predicates change each time round; the loops inside are known by their sites.
  uint64_t entry_number(const Shadow& shadow) {
    const bool is_call =
        shadow.kind == IndexEntry::Kind::kCall || shadow.kind == IndexEntry::Kind::kTail;
    const bool has_node =
        shadow.kind != IndexEntry::Kind::kSignal && shadow.kind != IndexEntry::Kind::kStack;
    uint64_t out = mix(static_cast<uint64_t>(shadow.kind) + 1);
    out = mix(out ^ (has_node ? node_number(shadow.site) : shadow.site));
    return is_call ? mix(out ^ node_number(shadow.outcome)) : out;
  }

  uint64_t node_number(CodeNode node) {
    if (node >= nodes_.size()) nodes_.resize(walk_.plans().space().size());
    if (nodes_[node] == 0) nodes_[node] = mix(options_.node_number(node)) | 1;
    return nodes_[node];
  }

  /// Loops with short iterations are the many, and the least worth.
  void thin_out() {
    while (kept_ > options_.most_iterations / 2) {
      least_length_ = std::max<uint64_t>(4, least_length_ * 2);
      size_t to = 0;
      kept_ = 0;
      for (size_t i = 0; i < out_.instances.size(); ++i) {
        LoopInstance& instance = out_.instances[i];
        if (instance.blocks() < least_length_ * instance.iterations.size()) {
          ++out_.dropped;
          continue;
        }
        kept_ += instance.iterations.size();
        if (to != i) out_.instances[to] = std::move(instance);
        trails_[to++] = trails_[i];
      }
      out_.instances.resize(to);
      trails_.resize(to);
    }
  }

  /// Finds parents, and what leads from them.
  void arrange() {
    std::vector<uint32_t> orphans;
    auto& instances = out_.instances;
    for (uint32_t i = 0; i < instances.size(); ++i) {
      LoopInstance& parent = instances[i];
      while (!orphans.empty() && instances[orphans.back()].begin >= parent.begin) {
        LoopInstance& child = instances[orphans.back()];
        child.parent = i;
        const auto behind = std::ranges::upper_bound(parent.iterations, child.begin - parent.begin,
                                                     {}, &Iteration::start);
        child.parent_number = static_cast<uint32_t>(behind - parent.iterations.begin()) - 1;
        child.key = trails_[orphans.back()].hash -
                    trails_[i].hash * powers_.of(trails_[orphans.back()].depth - trails_[i].depth);
        orphans.pop_back();
      }
      parent.key = trails_[i].hash;
      orphans.push_back(i);
    }
  }

  struct Trail {
    uint64_t hash = 0;
    size_t depth = 0;
  };
  static constexpr size_t kTooLong = ~size_t{0};

  IndexWalk& walk_;
  uint64_t told_ = 0;  // blocks
  const LoopOptions& options_;
  Powers powers_;
  uint64_t now_ = 0;  // blocks of the thread so far
  Sums sums_;
  std::vector<Shadow> shadows_;  // those in use are the first depth_
  size_t depth_ = 0;
  std::vector<Iteration> iterations_;  // of loops under way, inner ones behind
  std::vector<uint64_t> numbers_;      // by plan
  std::vector<uint64_t> nodes_;
  std::vector<Trail> trails_;  // to the instances
  uint64_t kept_ = 0;          // iterations
  uint64_t least_length_ = 0;
  ThreadLoops out_;
};

}  // namespace

uint64_t ThreadLoops::block_in_process(uint64_t block) const {
  const auto behind = std::ranges::upper_bound(stretches, block, {}, &Stretch::from);
  const Stretch& stretch = *std::prev(behind);
  return stretch.in_process + (block - stretch.from);
}

Result<ThreadLoops> collect_loops(IndexWalk& walk, const LoopOptions& options) {
  return Collector(walk, options).run();
}

}  // namespace twinrun
