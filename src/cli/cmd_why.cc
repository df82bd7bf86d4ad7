// SPDX-License-Identifier: MIT
#include "cli/command_text.h"
#include "cli/commands.h"
#include "cli/seconds.h"
#include "cli/terminal.h"
#include "cli/why_flags.h"
#include "report/why.h"

#include <memory>

namespace twinrun {
namespace {

constexpr int kExitBisectSkip = 125;  // git bisect: this revision cannot be tested

struct WhyVerbFlags {
  WhyFlags why;
  std::string a;
  std::string b;
  std::string timeout = "0";
  bool all = false;
  bool dot = false;
  bool json = false;
  bool bisect = false;
};

Result<int> run_why(const WhyVerbFlags& flags) {
  TRY(const WhyOptions options, why_options(flags.why));
  TRY(const double timeout, parse_seconds("--timeout", flags.timeout));
  TRY(const auto named, recordings_or_commands(flags.a, flags.b, timeout));
  TRY(const auto runs, RunPair::open(named.first.path, named.second.path));
  TRY(const WhyAnswer answer, explain_pair(*runs, options));
  const WhyReport& report = answer.report;
  WhyView view{.style = stdout_style(),
               .width = output_width(),
               .all = flags.all,
               .next_flags = target_words(flags.why.target)};
  view.next_a = named.first.name;
  view.next_b = named.second.name;
  print_out(flags.json ? why_json(report) : flags.dot ? why_dot(report) : why_text(report, view));
  print_notes(*runs, answer.warnings);
  return report.outcome == WhyReport::Outcome::kSame ? kExitSame : kExitDifferent;
}

}  // namespace

Action setup_why(FlagSet& app) {
  const auto flags = std::make_shared<WhyVerbFlags>();
  app.add_option("a", flags->a, "the run that is right: a recording, or a command to record")
      ->required();
  app.add_option("b", flags->b, "the run that is wrong: a recording, or a command to record")
      ->required();
  add_why_flags(app, flags->why);
  app.add_option("--timeout", flags->timeout, "kill a command that has run for this long")
      ->type_name("SECONDS");
  app.add_flag("--all", flags->all, "print the whole graph, too");
  app.add_flag("--bisect", flags->bisect, "exit with 125 on trouble, for git bisect run");
  app.add_flag("--dot", flags->dot, "print the graph for graphviz");
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) -> Result<int> {
    Result<int> status = run_why(*flags);
    if (status || !flags->bisect) return status;
    print_error(status.error(), "twinrun: ");
    return kExitBisectSkip;
  };
}

}  // namespace twinrun
