// SPDX-License-Identifier: MIT
#include "align/align.h"

#include "align/iteration_pairing.h"
#include "align/pair_processes.h"
#include "align/pairs.h"
#include "align/run_pair.h"
#include "base/text.h"
#include "run/code_names.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace twinrun {
namespace {

/// So many threads are aligned side by side. What each keeps of its calls grows with the program.
constexpr size_t kThreadsTogether = 64;
/// Instructions that are not worth looking at loops.
constexpr uint64_t kLeastDisaligned = 32;
/// Of both runs, the part that may be aligned less when iterations are paired by their values.
constexpr uint64_t kMostLostByValues = 200;

struct Sums {
  uint64_t count = 0;
  uint64_t only_a = 0;
  uint64_t only_b = 0;
};

class Aligning {
 public:
  Aligning(const ProcessPair& pair, const CodeIdentity& identity, const AlignOptions& options,
           AlignReport& report)
      : pair_(pair),
        identity_(identity),
        options_(options),
        report_(report),
        nodes_(identity, space_),
        names_(space_) {}

  Result<void> prepare() {
    TRY_VOID(space_.add(*pair_.a));
    TRY_VOID(space_.add(*pair_.b));
    identity_.share_observed(space_);
    // Up to where runs part first, their segments are the same bytes.
    const auto decoded = std::make_shared<DecodedBlocks>();
    process_a_ = std::make_shared<WalkedProcess>(CodeModel(space_, *pair_.a), decoded);
    process_b_ = std::make_shared<WalkedProcess>(CodeModel(space_, *pair_.b), decoded);
    return {};
  }

  /// Aligns the threads of rows.
  Result<void> threads(std::span<const size_t> rows) {
    TRY(std::vector<Outcome> outcomes, pass(rows, {}));
    if (options_.loops == PairLoops::kContent) {
      TRY_VOID(pair_loops(outcomes));
    }
    for (Outcome& outcome : outcomes) take(std::move(outcome));
    return {};
  }

  /// What divergences at the places sum up to.
  void finish() {
    if (!options_.places) return;
    for (const auto& [node, sums] : sums_) {
      DivergencePlace row{names_.place(node), sums.count, sums.only_a, sums.only_b,
                          is_library(node)};
      report_.places.push_back(std::move(row));
    }
  }

 private:
  /// What is told of a thread of each run.
  struct Outcome {
    size_t row = 0;  // of the report's threads
    ThreadAlignment threads;
    bool is_first = true;
    bool has_parted_in_loop = false;
    std::vector<Divergence> divergences;  // as many as are wanted of all threads
    std::map<CodeNode, Sums> sums;
    uint64_t ignored = 0;

    [[nodiscard]] uint64_t disaligned() const { return threads.only_a + threads.only_b; }
  };
  struct Job {
    Job(const std::shared_ptr<WalkedProcess>& process_a, ThreadNo thread_a,
        const std::shared_ptr<WalkedProcess>& process_b, ThreadNo thread_b)
        : a(process_a, thread_a), b(process_b, thread_b) {}

    IndexWalk a;
    IndexWalk b;
    std::unique_ptr<ThreadAligner> aligner;
  };
  /// Of both processes; null: none.
  struct Marks {
    const ProcessMarks* a = nullptr;
    const ProcessMarks* b = nullptr;
  };

