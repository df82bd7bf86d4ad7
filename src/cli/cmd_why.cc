// SPDX-License-Identifier: MIT
#include "cli/command_text.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "explain/why.h"
#include "report/why.h"
#include "trace/reader.h"

#include <memory>

namespace twinrun {
namespace {

constexpr int kExitBisectSkip = 125;  // git bisect: this revision cannot be tested

struct WhyFlags {
  std::string a;
  std::string b;
  std::vector<std::string> allocators;
  std::string output;
  uint32_t limit = 400;
  bool no_normalization = false;
  bool all = false;
  bool dot = false;
  bool json = false;
  bool bisect = false;
};

Result<int> run_why(const WhyFlags& flags) {
  WhyOptions options{.limit = flags.limit, .normalizes = !flags.no_normalization};
  for (const std::string& text : flags.allocators) {
    TRY(const std::vector<AllocatorRule> rules, parse_allocator(text));
    options.allocators.insert(options.allocators.end(), rules.begin(), rules.end());
  }
  if (!flags.output.empty()) {
    const size_t colon = flags.output.rfind(':');
    options.wrong_output =
        WrongOutput{flags.output.substr(0, colon), std::stoull(flags.output.substr(colon + 1))};
  }
  TRY(const std::string path_a, recording_or_command(flags.a));
  TRY(const std::string path_b, recording_or_command(flags.b));
  TRY(const auto a, Reader::open(path_a));
  TRY(const auto b, Reader::open(path_b));
  Binaries binaries_a(*a);
  Binaries binaries_b(*b);
  Progress progress("aligning", a->blocks());
  options.progress = [&](uint64_t done) { progress.update(done); };
  TRY(const WhyReport report, why(*a, binaries_a, *b, binaries_b, options));
  progress.finish();
  WhyView view{.all = flags.all};
  // What was recorded just now is the newest, and the one before.
  const bool are_new = path_a != flags.a && flags.a.find(' ') != std::string::npos &&
                       flags.b.find(' ') != std::string::npos;
  view.next_a = are_new ? "@1" : flags.a;
  view.next_b = are_new ? "@" : flags.b;
  print_out(flags.json ? why_json(report) : flags.dot ? why_dot(report) : why_text(report, view));
  print_warnings(binaries_b.warnings());
  for (const auto* reader : {a.get(), b.get()})
    if (reader->is_prefix())
      print_note(fmt::format("{} is a prefix: {}", reader->path(), reader->prefix_note()));
  return report.outcome == WhyReport::Outcome::kDifferent ? kExitDifferent : kExitSame;
}

}  // namespace

Run setup_why(CLI::App& app) {
  const auto flags = std::make_shared<WhyFlags>();
  app.add_option("a", flags->a, "the run that is right: a recording, or a command to record")
      ->required();
  app.add_option("b", flags->b, "the run that is wrong: a recording, or a command to record")
      ->required();
  app.add_flag("--all", flags->all, "print the whole graph, too");
  app.add_option("--limit", flags->limit, "stop at N nodes (default 400)")->type_name("N");
  app.add_option("--output", flags->output, "wrong byte")->type_name("FD:OFFSET");
  app.add_flag("--no-normalization", flags->no_normalization, "compare pointers as numbers");
  app.add_option("--allocator", flags->allocators, "a function that allocates, as for mem")
      ->type_name("NAME[:SIZE[:FREE[:POINTER]]]");
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
