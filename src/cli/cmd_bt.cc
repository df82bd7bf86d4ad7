// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/file_flags.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "report/backtrace.h"
#include "run/source_position.h"
#include "trace/reader.h"

#include <memory>

namespace twinrun {
namespace {

struct BtFlags {
  std::string name = "@";
  std::string at;
  uint32_t thread = 0;
  uint32_t process = 0;
  uint32_t limit = 50;
  FileFlags files;
  bool json = false;
};

/// The one that died of a signal, else what the first process has become by exec in the end.
ProcessId process_to_show(const Reader& reader) {
  const auto& processes = reader.processes();
  if (processes.empty()) return {};
  uint32_t last = processes.begin()->first;
  for (const auto& [number, process] : processes) {
    if (process.end && process.end->how == EndKind::kKilled) return {number};
    if (process.info.pid == processes.begin()->second.info.pid) last = number;
  }
  return {last};
}

/// The last instruction of the thread: where it died, when it did.
Result<Position> end_of(const Reader& reader, const Position& of) {
  const Process* process = reader.process(of.process.value);
  if (process == nullptr) return fail("T008", "there is no process {}", of.process.value);
  const auto steps = process->thread_steps.find(of.thread.value);
  if (steps == process->thread_steps.end() || steps->second == 0)
    return fail("T008", "process {} has no thread {} that executed anything", of.process.value,
                of.thread.value);
  Position out = of;
  out.step = Step{steps->second - 1};
  return out;
}

Result<int> run_bt(const BtFlags& flags) {
  TRY(const DebugDirectories debug, debug_directories(flags.files));
  TRY(const std::string path, resolve_recording(flags.name));
  TRY(const auto run, Run::open(path, debug));
  const Reader& reader = run->reader();
  Progress progress("following calls", Progress::kUnknown);
  Position at;
  at.process = flags.process != 0 ? ProcessId{flags.process} : process_to_show(reader);
  if (flags.thread != 0) at.thread = ThreadNo{flags.thread};
  if (flags.at.empty()) {
    TRY(at, end_of(reader, at));
  } else {
    TRY(at, find_position(flags.at, *run, at));
  }
  TRY(const Backtrace trace, backtrace(*run, at));
  progress.finish();
  print_out(flags.json ? backtrace_json(trace)
                       : backtrace_text(trace, shortest_form(reader), flags.limit));
  print_warnings(run->binaries().warnings());
  return kExitSame;
}

}  // namespace

Action setup_bt(FlagSet& app) {
  const auto flags = std::make_shared<BtFlags>();
  app.add_option("name", flags->name, "the recording, by default the newest");
  app.add_option("--at", flags->at,
                 "the instruction in front of which to look, by default the last")
      ->type_name("STEP|FILE:LINE|FUNCTION");
  app.add_option("--process", flags->process, "without --at: of this process")->type_name("N");
  app.add_option("--thread", flags->thread, "without --at: of this thread")->type_name("N");
  app.add_option("--limit", flags->limit, "show N frames; 0: all, those behind main too")
      ->type_name("N");
  add_debug_flag(app, flags->files);
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_bt(*flags); };
}

}  // namespace twinrun
