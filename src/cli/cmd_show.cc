// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/terminal.h"
#include "cli/why_flags.h"
#include "report/show.h"

#include <memory>

namespace twinrun {
namespace {

struct ShowVerbFlags {
  WhyFlags why;
  std::string id;
  std::string a;
  std::string b;
  bool json = false;
};

Result<int> run_show(const ShowVerbFlags& flags) {
  TRY(const WhyOptions options, why_options(flags.why));
  TRY(const SourceDirectories directories, source_directories(flags.why.files));
  TRY(const DebugDirectories debug, debug_directories(flags.why.files));
  TRY(const auto runs, open_recordings(flags.a, flags.b, debug));
  TRY(const WhyAnswer answer, explain_pair(*runs, options));
  const WhyReport& report = answer.report;
  SourceText sources = sources_of(*runs, directories);
  TRY(const Shown shown, find_shown(report, sources, flags.id));
  print_out(flags.json ? show_json(report, sources, shown)
                       : show_text(report, sources, shown, position_form(*runs)));
  print_notes(*runs, answer.warnings, sources);
  return kExitSame;
}

}  // namespace

Action setup_show(FlagSet& app) {
  const auto flags = std::make_shared<ShowVerbFlags>();
  app.add_option("id", flags->id, "D2 of the answer, or N12 of the graph")->required();
  app.add_option("a", flags->a, "the first recording")->required();
  app.add_option("b", flags->b, "the second recording")->required();
  add_why_flags(app, flags->why);
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_show(*flags); };
}

}  // namespace twinrun
