// SPDX-License-Identifier: MIT
#include "align/mem.h"
#include "cli/commands.h"
#include "cli/file_flags.h"
#include "cli/progress.h"
#include "cli/progress_plans.h"
#include "cli/recording_pair.h"
#include "cli/terminal.h"
#include "report/mem.h"

#include <memory>

namespace twinrun {
namespace {

struct MemFlags {
  std::string a;
  std::string b;
  std::string at;
  std::string loops;
  uint32_t divergences = MemOptions{}.divergences;
  uint32_t limit = MemView{}.limit;
  bool every_divergence = false;
  bool online = false;
  bool symbolic = false;
  bool only_exe = false;
  FileFlags files;
  bool json = false;
  std::vector<std::string> allocators;
};

Result<int> run_mem(const MemFlags& flags) {
  TRY(const DebugDirectories debug, debug_directories(flags.files));
  if (flags.at.empty() == !flags.every_divergence)
    return fail("C008", "one of --at and --every-divergence must be given, and not both");
  TRY(const auto runs, open_recordings(flags.a, flags.b, debug));
  runs->pair_loops(loops_of(flags.loops));
  MemOptions options{.at = flags.at,
                     .divergences = flags.divergences == 0 ? ~0u : flags.divergences,
                     .online = flags.online,
                     .symbolic = flags.symbolic};
  for (const std::string& text : flags.allocators) {
    TRY(const auto rules, parse_allocator(text));
    options.allocators.insert(options.allocators.end(), rules.begin(), rules.end());
  }
  Progress progress(mem_stages());
  options.work = progress.sink();
  TRY(const MemReport report, mem(*runs, options));
  progress.finish();
  const MemView view{flags.limit == 0 ? ~size_t{0} : flags.limit, flags.only_exe};
  print_out(flags.json ? mem_json(report, view) : mem_text(report, view, position_form(*runs)));
  print_notes(*runs);
  return report.is_same() ? kExitSame : kExitDifferent;
}

}  // namespace

Action setup_mem(FlagSet& app) {
  const auto flags = std::make_shared<MemFlags>();
  app.add_option("a", flags->a, "the first recording")->required();
  app.add_option("b", flags->b, "the second recording")->required();
  app.add_option("--at", flags->at, "an instruction of the first run that both execute")
      ->type_name("STEP|FILE:LINE|FUNCTION");
  app.add_flag("--every-divergence", flags->every_divergence, "where the runs part, instead");
  app.add_option("--divergences", flags->divergences, "with it: at the first N; 0: all")
      ->type_name("N");
  app.add_flag("--online", flags->online, "compare pointers by where they came from");
  app.add_flag("--symbolic", flags->symbolic, "compare by variables and reference paths, too");
  app.add_flag("--only-exe", flags->only_exe, "leave out the data of libraries");
  app.add_option("--allocator", flags->allocators, "another allocator")
      ->type_name("NAME[:SIZE[:FREE[:POINTER]]]")
      ->one_at_a_time();
  add_loops_flag(app, flags->loops);
  app.add_option("--limit", flags->limit, "show N differences; 0: all")->type_name("N");
  add_debug_flag(app, flags->files);
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_mem(*flags); };
}

}  // namespace twinrun
