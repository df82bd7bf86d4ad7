// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "counts/operations.h"
#include "counts/profile.h"
#include "report/info.h"
#include "run/summary.h"
#include "trace/reader.h"

#include <memory>

namespace twinrun {
namespace {

constexpr size_t kFunctionsShown = 20;
constexpr size_t kOperationsShown = 10;

struct InfoFlags {
  std::string name = "@";
  bool functions = false;
  bool instructions = false;
  bool operations = false;
  uint32_t process = 0;
  bool all = false;
  bool json = false;
};

Result<int> print_profile(Run& run, const InfoFlags& flags) {
  const Reader& reader = run.reader();
  std::vector<uint32_t> processes;
  uint64_t total = 0;
  for (const auto& [number, process] : reader.processes()) {
    if (flags.process != 0 && flags.process != number) continue;
    processes.push_back(number);
    total += process.instructions;
  }
  if (flags.process != 0 && processes.empty())
    return fail("T008", "there is no process {}", flags.process);
  if (flags.operations) {
    Progress progress("counting operations", Progress::kUnknown);
    TRY(const OperationCounts counts, count_operations(reader, processes));
    progress.finish();
    print_out(flags.json ? operations_json(counts)
                         : operations_text(counts, flags.all ? 0 : kOperationsShown));
    return kExitSame;
  }
  Progress progress("counting instructions", Progress::kUnknown);
  TRY(const Profile counts, profile(run, processes));
  progress.finish();
  if (flags.instructions)
    print_out(flags.json ? instructions_json(counts.instructions)
                         : instructions_text(counts.instructions));
  else
    print_out(flags.json
                  ? functions_json(counts.functions, total)
                  : functions_text(counts.functions, total, flags.all ? 0 : kFunctionsShown));
  return kExitSame;
}

Result<int> run_info(const InfoFlags& flags) {
  TRY(const std::string path, resolve_recording(flags.name));
  TRY(const auto run, Run::open(path));
  if (flags.functions || flags.instructions || flags.operations) return print_profile(*run, flags);
  Progress progress("reading", Progress::kUnknown);
  TRY(const RecordingSummary summary, summarize(run->reader()));
  progress.finish();
  print_out(flags.json ? info_json(summary) : info_text(summary, flags.all, stdout_style()));
  return kExitSame;
}

}  // namespace

Action setup_info(FlagSet& app) {
  const auto flags = std::make_shared<InfoFlags>();
  app.add_option("name", flags->name, "the recording, by default the newest");
  app.add_flag("--functions", flags->functions, "show the instructions of each function");
  app.add_flag("--instructions", flags->instructions,
               "show how often each instruction was executed");
  app.add_flag("--operations", flags->operations,
               "show which results are computed and which are in the recording");
  app.add_option("--process", flags->process, "count only this process")->type_name("N");
  app.add_flag("-a,--all", flags->all, "show everything, without limits");
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_info(*flags); };
}

}  // namespace twinrun
