// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/paths_cache.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "report/paths.h"
#include "run/code_places.h"
#include "trace/reader.h"

#include <memory>

namespace twinrun {
namespace {

struct PathsFlags {
  std::vector<std::string> names;
  std::string function;
  std::string scheme;
  uint32_t limit = 20;
  std::optional<uint32_t> context;
  bool all = false;
  bool through_calls = false;
  bool fold_libraries = false;
  bool hot = false;
  bool diff = false;
  bool never = false;
  bool blocks = false;
  bool all_modules = false;
  bool stats = false;
  bool small = false;
  bool no_keep = false;
  bool json = false;
};

/// A recording with its paths.
struct OpenPaths {
  std::string name;
  std::unique_ptr<Run> run;
  std::unique_ptr<PathsFile> file;
};

Result<OpenPaths> open_recording(const std::string& name, const PathsFlags& flags) {
  OpenPaths out;
  out.name = name;
  TRY(const std::string path, resolve_recording(name));
  TRY(out.run, Run::open(path));
  TRY(out.file, open_paths(*out.run, flags.no_keep ? PathsKeep::kNo : PathsKeep::kYes,
                           flags.small ? PathsSize::kSmall : PathsSize::kFast));
  return out;
}

Result<std::vector<OpenPaths>> open_all(const std::vector<std::string>& names,
                                        const PathsFlags& flags) {
  std::vector<OpenPaths> out;
  for (const std::string& name : names) {
    TRY(OpenPaths run, open_recording(name, flags));
    out.push_back(std::move(run));
  }
  return out;
}

void print_notes(const std::vector<OpenPaths>& runs) {
  for (const OpenPaths& run : runs) {
    print_warnings(run.run->binaries().warnings());
    if (run.run->reader().is_prefix())
      print_note(fmt::format("the recording is a prefix: {}", run.run->reader().prefix_note()));
  }
}

/// Whether a file of the recording has such a function, executed or not.
bool has_function(const OpenPaths& run, const std::string& name) {
  for (const PathModule& module : run.file->code().modules) {
    if (module.path.empty()) continue;
    const Binaries::Binary& binary = run.run->binaries().get({module.path, module.build_id, true});
    if (binary.symbols == nullptr) continue;
    for (const Function& function : binary.symbols->functions())
      if (function.name == name || source_name(function.name) == name ||
          std::ranges::find(function.aliases, name) != function.aliases.end())
        return true;
  }
  return false;
}

Result<int> run_search(const PathsFlags& flags) {
  std::vector<std::string> names = flags.names;
  if (names.empty())
    return std::unexpected(Error{"C008",
                                 "--in needs a path to look for",
                                 "for example: twinrun paths --in main ':33 :34'",
                                 {}});
  PathsAsked asked{.function = flags.function,
                   .path = std::move(names.back()),
                   .runs = {},
                   .stats = flags.stats,
                   .limit = flags.limit == 0 ? ~uint64_t{0} : flags.limit};
  names.pop_back();
  if (names.empty()) names.emplace_back("@");
  PathSearch search{.function = flags.function,
                    .path = asked.path,
                    .through_calls = flags.through_calls,
                    .folds_libraries = flags.fold_libraries,
                    .all = flags.all,
                    .context = flags.context,
                    .limit = asked.limit,
                    .scheme = {},
                    .only_index = flags.scheme == "index",
                    .progress = {}};
  if (!flags.scheme.empty() && !search.only_index)
    search.scheme = static_cast<PathScheme>(flags.scheme[0] - '0');
  TRY(const std::vector<OpenPaths> runs, open_all(names, flags));
  uint64_t count = 0;
  for (const OpenPaths& run : runs) {
    uint64_t events = 0;
    for (const PathStream& stream : run.file->streams()) events += stream.events;
    Progress progress("looking for the path", events);
    search.progress = [&](uint64_t done) { progress.update(done); };
    PathsAsked::Run& one = asked.runs.emplace_back();
    one.name = run.name;
    one.form = shortest_form(run.run->reader());
    auto found = search_paths(*run.file, search);
    progress.finish();
    if (!found && found.error().code == "P011" && has_function(run, flags.function)) {
      one.not_executed = fmt::format("{} was not executed", flags.function);
      continue;
    }
    if (!found) return std::unexpected(found.error());
    one.answers = std::move(*found);
    count += one.answers.count;
  }
  print_out(flags.json ? paths_json(asked) : paths_text(asked));
  print_notes(runs);
  return count > 0 ? kExitSame : kExitDifferent;
}

Result<int> run_counts(const PathsFlags& flags) {
  std::vector<std::string> names = flags.names;
  if (flags.diff && names.size() != 2)
    return fail("C008", "--diff compares two recordings, not {}", names.size());
  if (names.empty()) names.emplace_back("@");
  if (!flags.never && !flags.diff && names.size() != 1)
    return fail("C008", "one recording is looked at, not {}", names.size());
  const size_t limit = flags.limit == 0 ? ~size_t{0} : flags.limit;
  TRY(const std::vector<OpenPaths> runs, open_all(names, flags));
  std::vector<PathCounts> counts;
  bool is_known = false;
  for (const OpenPaths& run : runs) {
    auto one = count_paths(*run.file, {flags.function, flags.all_modules});
    // Of several recordings, some need not execute the function.
    const bool can_lack = !one && one.error().code == "P011" && (is_known || &run != &runs.back());
    if (!one && !can_lack) return std::unexpected(one.error());
    is_known = is_known || one.has_value();
    counts.push_back(one ? std::move(*one) : PathCounts{});
  }
  int status = kExitSame;
  if (flags.diff) {
    const PathDifferences diff = diff_paths(counts[0], counts[1]);
    print_out(flags.json ? path_diff_json(diff, limit) : path_diff_text(diff, limit));
    const bool same = diff.only_a.empty() && diff.only_b.empty() && diff.changed.empty() &&
                      diff.functions_a.empty() && diff.functions_b.empty();
    status = same ? kExitSame : kExitDifferent;
  } else if (flags.never) {
    const NeverPaths never = never_paths(counts);
    print_out(flags.json ? never_paths_json(never, limit) : never_paths_text(never, limit));
  } else if (flags.blocks) {
    const std::vector<BlockCount> blocks = block_counts(counts[0]);
    print_out(flags.json ? block_counts_json(blocks) : block_counts_text(blocks, limit));
  } else {
    const HotPaths hot = hot_paths(counts[0]);
    print_out(flags.json ? hot_paths_json(hot, limit) : hot_paths_text(hot, limit));
  }
  print_notes(runs);
  return status;
}

Result<int> run_paths(const PathsFlags& flags) {
  const int modes =
      (flags.hot ? 1 : 0) + (flags.diff ? 1 : 0) + (flags.never ? 1 : 0) + (flags.blocks ? 1 : 0);
  if (modes > 1)
    return fail("C008", "only one of --hot, --diff, --never and --blocks can be given");
  return modes == 0 && !flags.function.empty() ? run_search(flags) : run_counts(flags);
}

}  // namespace

Action setup_paths(FlagSet& app) {
  const auto flags = std::make_shared<PathsFlags>();
  app.add_option("name", flags->names, "recordings, by default the newest; then the path");
  app.add_option("--in", flags->function, "the function that is asked about")
      ->type_name("FUNCTION");
  app.add_flag("--all", flags->all, "every execution, not only the first and the last");
  app.add_option("--context", flags->context, "count by N callers; 0: by the whole stack")
      ->type_name("N");
  app.add_flag("--through-calls", flags->through_calls, "what is called is part of the path");
  app.add_flag("--fold-libraries", flags->fold_libraries,
               "with --through-calls: but not code outside of the program");
  app.add_flag("--hot", flags->hot, "the paths that most instructions are spent on: the default");
  app.add_flag("--diff", flags->diff, "paths that only one of two recordings has, or more often");
  app.add_flag("--never", flags->never, "what no recording takes");
  app.add_flag("--blocks", flags->blocks, "the blocks of functions, with their counts");
  app.add_flag("--all-modules", flags->all_modules, "also functions of libraries");
  app.add_option("--limit", flags->limit, "show N rows; 0: all")->type_name("N");
  app.add_option("--scheme", flags->scheme, "how to look: by the index or as the literature does")
      ->one_of({"1", "2", "3", "4", "index"})
      ->type_name("1|2|3|4|index");
  app.add_flag("--stats", flags->stats, "what looking for the path took");
  app.add_flag("--small", flags->small, "make a smaller index of a recording that has none");
  app.add_flag("--no-keep", flags->no_keep, "do not write the index beside the recording");
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_paths(*flags); };
}

}  // namespace twinrun
