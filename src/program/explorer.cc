// SPDX-License-Identifier: MIT
#include "program/explorer.h"

#include "base/check.h"

#include <algorithm>

namespace twinrun {
namespace {

// How much of the path to an indirect jump is computed, the shortest first: what stands far before
// the jump need not hold on other paths to it (the first turn of a loop knows its counter).
constexpr size_t kPathLengths[] = {8, 16, 32, 64, 128, 256, 512};
// All paths of a function together, in instructions: a hostile function is full of indirect jumps.
constexpr uint64_t kMostPathWork = 1 << 21;
constexpr uint32_t kMostTableEntries = 1 << 16;     // of one table
constexpr uint32_t kMostFunctionEntries = 1 << 18;  // of all tables of a function
constexpr uint64_t kMostPadding = 64;

}  // namespace

Explorer::Explorer(const ExplorerContext& context, std::vector<Range> ranges)
    : context_(context), ranges_(std::move(ranges)) {
  CHECK(!ranges_.empty());
  entry_ = ranges_[0].start;
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.start < b.start; });
  size_t total = 0;
  for (const Range& range : ranges_) {
    range_begin_.push_back(total);
    total += range.end - range.start;
  }
  indices_.resize(total);
  queued_.resize(total);
}

std::optional<size_t> Explorer::offset(uint64_t address) const {
  const auto it = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                   [](uint64_t a, const Range& r) { return a < r.start; });
  if (it == ranges_.begin()) return std::nullopt;
  const auto n = static_cast<size_t>(it - ranges_.begin()) - 1;
  if (address >= ranges_[n].end) return std::nullopt;
  return range_begin_[n] + (address - ranges_[n].start);
}

const Instruction* Explorer::at(uint64_t address) const {
  const auto where = offset(address);
  return where && indices_[*where] != 0 ? &instructions_[indices_[*where] - 1] : nullptr;
}

void Explorer::enter(uint64_t address, const Continues& continues) {
  if (!contains(address) || at(address) != nullptr) return;
  entered_.push_back(address);
  work_.push_back({address, {}});
  run(continues);
}

void Explorer::resume(uint64_t call, const Continues& continues) {
  const auto where = offset(call);
  if (!where || indices_[*where] == 0) return;
  const uint32_t index = indices_[*where] - 1;
  if (continued_[index] || !contains(instructions_[index].end())) return;
  continued_[index] = true;
  work_.push_back({instructions_[index].end(), {index, false}});
  run(continues);
}

void Explorer::run(const Continues& continues) {
  while (!work_.empty()) {
    auto [address, origin] = work_.back();
    work_.pop_back();
    // Along the straight line; its branches wait in work_.
    for (;;) {
      const auto where = offset(address);
      if (!where) {
        if (origin.from != kNone)
          outward_.push_back({instructions_[origin.from].address, address, true});
        break;
      }
      if (indices_[*where] != 0) break;
      const auto decoded = context_.decoder->decode(context_.image->at(address), address);
      if (!decoded) break;
      const auto index = static_cast<uint32_t>(instructions_.size());
      instructions_.push_back(*decoded);
      origins_.push_back(origin);
      continued_.push_back(false);
      some_.push_back(false);
      indices_[*where] = index + 1;
      if (decoded->flow != Flow::kNone && decoded->flow != Flow::kSyscall) {
        follow(index, continues);
        break;
      }
      address = decoded->end();
      origin = {index, false};
    }
  }
}

void Explorer::follow(uint32_t index, const Continues& continues) {
  const Instruction instruction = instructions_[index];
  switch (instruction.flow) {
    case Flow::kConditionalJump:
      jump(index, instruction.target);
      // Taken from the end of work_ first: the path to a table then stays on the straight line.
      work_.push_back({instruction.end(), {index, false}});
      return;
    case Flow::kJump: return jump(index, instruction.target);
    case Flow::kIndirectJump: return follow_indirect(index);
    case Flow::kCall:
    case Flow::kIndirectCall:
      follow_exception(index);
      if (!contains(instruction.end()) || !continues(instruction)) return;
      continued_[index] = true;
      work_.push_back({instruction.end(), {index, false}});
      return;
    case Flow::kReturn: has_return_ = true; return;
    default: return;
  }
}

void Explorer::jump(uint32_t index, uint64_t to) {
  const auto where = offset(to);
  if (!where) {
    outward_.push_back({instructions_[index].address, to, false});
  } else if (!queued_[*where]) {
    // Once: the first origin is the nearest to the entry. Interpreters jump from each case to each
    // other one; by the last origin, their paths would lead through all cases.
    queued_[*where] = true;
    work_.push_back({to, {index, true}});
  }
}

void Explorer::extra(uint32_t index, uint64_t to, EdgeKind kind) {
  extras_.push_back({index, to, kind});
  jump(index, to);
}

std::optional<JumpTable> Explorer::table(uint32_t index) {
  std::vector<PathStep> path;
  bool taken = false;
  for (uint32_t i = index; i != kNone && path.size() < std::ranges::max(kPathLengths);
       i = origins_[i].from) {
    path.push_back({instructions_[i].address, taken});
    taken = origins_[i].taken;
  }
  std::reverse(path.begin(), path.end());
  const uint32_t room = kMostFunctionEntries - table_entries_;
  std::optional<JumpTable> best;
  for (const size_t length : kPathLengths) {
    path_work_ += std::min(length, path.size());
    if (path_work_ > kMostPathWork) break;
    auto found = find_jump_table(
        *context_.image, std::span(path).last(std::min(length, path.size())),
        [&](uint64_t address) { return contains(address); }, std::min(kMostTableEntries, room));
    if (found && (found->bounded || !best)) best = std::move(found);
    if ((best && best->bounded) || length >= path.size()) break;
  }
  return best;
}

void Explorer::follow_indirect(uint32_t index) {
  const Instruction instruction = instructions_[index];
  std::vector<uint64_t> targets;
  if (!instruction.has_slot) {
    if (auto found = table(index)) {
      some_[index] = !found->bounded;
      table_entries_ += static_cast<uint32_t>(found->targets.size());
      targets = std::move(found->targets);
      std::sort(targets.begin(), targets.end());
      targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
      for (const uint64_t to : targets) extra(index, to, EdgeKind::kTable);
    }
  }
  const auto seen =
      std::ranges::equal_range(context_.observed, instruction.address, {}, &ObservedEdge::from);
  for (const ObservedEdge& edge : seen) {
    if (std::ranges::binary_search(targets, edge.to)) continue;
    some_[index] = true;
    extra(index, edge.to, EdgeKind::kObserved);
  }
  has_unknown_jump_ = has_unknown_jump_ || (targets.empty() && seen.empty());
}

void Explorer::follow_exception(uint32_t index) {
  // The unwinder looks for the last byte of the call.
  const uint64_t byte = instructions_[index].end() - 1;
  const auto sites = context_.call_sites;
  const auto it = std::upper_bound(sites.begin(), sites.end(), byte,
                                   [](uint64_t a, const CallSite& s) { return a < s.start; });
  if (it == sites.begin() || byte >= std::prev(it)->end) return;
  extra(index, std::prev(it)->landing_pad, EdgeKind::kException);
}

bool Explorer::ends_range(const Instruction& call) const {
  for (uint64_t at = call.end(); contains(at);) {
    const auto next = context_.decoder->decode(context_.image->at(at), at);
    const bool padding = next && (next->is_nop || (next->flow == Flow::kTrap && next->length == 1));
    if (!padding || at - call.end() > kMostPadding) return false;
    at = next->end();
  }
  return true;
}

}  // namespace twinrun
