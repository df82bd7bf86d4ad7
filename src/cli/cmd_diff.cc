// SPDX-License-Identifier: MIT
#include "align/diff_stat.h"
#include "cli/commands.h"
#include "cli/file_flags.h"
#include "cli/progress.h"
#include "cli/progress_plans.h"
#include "cli/recording_pair.h"
#include "cli/terminal.h"
#include "report/diff.h"

#include <memory>

namespace twinrun {
namespace {

struct DiffFlags {
  std::string a;
  std::string b;
  std::string loops;
  uint32_t limit = DiffView{}.limit;
  bool stat = false;
  bool only_exe = false;
  bool no_values = false;
  FileFlags files;
  bool json = false;
};

Result<int> run_diff(const DiffFlags& flags) {
  TRY(const DebugDirectories debug, debug_directories(flags.files));
  TRY(const auto runs, open_recordings(flags.a, flags.b, debug));
  runs->pair_loops(loops_of(flags.loops));
  const size_t limit = flags.limit == 0 ? ~size_t{0} : flags.limit;
  Progress progress(diff_stages(!flags.no_values));
  const DiffOptions options{.values = !flags.no_values, .work = progress.sink()};
  TRY(const DiffStat stat, diff_stat(*runs, options));
  progress.finish();
  const DiffView view{limit, flags.only_exe};
  print_out(flags.json ? diff_json(stat, view) : diff_text(stat, view));
  print_notes(*runs);
  return stat.is_same() ? kExitSame : kExitDifferent;
}

}  // namespace

Action setup_diff(FlagSet& app) {
  const auto flags = std::make_shared<DiffFlags>();
  app.add_option("a", flags->a, "the first recording")->required();
  app.add_option("b", flags->b, "the second recording")->required();
  app.add_flag("--stat", flags->stat, "by function: the default");
  app.add_flag("--only-exe", flags->only_exe, "show functions of the program itself only");
  app.add_flag("--no-values", flags->no_values, "compare control flow only: faster");
  add_loops_flag(app, flags->loops);
  app.add_option("--limit", flags->limit, "show N functions; 0: all")->type_name("N");
  add_debug_flag(app, flags->files);
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_diff(*flags); };
}

}  // namespace twinrun
