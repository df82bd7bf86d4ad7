// SPDX-License-Identifier: MIT
// Pairs processes by where they were made, not by their number.
//
// A run that forks once more before shifts all processes behind that. But the parents are aligned
// already when their children are asked for: the call that made a child is an instruction of the
// parent, and its child corresponds to the one that the other run made by the same execution of it.
// Often only one run came to the very call itself in that way, as the first call of a function goes
// through the loader; then the innermost call under way that both have tells. What is left between
// two such pairs was made in regions that only one run executed: those are paired when they become
// the same program, one after the other, and then as they come.
//
// One image of a process, between two calls of execve, has at most one that follows it; these
// correspond. Where a pair executes different programs, one of them may be a shell or a make that
// starts what the other run starts directly: then the first one below it with the other's program
// takes its place. That can be said of either side; the one counts for which fewer instructions are
// left without a partner.
//
// Ends because children have larger numbers than their parents. Costs a walk over the calls of each
// parent of several children.
#include "align/pair_processes.h"

#include "base/text.h"
#include "calls/call_tracker.h"
#include "trace/timeline.h"

#include <algorithm>

namespace twinrun {
namespace {

uint64_t instructions_of(const Process& process) {
  uint64_t out = 0;
  for (const auto& [thread, steps] : process.thread_steps) out += steps;
  return out;
}

/// Which execution of an instruction of the other run it is.
std::optional<Position> counterpart(std::span<const ThreadAlignment> threads, RunSide side,
                                    const Position& at) {
  for (const ThreadAlignment& thread : threads) {
    const Position& own = side == RunSide::kA ? thread.a : thread.b;
    Position out = side == RunSide::kA ? thread.b : thread.a;
    if (own.process != at.process || own.thread != at.thread || out.thread.value == 0) continue;
    const auto found = std::ranges::upper_bound(
        thread.regions, at.step.value, {},
        [&](const AlignedRegion& region) { return region.range(side).to; });
    if (found == thread.regions.end() || !found->is_aligned) return std::nullopt;
    const auto step = found->counterpart(side, at.step.value);
    if (!step) return std::nullopt;
    out.step = {*step};
    return out;
  }
  return std::nullopt;
}

bool has_partner(const std::map<uint32_t, uint32_t>& partners, uint32_t b) {
  return std::ranges::any_of(partners, [&](const auto& pair) { return pair.second == b; });
}

std::map<uint32_t, std::vector<uint32_t>> children_in(const Reader& reader) {
  std::map<uint32_t, std::vector<uint32_t>> out;
  for (const auto& [number, process] : reader.processes()) {
    const bool has_parent =
        reader.process(process.info.parent) != nullptr && process.info.parent < number;
    out[has_parent ? process.info.parent : 0].push_back(number);
  }
  // Numbers are given as processes report themselves, which depends on the scheduler; when they
  // were forked does not.
  for (auto& [parent, children] : out)
    std::ranges::stable_sort(
        children, {}, [&](uint32_t child) { return reader.process(child)->info.parent_block; });
  return out;
}

}  // namespace

ProcessPairing::ProcessPairing(const RunPair& runs)
    : runs_(runs), children_{children_in(runs.a().reader()), children_in(runs.b().reader())} {}

const ProcessPairing::Children& ProcessPairing::children(RunSide side, uint32_t parent) const {
  static const Children kNone;
  const auto& all = children_[static_cast<size_t>(side)];
  const auto found = all.find(parent);
  return found == all.end() ? kNone : found->second;
}

ProcessPairing::Children ProcessPairing::children(RunSide side, uint32_t parent,
                                                  bool is_exec) const {
  Children out;
  const auto& taken = taken_[static_cast<size_t>(side)];
  for (const uint32_t child : children(side, parent)) {
    const ProcessInfo& info = runs_.run(side).reader().process(child)->info;
    if ((info.origin == TW_ORIGIN_EXEC) == is_exec && !taken.contains(child)) out.push_back(child);
  }
  return out;
}

bool ProcessPairing::wants_regions(PairedProcess parents) const {
  const size_t in_a = children(RunSide::kA, parents.a, false).size();
  const size_t in_b = children(RunSide::kB, parents.b, false).size();
  return in_a > 0 && in_b > 0 && in_a + in_b > 2;
}

Result<std::vector<PairedProcess>> ProcessPairing::children_of(
    PairedProcess parents, std::span<const ThreadAlignment> threads) {
  const bool is_first = parents.a == 0 && parents.b == 0;
  const auto of = [&](RunSide side, uint32_t parent, bool is_exec) {
    return parent == 0 && !is_first ? Children() : children(side, parent, is_exec);
  };
  Children in_a = of(RunSide::kA, parents.a, true);
  Children in_b = of(RunSide::kB, parents.b, true);
  const Children forks_a = of(RunSide::kA, parents.a, false);
  const Children forks_b = of(RunSide::kB, parents.b, false);
  Partners partners;
  if (!threads.empty() && wants_regions(parents)) {
    TRY_VOID(pair_sites(forks_a, forks_b, threads, partners));
  }
  TRY_VOID(pair_between(forks_a, forks_b, partners));
  // A shell forks for a command, unless it is the last one: then it becomes that.
  if (in_a.empty() != in_b.empty()) {
    TRY_VOID(pair_alike(in_a.empty() ? forks_a : in_a, in_b.empty() ? forks_b : in_b, partners));
  } else {
    TRY_VOID(pair_between(in_a, in_b, partners));
  }
  in_a.insert(in_a.end(), forks_a.begin(), forks_a.end());
  in_b.insert(in_b.end(), forks_b.begin(), forks_b.end());
  std::vector<PairedProcess> out;
  for (const uint32_t a : in_a) {
    const auto partner = partners.find(a);
    const PairedProcess found{a, partner == partners.end() ? 0 : partner->second};
    PairedProcess same = found;
    if (found.b != 0) {
      TRY(same, with_same_program(found));
    }
    // Those that only started it are told too.
    if (same.a != found.a) out.push_back({found.a, 0});
    if (same.b != found.b) out.push_back({0, found.b});
    out.push_back(same);
  }
  for (const uint32_t b : in_b)
    if (!has_partner(partners, b)) out.push_back({0, b});
  return out;
}

Result<void> ProcessPairing::pair_sites(const Children& in_a, const Children& in_b,
                                        std::span<const ThreadAlignment> threads,
                                        Partners& partners) {
  // Whatever both runs executed last on the way into the call, as the second run has it.
  std::map<Position, std::array<Children, 2>> made_at;
  for (const RunSide side : {RunSide::kA, RunSide::kB}) {
    TRY(const auto all, sites(side, side == RunSide::kA ? in_a : in_b));
    for (const auto& [child, site] : all) {
      for (const Position& at : site) {
        const auto there = counterpart(threads, side, at);
        if (!there) continue;
        made_at[side == RunSide::kA ? *there : at][static_cast<size_t>(side)].push_back(child);
        break;
      }
    }
  }
  for (const auto& [at, made] : made_at) TRY_VOID(pair_between(made[0], made[1], partners));
  return {};
}

Result<void> ProcessPairing::pair_between(const Children& in_a, const Children& in_b,
                                          Partners& partners) {
  const Partners known = partners;
  size_t first_b = 0;
  for (size_t first_a = 0, i = 0; i <= in_a.size(); ++i) {
    const auto next = i < in_a.size() ? known.find(in_a[i]) : known.end();
    if (i < in_a.size() && next == known.end()) continue;
    size_t until = in_b.size();
    if (next != known.end())
      until = static_cast<size_t>(std::ranges::find(in_b, next->second) - in_b.begin());
    const Children rest_a(in_a.begin() + static_cast<ptrdiff_t>(first_a),
                          in_a.begin() + static_cast<ptrdiff_t>(i));
    Children rest_b;
    for (size_t j = first_b; j < until; ++j)
      if (!has_partner(known, in_b[j])) rest_b.push_back(in_b[j]);
    TRY_VOID(pair_alike(rest_a, rest_b, partners));
    auto b = rest_b.begin();
    for (const uint32_t a : rest_a) {
      while (b != rest_b.end() && has_partner(partners, *b)) ++b;
      if (b == rest_b.end()) break;
      if (partners.emplace(a, *b).second) ++b;
    }
    first_a = i + 1;
    first_b = std::max(first_b, until + 1);
  }
  return {};
}

Result<void> ProcessPairing::pair_alike(const Children& in_a, const Children& in_b,
                                        Partners& partners) {
  if (in_a.empty() || in_b.empty()) return {};
  for (const uint32_t a : in_a) {
    if (partners.contains(a)) continue;
    TRY(const MappedFile* const own, becomes(RunSide::kA, a));
    for (const uint32_t b : in_b) {
      TRY(const MappedFile* const other, becomes(RunSide::kB, b));
      if (has_partner(partners, b) || !is_same(RunSide::kA, *own, *other)) continue;
      partners.emplace(a, b);
      break;
    }
  }
  return {};
}

Result<std::map<uint32_t, std::vector<Position>>> ProcessPairing::sites(RunSide side,
                                                                        const Children& of) {
  std::map<uint32_t, std::vector<Position>> out;
  if (of.empty()) return out;
  Run& run = runs_.run(side);
  const auto info = [&](uint32_t child) { return run.reader().process(child)->info; };
  TRY(const Run::Loan parent, run.borrow(info(of[0]).parent));
  CallListener nobody;
  CallTracker tracker(parent->dictionary(), parent->places(), nobody);
  Timeline timeline(run.reader(), parent->dictionary(), parent->process());
  Timeline::Item item;
  for (auto child = of.begin(); child != of.end();) {
    TRY(const bool more, timeline.next(item));
    if (!more) break;
    tracker.take(item);
    if (item.is_event) continue;
    for (; child != of.end() && info(*child).parent_block <= item.execution.block + 1; ++child) {
      if (info(*child).parent_block == 0) continue;
      const auto at = [&](uint64_t step) {
        return Position{{parent->number()}, item.thread, {step}};
      };
      const uint64_t count = item.execution.instructions;
      std::vector<Position>& site = out[*child];
      site.push_back(at(item.step.value + (count == 0 ? 0 : count - 1)));
      const std::span<const CallFrame> frames = tracker.frames(item.thread);
      for (size_t i = frames.size(); i-- > 0;)
        if (frames[i].step.value > 0) site.push_back(at(frames[i].step.value - 1));
    }
  }
  return out;
}

Result<PairedProcess> ProcessPairing::with_same_program(PairedProcess pair) {
  TRY(const MappedFile* const of_a, program(RunSide::kA, pair.a));
  TRY(const MappedFile* const of_b, program(RunSide::kB, pair.b));
  if (is_same(RunSide::kA, *of_a, *of_b)) return pair;
  TRY(const Below in_a, find_below(RunSide::kA, pair.a, *of_b));
  TRY(const Below in_b, find_below(RunSide::kB, pair.b, *of_a));
  if (in_a.process != 0 && (in_b.process == 0 || in_a.passed <= in_b.passed)) {
    taken_[0].insert(in_a.process);
    return PairedProcess{in_a.process, pair.b};
  }
  if (in_b.process != 0) {
    taken_[1].insert(in_b.process);
    return PairedProcess{pair.a, in_b.process};
  }
  return pair;
}

Result<ProcessPairing::Below> ProcessPairing::find_below(RunSide side, uint32_t top,
                                                         const MappedFile& program) {
  const uint64_t passed = instructions_of(*runs_.run(side).reader().process(top));
  for (const uint32_t child : children(side, top)) {
    TRY(const MappedFile* const own, this->program(side, child));
    if (is_same(side, *own, program)) return Below{child, passed};
    TRY(Below below, find_below(side, child, program));
    if (below.process == 0) continue;
    below.passed += passed;
    return below;
  }
  return Below{};
}

Result<const MappedFile*> ProcessPairing::program(RunSide side, uint32_t process) {
  auto& known = programs_[static_cast<size_t>(side)];
  if (const auto found = known.find(process); found != known.end()) return &found->second;
  Run& run = runs_.run(side);
  const ProcessInfo& info = run.reader().process(process)->info;
  const bool is_copy =
      info.origin == TW_ORIGIN_FORK && run.reader().process(info.parent) != nullptr;
  if (is_copy && info.parent < process) return program(side, info.parent);
  TRY(const Run::Loan opened, run.borrow(process));
  return &known.emplace(process, opened->program()).first->second;
}

Result<const MappedFile*> ProcessPairing::becomes(RunSide side, uint32_t process) {
  for (;;) {
    const auto& all = children(side, process);
    const auto next = std::ranges::find_if(all, [&](uint32_t child) {
      return runs_.run(side).reader().process(child)->info.origin == TW_ORIGIN_EXEC;
    });
    if (next == all.end()) return program(side, process);
    process = *next;
  }
}

bool ProcessPairing::is_same(RunSide side, const MappedFile& own, const MappedFile& other) const {
  const MappedFile& a = side == RunSide::kA ? own : other;
  const MappedFile& b = side == RunSide::kA ? other : own;
  return runs_.identity().has(a, b) || (!a.build_id.empty() && a.build_id == b.build_id) ||
         base_name(a.path) == base_name(b.path);
}

}  // namespace twinrun
