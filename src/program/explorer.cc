// SPDX-License-Identifier: MIT
#include "program/explorer.h"

#include "base/check.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace twinrun {
namespace {

// How much of the path to an indirect jump is computed, the shortest first: what stands far before
// the jump need not hold on other paths to it (the first turn of a loop knows its counter).
constexpr size_t kPathLengths[] = {8, 16, 32, 64, 128, 256, 512};
// All paths of a function together, in instructions: a hostile function is full of indirect jumps.
constexpr uint64_t kMostPathWork = 1 << 21;
// The same for further tables, and for those of one jump.
constexpr uint64_t kMostMoreWork = 1 << 15;
constexpr uint64_t kMostJumpWork = 1 << 13;
constexpr size_t kMostMet = 512;                    // ways to one instruction
constexpr size_t kMostWaySteps = 64;                // between the table's load and the jump
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
      if (indices_[*where] != 0) {
        meet(*where, origin);
        break;
      }
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
  } else {
    meet(*where, {index, true});
  }
}

void Explorer::meet(size_t where, const Origin& origin) {
  if (origin.from == kNone) return;
  // Tables and exceptions lead everywhere; what they bring along is not what a jump goes by.
  const Flow flow = instructions_[origin.from].flow;
  const bool is_call = flow == Flow::kCall || flow == Flow::kIndirectCall;
  if (flow == Flow::kIndirectJump || (is_call && origin.taken)) return;
  std::vector<Origin>& others = met_[where];
  if (others.size() >= kMostMet) return;
  others.push_back(origin);
  ++met_count_;
}

void Explorer::extra(uint32_t index, uint64_t to, EdgeKind kind) {
  extras_.push_back({index, to, kind});
  jump(index, to);
}

std::vector<PathStep> Explorer::path_to(std::vector<PathStep> backward, Origin origin) const {
  while (origin.from != kNone && backward.size() < std::ranges::max(kPathLengths)) {
    backward.push_back({instructions_[origin.from].address, origin.taken});
    origin = origins_[origin.from];
  }
  std::reverse(backward.begin(), backward.end());
  return backward;
}

std::optional<JumpTable> Explorer::find_table(std::span<const PathStep> path) const {
  return find_jump_table(
      *context_.image, path, [&](uint64_t address) { return contains(address); },
      std::min(kMostTableEntries, kMostFunctionEntries - table_entries_));
}

std::optional<JumpTable> Explorer::table(std::span<const PathStep> path, uint64_t& work,
                                         uint64_t most_work) const {
  std::optional<JumpTable> best;
  for (const size_t length : kPathLengths) {
    work += std::min(length, path.size());
    if (work > most_work) break;
    auto found = find_table(path.last(std::min(length, path.size())));
    if (found && (found->bounded || !best)) best = std::move(found);
    if ((best && best->bounded) || length >= path.size()) break;
  }
  return best;
}

void Explorer::add_table(uint32_t index, JumpTable found) {
  Tables& tables = tables_[index];
  if (!tables.addresses.insert(found.address).second) return;
  if (!found.bounded) some_[index] = true;
  table_entries_ += static_cast<uint32_t>(found.targets.size());
  tables.in_order.push_back(found);
  std::sort(found.targets.begin(), found.targets.end());
  found.targets.erase(std::unique(found.targets.begin(), found.targets.end()), found.targets.end());
  std::vector<uint64_t> added;
  std::ranges::set_difference(found.targets, tables.targets, std::back_inserter(added));
  for (const uint64_t to : added) extra(index, to, EdgeKind::kTable);
  const auto old = static_cast<ptrdiff_t>(tables.targets.size());
  tables.targets.insert(tables.targets.end(), added.begin(), added.end());
  std::inplace_merge(tables.targets.begin(), tables.targets.begin() + old, tables.targets.end());
}

// A jump can be one for several tables: ways that have loaded from different ones meet in front of
// it, in a register or a slot of the stack (clang makes one jump of all computed gotos of a
// function). So the ways back from the jump are followed up to where the code says which table it
// is, or that it is none; where ways meet before that, along each of them. All of them are paths of
// the graph, so a table that is found is one that the jump goes through.
//
// No place is left twice by other ways than the first on one path, and the work is limited.
void Explorer::find_more_tables(uint32_t index) {
  struct Way {
    std::vector<PathStep> backward;  // from the jump
    Origin origin;                   // what comes before
    std::set<uint32_t> forks;
  };
  const uint64_t most_work = std::min(kMostMoreWork, more_work_ + kMostJumpWork);
  std::vector<Way> ways;
  const auto follow = [&](Way way, uint32_t at) {
    for (;;) {
      const bool is_end = way.origin.from == kNone || way.backward.size() >= kMostWaySteps;
      const auto met = met_.find(*offset(instructions_[at].address));
      if (is_end || (met != met_.end() && way.forks.insert(at).second)) {
        const std::vector<PathStep> behind(way.backward.rbegin(), way.backward.rend());
        more_work_ += behind.size();
        if (const auto found = find_table(behind)) {
          if (tables_[index].addresses.contains(found->address)) return;
          break;
        }
        if (is_end || !may_be_jump_table(*context_.image, behind)) return;
        for (const Origin& origin : met->second) {
          more_work_ += behind.size();
          if (more_work_ > most_work) break;
          ways.push_back({way.backward, origin, way.forks});
        }
      }
      at = way.origin.from;
      way.backward.push_back({instructions_[at].address, way.origin.taken});
      way.origin = origins_[at];
    }
    // What stands before all that can say how long the table is.
    const std::vector<PathStep> path = path_to(std::move(way.backward), way.origin);
    if (auto found = table(path, more_work_, most_work)) add_table(index, std::move(*found));
  };
  follow({{{instructions_[index].address, false}}, origins_[index], {}}, index);
  while (!ways.empty() && more_work_ < most_work) {
    Way way = std::move(ways.back());
    ways.pop_back();
    const uint32_t at = way.origin.from;
    way.backward.push_back({instructions_[at].address, way.origin.taken});
    way.origin = origins_[at];
    follow(std::move(way), at);
  }
}

bool Explorer::find_more(const Continues& continues) {
  if (met_count_ == std::exchange(met_seen_, met_count_)) return false;
  for (const auto& [index, tables] : tables_) find_more_tables(index);
  if (work_.empty()) return false;
  run(continues);
  return true;
}

void Explorer::find_first_tables(uint32_t index) {
  const uint64_t address = instructions_[index].address;
  const auto known = std::ranges::lower_bound(context_.known, address, {}, &KnownJump::address);
  if (known != context_.known.end() && known->address == address) {
    for (const JumpTable& table : known->tables) add_table(index, table);
    return;
  }
  const auto path = path_to({{address, false}}, origins_[index]);
  if (auto found = table(path, path_work_, kMostPathWork)) add_table(index, std::move(*found));
}

std::vector<KnownJump> Explorer::jumps() const {
  std::vector<KnownJump> out;
  out.reserve(tables_.size());
  for (const auto& [index, tables] : tables_)
    out.push_back({instructions_[index].address, tables.in_order});
  return out;
}

void Explorer::follow_indirect(uint32_t index) {
  const Instruction instruction = instructions_[index];
  std::span<const uint64_t> targets;
  if (!instruction.has_slot) {
    const Tables& tables = tables_[index];
    find_first_tables(index);
    targets = tables.targets;
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
