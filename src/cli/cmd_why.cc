// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "explain/why.h"
#include "report/why.h"
#include "trace/reader.h"

#include <memory>

namespace twinrun {
namespace {

struct WhyFlags {
  std::string a;
  std::string b;
  bool json = false;
  bool no_normalization = false;
  bool all = false;
};

Result<int> run_why(const WhyFlags& flags) {
  TRY(const std::string path_a, resolve_recording(flags.a));
  TRY(const std::string path_b, resolve_recording(flags.b));
  TRY(const auto a, Reader::open(path_a));
  TRY(const auto b, Reader::open(path_b));
  Binaries binaries_a(*a);
  Binaries binaries_b(*b);
  WhyOptions options{.normalizes = !flags.no_normalization};
  TRY(const WhyReport report, why(*a, binaries_a, *b, binaries_b, options));
  print_out(flags.json ? why_json(report) : why_text(report, {.all = flags.all}));
  return report.outcome == WhyReport::Outcome::kDifferent ? kExitDifferent : kExitSame;
}

}  // namespace

Run setup_why(CLI::App& app) {
  const auto flags = std::make_shared<WhyFlags>();
  app.add_option("a", flags->a, "the first recording")->required();
  app.add_option("b", flags->b, "the second recording")->required();
  app.add_flag("--no-normalization", flags->no_normalization, "compare pointers as numbers");
  app.add_flag("--all", flags->all, "print the whole graph, too");
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_why(*flags); };
}

}  // namespace twinrun
