// SPDX-License-Identifier: MIT
#include "cli/command_text.h"
#include "cli/commands.h"
#include "cli/seconds.h"
#include "cli/terminal.h"
#include "cli/why_flags.h"
#include "report/sarif.h"
#include "report/source_root.h"
#include "report/why.h"
#include "report/why_github.h"
#include "report/why_junit.h"
#include "report/why_markdown.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace twinrun {
namespace {

constexpr int kExitBisectSkip = 125;  // git bisect: this revision cannot be tested

struct WhyVerbFlags {
  WhyFlags why;
  std::string a;
  std::string b;
  std::string timeout = "0";
  std::string format;
  bool all = false;
  bool dot = false;
  bool json = false;
  bool bisect = false;
};

struct Format {
  std::string_view name;
  std::string (*write)(const WhyReport& report, SourceText& sources, const WhyView& view);
};

constexpr Format kFormats[] = {
    {"text", why_text},
    {"json", [](const WhyReport& report, SourceText& sources,
                const WhyView&) { return why_json(report, sources); }},
    {"markdown", [](const WhyReport& report, SourceText& sources,
                    const WhyView&) { return why_markdown(report, sources); }},
    {"github", [](const WhyReport& report, SourceText& sources,
                  const WhyView&) { return why_github(report, sources, SourceRoot::here()); }},
    {"junit", why_junit},
    {"sarif", [](const WhyReport& report, SourceText& sources,
                 const WhyView&) { return why_sarif(report, sources, SourceRoot::here()); }},
    // Not by this name: it is a flag of its own.
    {"", [](const WhyReport& report, SourceText&, const WhyView&) { return why_dot(report); }},
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : kFormats)
    if (!format.name.empty()) names.emplace_back(format.name);
  return names;
}

/// Before anything is run and recorded.
Result<const Format*> find_format(const WhyVerbFlags& flags) {
  const bool has_other = flags.dot || (flags.json && flags.format != "json");
  if (!flags.format.empty() && has_other)
    return fail("C008", "only one of --format, --json and --dot can be given");
  const std::string_view name = flags.json             ? "json"
                                : flags.dot            ? ""
                                : flags.format.empty() ? "text"
                                                       : std::string_view(flags.format);
  return std::ranges::find(kFormats, name, &Format::name);
}

Result<int> run_why(const WhyVerbFlags& flags) {
  TRY(const Format* const format, find_format(flags));
  TRY(const WhyOptions options, why_options(flags.why));
  TRY(const SourceDirectories directories, source_directories(flags.why.files));
  TRY(const DebugDirectories debug, debug_directories(flags.why.files));
  TRY(const double timeout, parse_seconds("--timeout", flags.timeout));
  TRY(const auto named, recordings_or_commands(flags.a, flags.b, timeout));
  TRY(const auto runs, RunPair::open(named.first.path, named.second.path, debug));
  TRY(const WhyAnswer answer, explain_pair(*runs, options));
  const WhyReport& report = answer.report;
  SourceText sources = sources_of(*runs, directories);
  const bool is_text = format->name == "text";
  WhyView view{.style = is_text ? stdout_style() : Style{},
               .width = is_text ? output_width() : WhyView{}.width,
               .all = flags.all,
               .next_flags = target_words(flags.why.target)};
  view.next_a = named.first.name;
  view.next_b = named.second.name;
  print_out(format->write(report, sources, view));
  print_notes(*runs, answer.warnings, sources);
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
  app.add_option("--format", flags->format,
                 "print text, or json, markdown, github, junit or sarif for other tools")
      ->type_name("FORMAT")
      ->one_of(format_names());
  app.add_flag("--json", flags->json, "as --format json");
  return [flags](const Words&) -> Result<int> {
    Result<int> status = run_why(*flags);
    if (status || !flags->bisect) return status;
    print_error(status.error(), "twinrun: ");
    return kExitBisectSkip;
  };
}

}  // namespace twinrun
