// SPDX-License-Identifier: MIT
#include "align/mem.h"

#include "align/run_pair.h"
#include "base/text.h"
#include "calls/index_walk.h"
#include "memory/birth_indices.h"
#include "memory/memory_history.h"
#include "memory/provenance.h"
#include "run/source_position.h"

#include <algorithm>

namespace twinrun {
namespace {

/// One run.
class Side {
 public:
  Side(Run& run, CodeSpace& space, const RunMarks& marks)
      : run_(run), indices_(run, space, &marks) {}

  Result<PointerIndex> pointers(const MemoryMap& map, const MemOptions& options) {
    const uint32_t process = map.memory().position().process.value;
    TRY(ProcessView* const view, view_of(run_, process));
    TRY(log_, kept_or_built_log(view->of, {.more = options.allocators, .progress = {}}));
    provenance_ = std::make_unique<Provenance>(*view, map, *log_);
    return [this](uint64_t address) -> std::optional<MemoryIndex> {
      const auto origin = provenance_->of_memory(address);
      return origin ? origin->index : std::nullopt;
    };
  }

  [[nodiscard]] Run& run() { return run_; }
  [[nodiscard]] BirthIndices& indices() { return indices_; }

 private:
  Run& run_;
  BirthIndices indices_;
  std::shared_ptr<const AllocationLog> log_;
  std::unique_ptr<Provenance> provenance_;
};

/// Indices of the second run in terms of the first one's code.
IndexSource translated(IndexSource source, NodeIdentity& nodes) {
  if (nodes.is_one_build()) return source;
  return [source = std::move(source), &nodes](
             uint32_t process, std::span<const BlockMoment> moments,
             const std::function<void(size_t, const StructuralIndex&)>& tell) -> Result<void> {
    return source(process, moments, [&](size_t moment, StructuralIndex index) {
      for (IndexEntry& entry : index.path) entry = nodes.translate(RunSide::kB, entry);
      index.node = nodes.translate(RunSide::kB, index.node);
      tell(moment, index);
    });
  };
}

struct Instant {
  Position a;
  Position b;
};

/// The corresponding position of the second run.
Result<Instant> corresponding(const Position& a, const AlignReport& alignment) {
  for (const ThreadAlignment& thread : alignment.threads) {
    if (thread.a.process != a.process || thread.a.thread != a.thread) continue;
    for (const AlignedRegion& region : thread.regions) {
      const auto step = region.counterpart(RunSide::kA, a.step.value);
      if (!step) continue;
      Position b = thread.b;
      b.step = {*step};
      return Instant{a, b};
    }
  }
  auto error = fail("A005", "the second run does not execute that instruction at that moment");
  error.error().help = "twinrun align --regions lists what both runs execute";
  return error;
}

// What following memory to a moment takes of all that is done for it.
constexpr double kFollowingPart = 0.7;

/// Instructions that the process has executed then, about: it has come as far as the thread.
double steps_until(const Position& at, const Process& process) {
  const auto steps = process.thread_steps.find(at.thread.value);
  if (steps == process.thread_steps.end()) return 0;
  return share_of(at.step.value, steps->second) * static_cast<double>(process.instructions);
}

Result<MemReport::Moment> compare_at(const Instant& moment, const RunPair& runs,
                                     const MemOptions& options, const WorkSink& work) {
  MemReport::Moment out;
  out.a = moment.a;
  out.b = moment.b;
  CodeSpace space;
  Side a(runs.a(), space, runs.report().marks[0]);
  Side b(runs.b(), space, runs.report().marks[1]);
  TRY_VOID(a.indices().add(moment.a.process.value));
  TRY_VOID(b.indices().add(moment.b.process.value));
  const double all = steps_until(moment.a, *runs.a().reader().process(moment.a.process.value));
  LiveMemory::Options live{options.allocators, [&](uint64_t done) {
                             const double share = all == 0 ? 1 : static_cast<double>(done) / all;
                             tell(work, kFollowingMemory, kFollowingPart * std::min(share, 1.0));
                           }};
  TRY(const MemoryPair memories, live_memories({&a.run(), moment.a}, {&b.run(), moment.b}, live));
  NodeIdentity nodes(runs.identity(), space);
  RegionTree tree;
  TRY(const auto map_a, MemoryMap::build(*memories.a, tree, a.indices().source()));
  TRY(const auto map_b,
      MemoryMap::build(*memories.b, tree, translated(b.indices().source(), nodes)));
  MemoryTexts texts(tree, runs.a().binaries(), node_places(space));
  MemCompOptions compare{.most_rows = options.most_rows};
  if (options.online) {
    TRY(compare.online_a, a.pointers(*map_a, options));
    TRY(compare.online_b, b.pointers(*map_b, options));
  }
  out.memory = compare_memory(*map_a, *map_b, texts, compare);
  if (options.symbolic)
    out.symbolic =
        compare_symbolically(*map_a, *map_b, {.locals = false, .most_rows = options.most_rows});
  RunProcess& process = a.indices().process(moment.a.process.value);
  TRY(const StructuralIndex index, index_at({space, process}, moment.a.thread, moment.a.step));
  CodeNames names(space);
  out.where = names.at(index.node, index.address);
  return out;
}

}  // namespace

bool MemReport::is_same() const {
  return std::ranges::all_of(moments, [](const Moment& moment) {
    return moment.memory.rows.empty() && moment.memory.counts.cut == 0;
  });
}

Result<MemReport> mem(RunPair& runs, const MemOptions& options) {
  TRY(const AlignReport* const alignment,
      runs.align(options.at.empty() ? options.divergences : 0, options.work));
  MemReport out;
  const auto& processes = runs.a().reader().processes();
  TRY(const RunProcess* const first, runs.a().process(processes.begin()->first));
  out.program = base_name(first->program().path);
  std::vector<Instant> moments;
  if (options.at.empty()) {
    for (const Divergence& divergence : alignment->divergences) {
      if (moments.size() == options.divergences) break;
      moments.push_back({divergence.a, divergence.b});
    }
    out.more_moments = alignment->divergence_count - moments.size();
  } else {
    Position defaults;
    defaults.process = {processes.begin()->first};
    TRY(const Position at, find_position(options.at, runs.a(), defaults));
    TRY(const Instant moment, corresponding(at, *alignment));
    moments.push_back(moment);
  }
  for (const Instant& moment : moments) {
    const auto before = static_cast<double>(out.moments.size());
    const WorkSink work = [&](std::string_view stage, double share) {
      tell(options.work, stage, (before + share) / static_cast<double>(moments.size()));
    };
    TRY(MemReport::Moment compared, compare_at(moment, runs, options, work));
    out.moments.push_back(std::move(compared));
  }
  return out;
}

}  // namespace twinrun
