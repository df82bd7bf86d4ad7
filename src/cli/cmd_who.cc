// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/file_flags.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "report/flow.h"
#include "run/source_position.h"
#include "trace/reader.h"
#include "values/slice_report.h"
#include "values/who.h"

#include <memory>

namespace twinrun {
namespace {

struct FlowFlags {
  std::string name = "@";
  std::string at;
  std::string what;
  uint32_t depth = WhoOptions{}.depth;
  uint32_t limit = SliceOptions{}.limit;
  bool no_addresses = false;
  bool no_control = false;
  bool dot = false;
  FileFlags files;
  bool json = false;
};

struct Opened {
  std::unique_ptr<Run> run;
  Position at;
  PositionForm form;
};

Result<Opened> open(const FlowFlags& flags) {
  TRY(const DebugDirectories debug, debug_directories(flags.files));
  TRY(const std::string path, resolve_recording(flags.name));
  TRY(auto run, Run::open(path, debug));
  const Reader& reader = run->reader();
  Position defaults;
  if (!reader.processes().empty()) defaults.process = {reader.processes().begin()->first};
  TRY(const Position at, find_position(flags.at, *run, defaults));
  const PositionForm form = shortest_form(reader);
  return Opened{std::move(run), at, form};
}

Result<int> run_who(const FlowFlags& flags) {
  Progress progress("looking for writers", flags.depth);
  TRY(const Opened opened, open(flags));
  Run& run = *opened.run;
  const WhoOptions options{.depth = flags.depth,
                           .progress = [&](uint64_t hops) { progress.update(hops); }};
  TRY(const WhoReport report, who(run, opened.at, flags.what, options));
  progress.finish();
  print_out(flags.json ? who_json(report) : who_text(report, opened.form));
  print_warnings(run.binaries().warnings());
  return kExitSame;
}

Result<int> run_slice(const FlowFlags& flags) {
  if (flags.dot && flags.json) return fail("C008", "--dot and --json cannot be given together");
  Progress progress("following dependences", Progress::kUnknown);
  TRY(const Opened opened, open(flags));
  Run& run = *opened.run;
  TRY(const SliceReport report,
      backward_slice(
          run, opened.at, flags.what,
          {.limit = flags.limit, .addresses = !flags.no_addresses, .control = !flags.no_control}));
  progress.finish();
  print_out(flags.json  ? slice_json(report)
            : flags.dot ? slice_dot(report, opened.form)
                        : slice_text(report, opened.form));
  print_warnings(run.binaries().warnings());
  return kExitSame;
}

}  // namespace

Action setup_who(FlagSet& app) {
  const auto flags = std::make_shared<FlowFlags>();
  app.add_option("name", flags->name, "the recording, by default the newest");
  app.add_option("--at", flags->at, "the instruction that sees the bytes")
      ->type_name("STEP|FILE:LINE|FUNCTION")
      ->required();
  app.add_option("--what", flags->what, "a register, an address and a length, or a variable")
      ->type_name("REGISTER|ADDRESS[:LENGTH]|VARIABLE")
      ->required();
  app.add_option("--depth", flags->depth, "how many writers back")->type_name("N");
  add_debug_flag(app, flags->files);
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_who(*flags); };
}

Action setup_slice(FlagSet& app) {
  const auto flags = std::make_shared<FlowFlags>();
  app.add_option("name", flags->name, "the recording, by default the newest");
  app.add_option("--at", flags->at, "the instruction to start from")
      ->type_name("STEP|FILE:LINE|FUNCTION")
      ->required();
  app.add_option("--what", flags->what, "start from the writers of these bytes instead")
      ->type_name("REGISTER|ADDRESS[:LENGTH]|VARIABLE");
  app.add_option("--limit", flags->limit, "stop at this many instructions")->type_name("N");
  app.add_flag("--no-addresses", flags->no_addresses, "do not follow what went into addresses");
  app.add_flag("--no-control", flags->no_control, "do not follow what decided about execution");
  app.add_flag("--dot", flags->dot, "print a graph for Graphviz");
  add_debug_flag(app, flags->files);
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_slice(*flags); };
}

}  // namespace twinrun
