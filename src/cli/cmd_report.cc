// SPDX-License-Identifier: MIT
#include "base/escape.h"
#include "cli/command_text.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/progress_plans.h"
#include "cli/terminal.h"
#include "cli/why_flags.h"
#include "explain/answer/page_data.h"
#include "report/page.h"
#include "trace/reader.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace twinrun {
namespace {

struct ReportFlags {
  std::string a;
  std::string b;
  std::string output;
  bool force = false;
  bool no_normalization = false;
  TargetFlags target;
  FileFlags files;
  bool json = false;
};

Result<int> run_report(const ReportFlags& flags) {
  if (flags.output.empty() && !flags.json)
    return std::unexpected(
        Error{"C004", "report needs a file to write", "twinrun report A B -o FILE.html", {}});
  // Before the work, not after it.
  if (!flags.json) {
    TRY_VOID(OutputFile::check(flags.output, flags.force));
  }
  WhyOptions why_options{.normalizes = !flags.no_normalization};
  TRY(why_options.target, target_choice(flags.target));
  TRY(const SourceDirectories directories, source_directories(flags.files));
  TRY(const DebugDirectories debug, debug_directories(flags.files));
  TRY(const auto named, recordings_or_commands(flags.a, flags.b));
  TRY(const auto runs, RunPair::open(named.first.path, named.second.path, debug));
  Progress progress(report_stages());
  why_options.work = progress.sink();
  // The answer and the rest of the page share it.
  TRY_VOID(runs->align(kPageDivergences, why_options.work, RunPair::Places::kYes));
  TRY(WhyAnswer answer, kept_why(*runs, why_options));
  PageOptions options;
  options.work = progress.sink();
  TRY(const PageData data, page_data(std::move(answer.report), *runs, options));
  progress.finish();
  SourceText sources = sources_of(*runs, directories);
  const PageSources shown = page_sources(data.files, sources, {});
  if (flags.json) {
    print_out(page_json(data, shown, sources, {}));
  } else {
    TRY(const auto file, OutputFile::create(flags.output, flags.force));
    file->write(page_html(data, shown, sources, {}));
    TRY_VOID(file->finish());
    print_out(escape_for_terminal(flags.output) + "\n");
  }
  // Those of the answer first, then what the rest of the page found missing.
  for (std::string& warning : runs->a().binaries().warnings())
    if (std::ranges::find(answer.warnings, warning) == answer.warnings.end())
      answer.warnings.push_back(std::move(warning));
  print_warnings(answer.warnings);
  return data.why.outcome == WhyReport::Outcome::kDifferent ? kExitDifferent : kExitSame;
}

}  // namespace

Action setup_report(FlagSet& app) {
  const auto flags = std::make_shared<ReportFlags>();
  app.add_option("a", flags->a, "the run that is right: a recording, or a command to record")
      ->required();
  app.add_option("b", flags->b, "the run that is wrong: a recording, or a command to record")
      ->required();
  app.add_option("-o,--output", flags->output, "the file to write")->type_name("FILE");
  app.add_flag("--force", flags->force, "replace an existing file");
  add_target_flags(app, flags->target, OutputFlag::kNone);
  add_file_flags(app, flags->files);
  app.add_flag("--no-normalization", flags->no_normalization, "compare pointers as numbers");
  app.add_flag("--json", flags->json, "print the page's data as JSON and write no page");
  return [flags](const Words&) { return run_report(*flags); };
}

}  // namespace twinrun
