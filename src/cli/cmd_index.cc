// SPDX-License-Identifier: MIT
#include "calls/index_report.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "report/index.h"
#include "run/source_position.h"
#include "trace/reader.h"

#include <memory>

namespace twinrun {
namespace {

struct IndexFlags {
  std::string name = "@";
  std::string at;
  std::string find;
  uint32_t process = 0;
  uint32_t thread = 1;
  bool json = false;
};

Result<int> run_index(const IndexFlags& flags) {
  if (flags.at.empty() == flags.find.empty())
    return fail("C008", "one of --at and --find must be given, and not both");
  TRY(const std::string path, resolve_recording(flags.name));
  TRY(const auto run, Run::open(path));
  const Reader& reader = run->reader();
  Position defaults;
  if (!reader.processes().empty()) defaults.process = {reader.processes().begin()->first};
  if (flags.process != 0) defaults.process = {flags.process};
  defaults.thread = {flags.thread};
  Progress progress("following calls", Progress::kUnknown);
  Position at;
  if (!flags.at.empty()) {
    TRY(at, find_position(flags.at, *run, defaults));
  } else {
    TRY(at, position_of_index(*run, flags.find, defaults));
  }
  TRY(const IndexReport report, index_report(*run, at));
  progress.finish();
  print_out(flags.json ? index_json(report) : index_text(report, shortest_form(reader)));
  print_warnings(run->binaries().warnings());
  return kExitSame;
}

}  // namespace

Action setup_index(FlagSet& app) {
  const auto flags = std::make_shared<IndexFlags>();
  app.add_option("name", flags->name, "the recording, by default the newest");
  app.add_option("--at", flags->at, "the instruction")->type_name("STEP|FILE:LINE|FUNCTION");
  app.add_option("--find", flags->find, "the instruction that has this index")->type_name("INDEX");
  app.add_option("--process", flags->process, "the process of --find")->type_name("N");
  app.add_option("--thread", flags->thread, "the thread of --find")->type_name("N");
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_index(*flags); };
}

}  // namespace twinrun