  /// Aligns threads side by side: whoever has the lowest segment to enter goes on, so that a
  /// segment is decoded once for all threads that run in it.
  Result<std::vector<Outcome>> pass(std::span<const size_t> rows, const Marks& marks) {
    process_a_->marks = marks.a;
    process_b_->marks = marks.b;
    std::vector<Outcome> outcomes(rows.size());
    std::vector<std::unique_ptr<Job>> jobs;
    using Turn = std::pair<size_t, size_t>;  // segment, job
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    for (const size_t row : rows) {
      Outcome& outcome = outcomes[jobs.size()];
      outcome.row = row;
      outcome.threads = report_.threads[row];
      const auto make = [&] {
        return std::make_unique<Job>(process_a_, outcome.threads.a.thread, process_b_,
                                     outcome.threads.b.thread);
      };
      jobs.push_back(make());
      TRY(outcome.threads.is_anchored, to_anchor(*jobs.back()));
      // Whoever looked for it has come to the end.
      if (!outcome.threads.is_anchored && !options_.anchor.empty()) jobs.back() = make();
      Job& job = *jobs.back();
      const std::string_view stage = marks.a == nullptr ? kAligning : kAgain;
      job.aligner = std::make_unique<ThreadAligner>(
          space_, nodes_, job.a, job.b, same_,
          [&](const AlignedRegion& region) { add(outcome, region); },
          ThreadAligner::Options{[this, stage](uint64_t blocks) {
            tell(options_.work, stage, share_of(blocks, pair_.a->process().blocks));
          }});
      turns.emplace(job.aligner->next_segment(), jobs.size() - 1);
    }
    while (!turns.empty()) {
      const size_t next = turns.top().second;
      turns.pop();
      TRY(const bool more, jobs[next]->aligner->go_on());
      if (more) turns.emplace(jobs[next]->aligner->next_segment(), next);
    }
    for (size_t i = 0; i < jobs.size(); ++i)
      outcomes[i].has_parted_in_loop = jobs[i]->aligner->has_parted_in_loop();
    return outcomes;
  }

  /// Aligns again those threads whose iterations correspond otherwise than by number, and keeps
  /// what is better.
  Result<void> pair_loops(std::vector<Outcome>& outcomes) {
    std::array<ProcessMarks, 2> marks;
    std::vector<size_t> rows;
    std::vector<Outcome*> numbered;
    std::vector<bool> is_by_values;
    IterationPairing pairing(
        process_a_, process_b_, nodes_,
        [this](IndexWalk& walk, RunSide side) { return anchored(walk, side); },
        [this](double share) { tell(options_.work, kPairing, share); });
    for (Outcome& outcome : outcomes) {
      if (!outcome.has_parted_in_loop || outcome.disaligned() < kLeastDisaligned) continue;
      const ThreadAlignment& threads = outcome.threads;
      is_anchored_ = threads.is_anchored;
      TRY(LoopPairing found, pairing.pair(threads.a.thread, threads.b.thread));
      if (found.is_by_number()) continue;
      marks[0][threads.a.thread.value] = std::move(found.marks[0]);
      marks[1][threads.b.thread.value] = std::move(found.marks[1]);
      rows.push_back(outcome.row);
      numbered.push_back(&outcome);
      is_by_values.push_back(found.is_by_values);
    }
    if (rows.empty()) return {};
    TRY(std::vector<Outcome> paired, pass(rows, {&marks[0], &marks[1]}));
    process_a_->marks = process_b_->marks = nullptr;
    for (size_t i = 0; i < paired.size(); ++i) {
      ThreadAlignment& threads = paired[i].threads;
      // Values show which iterations are the same record: what a run does by the way, such as
      // filling a buffer, then falls into others, and a little less is aligned.
      const uint64_t loss =
          is_by_values[i] ? (threads.steps_a + threads.steps_b) / kMostLostByValues : 0;
      if (paired[i].disaligned() > numbered[i]->disaligned() + loss) continue;
      threads.loops = PairLoops::kContent;
      const auto keep = [&](size_t side, const Position& of) {
        report_.marks[side][of.process.value][of.thread.value] =
            std::move(marks[side][of.thread.value]);
      };
      keep(0, threads.a);
      keep(1, threads.b);
      *numbered[i] = std::move(paired[i]);
    }
    return {};
  }

  /// Puts it into the report.
  void take(Outcome&& outcome) {
    report_.divergence_count += outcome.threads.divergences;
    report_.ignored += outcome.ignored;
    report_.threads[outcome.row] = std::move(outcome.threads);
    for (const auto& [node, sums] : outcome.sums) {
      Sums& all = sums_[node];
      all.count += sums.count;
      all.only_a += sums.only_a;
      all.only_b += sums.only_b;
    }
    for (Divergence& divergence : outcome.divergences) {
      if (report_.divergences.size() >= options_.divergences) break;
      report_.divergences.push_back(std::move(divergence));
    }
  }

