// SPDX-License-Identifier: MIT
#include "align/align.h"

#include "base/files.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/progress_plans.h"
#include "cli/recording_pair.h"
#include "cli/terminal.h"
#include "report/align.h"

#include <memory>
#include <sstream>

namespace twinrun {
namespace {

struct AlignFlags {
  std::string a;
  std::string b;
  std::string anchor;
  std::string ignore;
  std::string loops;
  uint32_t thread = 0;
  uint32_t process = 0;
  uint32_t limit = 20;
  bool only_exe = false;
  bool regions = false;
  bool json = false;
};

constexpr uint32_t kBranchesWithValues = 10;

/// One place a line; '#' begins a comment.
Result<std::vector<std::string>> read_places(const std::string& path) {
  TRY(const Bytes contents, read_file(path));
  std::istringstream in(std::string(contents.begin(), contents.end()));
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) {
    line.resize(std::min(line.size(), line.find('#')));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0)
      line.pop_back();
    if (!line.empty()) out.push_back(line);
  }
  return out;
}

Result<int> run_align(const AlignFlags& flags) {
  TRY(const auto runs, open_recordings(flags.a, flags.b));
  const uint32_t limit = flags.limit == 0 ? ~0u : flags.limit;
  AlignOptions options{.anchor = flags.anchor == "start" ? "" : flags.anchor,
                       .regions = flags.regions,
                       .divergences = flags.json ? limit : 1,
                       .only_program = flags.only_exe};
  if (!flags.ignore.empty()) {
    TRY(options.ignored, read_places(flags.ignore));
  }
  if (flags.thread != 0) options.thread = ThreadNo{flags.thread};
  if (flags.process != 0) options.process = ProcessId{flags.process};
  options.loops = loops_of(flags.loops);
  Progress progress(align_stages());
  options.work = progress.sink();
  TRY(AlignReport report, align(*runs, options));
  tell_branch_values(*runs, report, kBranchesWithValues);
  progress.finish();
  const AlignView view{flags.regions, limit};
  print_out(flags.json ? align_json(report, view) : align_text(report, view, position_form(*runs)));
  print_notes(*runs);
  return report.is_same() ? kExitSame : kExitDifferent;
}

}  // namespace

Action setup_align(FlagSet& app) {
  const auto flags = std::make_shared<AlignFlags>();
  app.add_option("a", flags->a, "the first recording")->required();
  app.add_option("b", flags->b, "the second recording")->required();
  app.add_option("--anchor", flags->anchor, "where both begin: start, first-input or a function")
      ->type_name("POINT")
      ->words({"start", "first-input"});
  app.add_flag("--regions", flags->regions, "list the aligned and disaligned regions");
  app.add_flag("--only-exe", flags->only_exe, "show divergences of the program itself only");
  app.add_option("--ignore", flags->ignore, "do not show divergences at the places in this file")
      ->type_name("FILE");
  app.add_option("--process", flags->process, "only this process of the first recording")
      ->type_name("N");
  app.add_option("--thread", flags->thread, "only the threads of this number")->type_name("N");
  add_loops_flag(app, flags->loops);
  app.add_option("--limit", flags->limit, "show N rows of each list; 0: all")->type_name("N");
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_align(*flags); };
}

}  // namespace twinrun
