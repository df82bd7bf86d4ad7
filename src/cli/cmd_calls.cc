// SPDX-License-Identifier: MIT
#include "calls/calls.h"
#include "cli/commands.h"
#include "cli/file_flags.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "memory/allocations.h"
#include "report/calls.h"
#include "trace/reader.h"

#include <memory>

namespace twinrun {
namespace {

struct CallsFlags {
  std::string name = "@";
  std::string function;
  std::string range;
  uint32_t depth = 0;
  uint32_t process = 0;
  uint32_t thread = 0;
  uint32_t limit = CallOptions{}.limit;
  uint32_t fold = CallOptions{}.fold;
  bool all_modules = false;
  bool registers = false;
  bool stack = false;
  bool no_values = false;
  FileFlags files;
  bool json = false;
  bool allocations = false;
  std::vector<std::string> allocators;
};

Result<int> run_allocations(const CallsFlags& flags, Run& run) {
  const Reader& reader = run.reader();
  AllocationOptions options;
  if (flags.process != 0) options.process = ProcessId{flags.process};
  for (const std::string& text : flags.allocators) {
    TRY(const auto rules, parse_allocator(text));
    options.more.insert(options.more.end(), rules.begin(), rules.end());
  }
  Progress progress("following allocations", reader.instructions());
  options.progress = [&](uint64_t done) { progress.update(done); };
  TRY(const AllocationReport report, allocations(run, options));
  progress.finish();
  const size_t limit = flags.limit == 0 ? ~size_t{0} : flags.limit;
  print_out(flags.json ? allocations_json(report) : allocations_text(report, limit));
  if (reader.is_prefix())
    print_note(fmt::format("the recording is a prefix: {}", reader.prefix_note()));
  return kExitSame;
}

Result<CallOptions> options_of(const CallsFlags& flags, const Reader& reader) {
  CallOptions options{.function = flags.function,
                      .limit = flags.limit == 0 ? ~0u : flags.limit,
                      .fold = flags.fold,
                      .all_modules = flags.all_modules,
                      .registers = flags.registers,
                      .values = !flags.no_values,
                      .stack = flags.stack};
  if (flags.depth != 0) options.depth = flags.depth;
  if (flags.process != 0) options.process = ProcessId{flags.process};
  if (flags.thread != 0) options.thread = ThreadNo{flags.thread};
  if (flags.range.empty()) return options;
  Position defaults;
  if (!reader.processes().empty()) defaults.process = {reader.processes().begin()->first};
  if (options.process) defaults.process = *options.process;
  if (options.thread) defaults.thread = *options.thread;
  TRY(options.range, parse_range(flags.range, defaults));
  return options;
}

Result<int> run_calls(const CallsFlags& flags) {
  TRY(const DebugDirectories debug, debug_directories(flags.files));
  TRY(const std::string path, resolve_recording(flags.name));
  TRY(const auto run, Run::open(path, debug));
  const Reader& reader = run->reader();
  if (flags.allocations || !flags.allocators.empty()) return run_allocations(flags, *run);
  TRY(CallOptions options, options_of(flags, reader));
  Progress progress("following calls", reader.instructions());
  options.progress = [&](uint64_t done) { progress.update(done); };
  TRY(const CallReport report, calls(*run, options));
  progress.finish();
  print_out(flags.json ? calls_json(report) : calls_text(report, shortest_form(reader)));
  print_warnings(run->binaries().warnings());
  if (!report.has_values && !flags.no_values)
    print_note("the recording has no values: arguments and results are not known");
  if (reader.is_prefix())
    print_note(fmt::format("the recording is a prefix: {}", reader.prefix_note()));
  return kExitSame;
}

}  // namespace

Action setup_calls(FlagSet& app) {
  const auto flags = std::make_shared<CallsFlags>();
  app.add_option("name", flags->name, "the recording, by default the newest");
  app.add_option("--function", flags->function, "only calls of this function, and what they call")
      ->type_name("NAME");
  app.add_option("--depth", flags->depth, "show N levels")->type_name("N");
  app.add_option("--range", flags->range, "only calls in these steps: FROM..TO or FROM..+COUNT")
      ->type_name("RANGE");
  app.add_option("--process", flags->process, "only this process")->type_name("N");
  app.add_option("--thread", flags->thread, "only this thread")->type_name("N");
  app.add_option("--limit", flags->limit, "show N rows; 0: all")->type_name("N");
  app.add_option("--fold", flags->fold, "show N calls from one place, then count them; 0: all")
      ->type_name("N");
  app.add_flag("--all-modules", flags->all_modules, "also what libraries call themselves");
  app.add_flag("--registers", flags->registers, "integer registers where parameters are unknown");
  app.add_flag("--stack", flags->stack, "also the callers of each call");
  app.add_flag("--no-values", flags->no_values, "no arguments and results: faster");
  app.add_flag("--allocations", flags->allocations, "where memory was allocated, instead");
  app.add_option("--allocator", flags->allocators, "with --allocations: another allocator")
      ->type_name("NAME[:SIZE[:FREE[:POINTER]]]")
      ->one_at_a_time();
  add_debug_flag(app, flags->files);
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_calls(*flags); };
}

}  // namespace twinrun