  /// False when they do not come to it, which is an error unless some threads are enough.
  Result<bool> to_anchor(Job& job) {
    if (options_.anchor.empty()) return false;
    for (const auto& [walk, which] : {std::pair(&job.a, "first"), std::pair(&job.b, "second")}) {
      const Result<void> found = find_anchor(*walk, which);
      if (found) continue;
      if (options_.anchors_some && found.error().code == "A003") return false;
      return std::unexpected(found.error());
    }
    return true;
  }

  /// For the threads whose iterations are paired.
  Result<void> anchored(IndexWalk& walk, RunSide side) {
    if (!is_anchored_) return {};
    return find_anchor(walk, side == RunSide::kA ? "first" : "second");
  }

  Result<void> find_anchor(IndexWalk& walk, std::string_view which) {
    uint64_t input = ~uint64_t{0};
    if (options_.anchor == "first-input") {
      TRY(const auto block, first_input(walk.process(), walk.thread()));
      if (block) input = *block;
      TRY(const bool found, walk.arrive_at(input));
      if (!found || !block)
        return fail("A003", "the {} run reads no input in thread {}", which, walk.thread().value);
    } else {
      TRY(const bool found, walk.arrive_at(input, [&](const BlockPlan& plan) {
        return plan.is_entry && names_.is_named(plan.node, options_.anchor);
      }));
      if (!found)
        return fail("A003", "thread {} of the {} run does not call {}", walk.thread().value, which,
                    options_.anchor);
    }
    TRY_VOID(walk.pass_nodes(0));
    walk.rebase();
    return {};
  }

  bool is_library(CodeNode node) {
    const MappedFile* file = space_.file(node);
    const MappedFile& program = pair_.a->program();
    return file == nullptr || (program.build_id.empty() ? file->path != program.path
                                                        : file->build_id != program.build_id);
  }

  void add(Outcome& outcome, const AlignedRegion& region) {
    ThreadAlignment& out = outcome.threads;
    if (std::exchange(outcome.is_first, false)) {
      out.before_a = region.a.from;
      out.before_b = region.b.from;
    }
    if (options_.regions) out.regions.push_back(region);
    if (region.is_aligned) {
      out.aligned += region.a.size();
      return;
    }
    out.only_a += region.a.size();
    out.only_b += region.b.size();
    ++out.divergences;
    Sums& sums = outcome.sums[region.at];
    ++sums.count;
    sums.only_a += region.a.size();
    sums.only_b += region.b.size();
    const auto [is_ignored, is_new] = is_ignored_.try_emplace(region.at);
    if (is_new) is_ignored->second = ignores(region.at);
    if (is_ignored->second) {
      ++outcome.ignored;
      return;
    }
    if (outcome.divergences.size() >= options_.divergences ||
        (options_.only_program && is_library(region.at)))
      return;
    outcome.divergences.push_back(describe(out, region));
  }

  bool ignores(CodeNode node) {
    if (options_.ignored.empty()) return false;
    const SourcePlace place = names_.place(node);
    return std::ranges::any_of(options_.ignored, [&](const std::string& line) {
      return line == ignore_line(place) ||
             line == fmt::format("{}@{}", place.function, base_name(place.module)) ||
             line == fmt::format("*@{}", base_name(place.module));
    });
  }

  Divergence describe(const ThreadAlignment& thread, const AlignedRegion& region) {
    Divergence out;
    const auto before = [](Position position, const StepRange& range) {
      position.step = {range.from == 0 ? 0 : range.from - 1};
      return position;
    };
    out.a = before(thread.a, region.a);
    out.b = before(thread.b, region.b);
    out.at = names_.at(region.at, region.at_address);
    if (region.to_a != CodeSpace::kNone) out.to_a = names_.start(region.to_a);
    if (region.to_b != CodeSpace::kNone) out.to_b = names_.start(region.to_b);
    out.only_a = region.a;
    out.only_b = region.b;
    out.depth = region.depth;
    using Kind = Divergence::Kind;
    const CodeSpace::Node& at = space_.node(region.at);
    const bool is_end = region.to_a == CodeSpace::kNone || region.to_b == CodeSpace::kNone;
    out.kind = is_end                                          ? Kind::kEnd
               : region.at != CodeSpace::kNone && at.is_branch ? Kind::kBranch
               : space_.node(region.to_a).is_entry && space_.node(region.to_b).is_entry
                   ? Kind::kCall
                   : Kind::kInterrupt;
    return out;
  }

