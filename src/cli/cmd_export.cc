// SPDX-License-Identifier: MIT
#include "align/align.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "base/text.h"
#include "calls/call_slices.h"
#include "calls/context_tree.h"
#include "cli/command_text.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/progress_plans.h"
#include "cli/terminal.h"
#include "cli/why_cache.h"
#include "report/folded.h"
#include "report/perfetto.h"
#include "report/sarif.h"
#include "report/source_root.h"
#include "report/why.h"
#include "trace/reader.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace twinrun {
namespace {

struct ExportFlags {
  std::string a;
  std::string b;
  std::string format;
  std::string output;
  size_t limit = CallSliceOptions{}.limit;
  bool force = false;
};

/// One or two recordings that are exported.
struct Sources {
  struct Side {
    std::string name;  // as the user wrote it
    Run* run = nullptr;
  };
  std::vector<Side> sides;
  std::unique_ptr<Run> single;
  std::unique_ptr<RunPair> pair;
  std::optional<std::vector<std::string>> warnings;  // of an answer; else those of the binaries

  [[nodiscard]] bool is_pair() const { return pair != nullptr; }
};

// Each renders into the sink; notes go to standard error.

Result<WhyReport> explain(Sources& from) {
  Progress progress(why_stages());
  WhyOptions options;
  options.work = progress.sink();
  TRY(WhyAnswer answer, kept_why(*from.pair, options));
  from.warnings = std::move(answer.warnings);
  return std::move(answer.report);
}

Result<void> export_dot(Sources& from, const ExportFlags& /*flags*/, const TextSink& sink) {
  TRY(const WhyReport report, explain(from));
  sink(why_dot(report));
  return {};
}

Result<void> export_json(Sources& from, const ExportFlags& /*flags*/, const TextSink& sink) {
  TRY(const WhyReport report, explain(from));
  SourceText sources = sources_of(*from.pair, {});
  sink(why_json(report, sources));
  return {};
}

Result<void> export_sarif(Sources& from, const ExportFlags& /*flags*/, const TextSink& sink) {
  TRY(const WhyReport report, explain(from));
  SourceText sources = sources_of(*from.pair, {});
  sink(why_sarif(report, sources, SourceRoot::here()));
  return {};
}

Result<void> export_folded(Sources& from, const ExportFlags& /*flags*/, const TextSink& sink) {
  ContextOptions options;
  for (const Sources::Side& side : from.sides) {
    const ContextLevels levels = levels_of(side.run->reader());
    options.levels.processes |= levels.processes;
    options.levels.threads |= levels.threads;
  }
  std::vector<ContextTree> trees;
  for (const Sources::Side& side : from.sides) {
    Progress progress("following calls", side.run->reader().instructions());
    options.progress = [&](uint64_t done) { progress.update(done); };
    TRY(ContextTree tree, context_tree(*side.run, options));
    progress.finish();
    if (tree.shortened != 0)
      print_note(fmt::format(
          "{}: {} of {} instructions are in stacks deeper than {} calls, which "
          "lack some callers",
          side.name, format_count(tree.shortened), format_count(tree.instructions), options.depth));
    trees.push_back(std::move(tree));
  }
  if (from.is_pair())
    folded_text(trees[0], trees[1], sink);
  else
    folded_text(trees[0], sink);
  return {};
}

Result<void> export_perfetto(Sources& from, const ExportFlags& flags, const TextSink& sink) {
  constexpr uint32_t kNamedDivergences = 1000;
  std::vector<PerfettoRun> runs;
  for (const Sources::Side& side : from.sides) {
    Progress progress("following calls", side.run->reader().instructions());
    CallSliceOptions options{.limit = flags.limit, .progress = {}};
    options.progress = [&](uint64_t done) { progress.update(done); };
    PerfettoRun run{.name = side.name, .calls = {}};
    if (from.is_pair()) run.name = fmt::format("{} {}", runs.empty() ? 'A' : 'B', side.name);
    TRY(run.calls, call_slices(*side.run, options));
    progress.finish();
    if (run.calls.shortest != 0)
      print_note(fmt::format(
          "{}: {} of {} calls are left out, those of fewer than {} instructions (--limit)",
          side.name, run.calls.calls - run.calls.slices.size(), run.calls.calls,
          run.calls.shortest));
    runs.push_back(std::move(run));
  }
  const AlignReport* alignment = nullptr;
  if (from.is_pair()) {
    Progress progress(align_stages());
    TRY(alignment, from.pair->align(kNamedDivergences, progress.sink()));
  }
  const PerfettoCut cut = perfetto_trace(runs, alignment, flags.limit, sink);
  if (cut.regions != 0)
    print_note(
        fmt::format("{} disaligned regions are left out, the shortest (--limit)", cut.regions));
  return {};
}

struct Format {
  std::string_view name;
  bool needs_pair;
  bool is_text;
  Result<void> (*write)(Sources& from, const ExportFlags& flags, const TextSink& sink);
};

constexpr Format kFormats[] = {
    {"dot", true, true, export_dot},        {"json", true, true, export_json},
    {"folded", false, true, export_folded}, {"perfetto", false, false, export_perfetto},
    {"sarif", true, true, export_sarif},
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

Result<const Format*> find_format(const std::string& name) {
  const std::vector<std::string> names = format_names();
  const std::string all = fmt::format("the formats are {}", fmt::join(names, ", "));
  if (name.empty()) return std::unexpected(Error{"C004", "export needs a format", all, {}});
  const auto* found = std::ranges::find(kFormats, name, &Format::name);
  if (found != std::end(kFormats)) return found;
  const std::string hint = did_you_mean(name, names);
  return std::unexpected(
      Error{"C003", fmt::format("there is no format '{}'", name), hint.empty() ? all : hint, {}});
}

/// Before anything is run and recorded.
Result<const Format*> check(const ExportFlags& flags) {
  TRY(const Format* const format, find_format(flags.format));
  if (format->needs_pair && flags.b.empty())
    return std::unexpected(Error{"C004",
                                 fmt::format("the format {} needs two recordings", format->name),
                                 fmt::format("twinrun export A B --format {}", format->name),
                                 {}});
  if (flags.output.empty() && !format->is_text && is_terminal(STDOUT_FILENO))
    return std::unexpected(Error{"C004",
                                 fmt::format("the format {} is not text", format->name),
                                 "write it to a file: -o FILE",
                                 {}});
  if (!flags.output.empty()) {
    TRY_VOID(OutputFile::check(flags.output, flags.force));
  }
  return format;
}

Result<int> run_export(const ExportFlags& flags) {
  TRY(const Format* const format, check(flags));
  Sources from;
  if (flags.b.empty()) {
    TRY(const std::string path, recording_or_command(flags.a));
    TRY(from.single, Run::open(path));
    from.sides = {{flags.a, from.single.get()}};
  } else {
    TRY(const auto named, recordings_or_commands(flags.a, flags.b));
    TRY(from.pair, RunPair::open(named.first.path, named.second.path));
    from.sides = {{flags.a, &from.pair->a()}, {flags.b, &from.pair->b()}};
  }
  if (flags.output.empty()) {
    TRY_VOID(format->write(from, flags, format->is_text ? print_out : print_bytes));
  } else {
    TRY(const auto file, OutputFile::create(flags.output, flags.force));
    TRY_VOID(format->write(from, flags, [&](std::string_view text) { file->write(text); }));
    TRY_VOID(file->finish());
    print_out(escape_for_terminal(flags.output) + "\n");
  }
  // Names of a pair are taken from one of them, but whatever is missing is said once.
  print_warnings(from.warnings ? *from.warnings : from.sides[0].run->binaries().warnings());
  for (const Sources::Side& side : from.sides)
    if (side.run->reader().is_prefix())
      print_note(fmt::format("{} is a prefix: {}", side.run->reader().path(),
                             side.run->reader().prefix_note()));
  return kExitSame;
}

}  // namespace

Action setup_export(FlagSet& app) {
  const auto flags = std::make_shared<ExportFlags>();
  app.add_option("a", flags->a, "the first recording, or a command to record")->required();
  app.add_option("b", flags->b, "the second one, for the formats that compare");
  app.add_option("--format", flags->format, "dot, json, folded, perfetto or sarif")
      ->type_name("FORMAT")
      ->words(format_names());
  app.add_option("-o,--output", flags->output, "the file to write, else standard output")
      ->type_name("FILE");
  app.add_flag("--force", flags->force, "replace an existing file");
  app.add_option("--limit", flags->limit, "perfetto: at most N calls of a run; 0: all")
      ->type_name("N");
  return [flags](const Words&) { return run_export(*flags); };
}

}  // namespace twinrun