  const ProcessPair& pair_;
  const CodeIdentity& identity_;
  const AlignOptions& options_;
  AlignReport& report_;
  CodeSpace space_;
  NodeIdentity nodes_;
  CodeNames names_;
  // What is known of the code serves all passes.
  std::shared_ptr<WalkedProcess> process_a_;
  std::shared_ptr<WalkedProcess> process_b_;
  SameBlocks same_;
  bool is_anchored_ = false;  // the threads whose iterations are paired now
  std::map<CodeNode, Sums> sums_;
  std::map<CodeNode, bool> is_ignored_;
};

void add_missing(AlignReport& report, const Process& process, bool is_a, const std::string& note) {
  for (const auto& [thread, steps] : process.thread_steps) {
    ThreadAlignment& row = report.threads.emplace_back();
    row.note = note;
    (is_a ? row.a : row.b) = {{process.info.number}, {thread}, {}};
    (is_a ? row.b : row.a) = {{0}, {0}, {}};
    (is_a ? row.steps_a : row.steps_b) = steps;
    (is_a ? row.only_a : row.only_b) = steps;
  }
}

}  // namespace

std::string ignore_line(const SourcePlace& place) {
  if (place.line != 0) return fmt::format("{}:{}", base_name(place.file), place.line);
  return fmt::format("{}@{}", place.function, base_name(place.module));
}

void tell_branch_values(const RunPair& runs, AlignReport& report, uint32_t most) {
  if (!runs.have_values()) return;
  for (Divergence& divergence : report.divergences) {
    if (divergence.kind != Divergence::Kind::kBranch) continue;
    if (most-- == 0) break;
    const auto compared = compare_branch(runs.a(), divergence.a, runs.b(), divergence.b);
    if (!compared) continue;
    divergence.values_a = compared->a;
    divergence.values_b = compared->b;
  }
}

namespace {

/// Rows for the threads of both processes; returns those that can be aligned.
std::vector<size_t> add_threads(const RunPair& runs, const PairedProcess& numbers,
                                const AlignOptions& options, AlignReport& report) {
  const auto& threads_a = runs.a().reader().process(numbers.a)->thread_steps;
  const auto& threads_b = runs.b().reader().process(numbers.b)->thread_steps;
  std::vector<size_t> rows;
  auto ita = threads_a.begin();
  auto itb = threads_b.begin();
  while (ita != threads_a.end() || itb != threads_b.end()) {
    ThreadAlignment row;
    row.a = {{numbers.a}, {0}, {}};
    row.b = {{numbers.b}, {0}, {}};
    const bool has_a =
        ita != threads_a.end() && (itb == threads_b.end() || ita->first <= itb->first);
    const bool has_b =
        itb != threads_b.end() && (ita == threads_a.end() || itb->first <= ita->first);
    if (has_a) {
      row.a.thread = {ita->first};
      row.steps_a = ita->second;
    }
    if (has_b) {
      row.b.thread = {itb->first};
      row.steps_b = itb->second;
    }
    if (has_a) ++ita;
    if (has_b) ++itb;
    const ThreadNo number = has_a ? row.a.thread : row.b.thread;
    if (options.thread && number != *options.thread) continue;
    report.threads.push_back(row);
    if (has_a && has_b) {
      rows.push_back(report.threads.size() - 1);
      continue;
    }
    report.threads.back().note = "the other run has no such thread";
    report.threads.back().only_a = row.steps_a;
    report.threads.back().only_b = row.steps_b;
  }
  return rows;
}

/// Aligns two processes, and the children of both behind them.
class Families {
 public:
  Families(const RunPair& runs, const AlignOptions& options, AlignReport& report)
      : runs_(runs), options_(options), report_(report), pairing_(runs) {}

  Result<void> align_all() {
    TRY(const auto first, pairing_.first());
    for (const PairedProcess& pair : first) TRY_VOID(align_family(pair));
    // The processes that began are different programs, and so are all others.
    if (!has_aligned_ && error_) return std::unexpected(*error_);
    return {};
  }

 private:
  Result<void> align_family(const PairedProcess& pair) {
    const size_t first = report_.threads.size();
    const bool is_wanted = !options_.process || pair.a == options_.process->value;
    AlignOptions options = options_;
    options.regions = options_.regions || pairing_.wants_regions(pair);
    AlignReport unwanted;
    if (is_wanted) {
      TRY_VOID(align_pair(pair, options, report_));
    } else if (pairing_.wants_regions(pair)) {
      options.thread.reset();
      options.anchors_some = true;
      TRY_VOID(align_pair(pair, options, unwanted));
    }
    const auto threads =
        is_wanted ? std::span(report_.threads).subspan(first) : std::span(unwanted.threads);
    TRY(const auto children, pairing_.children_of(pair, threads));
    if (!options_.regions)
      for (ThreadAlignment& thread : threads) thread.regions.clear();
    // Numbers of children are larger, so that this ends.
    for (const PairedProcess& child : children) TRY_VOID(align_family(child));
    return {};
  }

  Result<void> align_pair(const PairedProcess& numbers, const AlignOptions& options,
                          AlignReport& report) {
    const Reader& a = runs_.a().reader();
    const Reader& b = runs_.b().reader();
    if (numbers.a == 0 || numbers.b == 0) {
      const bool is_a = numbers.a != 0;
      add_missing(report, *(is_a ? a.process(numbers.a) : b.process(numbers.b)), is_a,
                  "the other run has no such process");
      return {};
    }
    TRY(const ProcessPair pair, ProcessPair::open(runs_, numbers));
    if (const auto same = pair.same_program(runs_.identity()); !same) {
      if (!error_) error_ = same.error();
      add_missing(report, *a.process(numbers.a), true, "the other run executes another program");
      add_missing(report, *b.process(numbers.b), false, "the other run executes another program");
      return {};
    }
    has_aligned_ = true;
    // Its part of all that is aligned.
    const double begin = share_of(done_, a.blocks());
    const double part = share_of(a.process(numbers.a)->blocks, a.blocks());
    AlignOptions own = options;
    if (options.work)
      own.work = [&](std::string_view stage, double share) {
        options.work(stage, begin + share * part);
      };
    done_ += a.process(numbers.a)->blocks;
    Aligning aligning(pair, runs_.identity(), own, report);
    TRY_VOID(aligning.prepare());
    const std::vector<size_t> rows = add_threads(runs_, numbers, options, report);
    for (size_t first = 0; first < rows.size(); first += kThreadsTogether)
      TRY_VOID(aligning.threads(
          std::span(rows).subspan(first, std::min(kThreadsTogether, rows.size() - first))));
    aligning.finish();
    return {};
  }

  const RunPair& runs_;
  const AlignOptions& options_;
  AlignReport& report_;
  ProcessPairing pairing_;
  uint64_t done_ = 0;  // blocks of the first run, of processes that are aligned
  bool has_aligned_ = false;
  std::optional<Error> error_;  // the first
};

}  // namespace

Result<AlignReport> align(const RunPair& runs, const AlignOptions& options) {
  const Reader& a = runs.a().reader();
  const Reader& b = runs.b().reader();
  if (a.processes().empty() || b.processes().empty())
    return fail("A001", "a recording without a process cannot be compared");
  AlignReport report;
  report.a = {a.path(), a.instructions(), a.is_prefix() ? a.prefix_note() : ""};
  report.b = {b.path(), b.instructions(), b.is_prefix() ? b.prefix_note() : ""};
  TRY_VOID(Families(runs, options, report).align_all());
  if (!options.anchor.empty() &&
      std::ranges::none_of(report.threads, &ThreadAlignment::is_anchored))
    return fail("A003", "no thread of both runs comes to {}", options.anchor);
  for (const ThreadAlignment& thread : report.threads) {
    report.aligned += thread.aligned;
    report.only_a += thread.only_a;
    report.only_b += thread.only_b;
  }
  std::ranges::stable_sort(report.places, [](const DivergencePlace& x, const DivergencePlace& y) {
    return x.only_a + x.only_b > y.only_a + y.only_b;
  });
  return report;
}

}  // namespace twinrun
