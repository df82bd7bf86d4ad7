// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "report/dump.h"
#include "trace/reader.h"
#include "values/dump.h"

#include <memory>

namespace twinrun {
namespace {

struct DumpFlags {
  std::string name = "@";
  bool instructions = false;
  bool blocks = false;
  bool functions = false;
  bool syscalls = false;
  bool events = false;
  bool ir = false;
  bool data = false;
  bool values = false;
  std::string range;
  uint32_t process = 0;
  uint32_t thread = 0;
  uint64_t limit = 0;
  bool json = false;
};

struct Chosen {
  DumpWhat what;
  std::string_view name;
};

Result<Chosen> choose(const DumpFlags& flags) {
  const std::pair<bool, Chosen> all[] = {
      {flags.instructions, {DumpWhat::kInstructions, "instructions"}},
      {flags.blocks, {DumpWhat::kBlocks, "blocks"}},
      {flags.functions, {DumpWhat::kFunctions, "functions"}},
      {flags.syscalls, {DumpWhat::kSyscalls, "syscalls"}},
      {flags.events, {DumpWhat::kEvents, "events"}},
      {flags.ir, {DumpWhat::kIr, "ir"}}};
  const Chosen* found = nullptr;
  for (const auto& [given, chosen] : all) {
    if (!given) continue;
    if (found != nullptr)
      return fail("C008", "--{} and --{} cannot be given together", found->name, chosen.name);
    found = &chosen;
  }
  return found != nullptr ? *found : all[0].second;
}

Result<DumpOptions> options_of(const DumpFlags& flags, DumpWhat what, const Reader& reader) {
  DumpOptions options{.what = what, .data = flags.data, .values = flags.values};
  if (flags.values && what != DumpWhat::kInstructions)
    return fail("C008", "--values goes with --instructions only");
  if (flags.process != 0) options.process = ProcessId{flags.process};
  if (flags.thread != 0) options.thread = ThreadNo{flags.thread};
  if (flags.range.empty()) return options;
  Position defaults;
  if (!reader.processes().empty()) defaults.process = {reader.processes().begin()->first};
  if (options.process) defaults.process = *options.process;
  if (options.thread) defaults.thread = *options.thread;
  TRY(options.range, parse_range(flags.range, defaults));
  const Process* process = reader.process(options.range->from.process.value);
  if (process == nullptr)
    return fail("T008", "there is no process {}", options.range->from.process.value);
  const auto steps = process->thread_steps.find(options.range->from.thread.value);
  const uint64_t last = steps == process->thread_steps.end() ? 0 : steps->second;
  if (options.range->from.step.value >= last)
    return fail("T008", "thread {} of process {} has only {} instructions",
                options.range->from.thread.value, options.range->from.process.value, last);
  return options;
}

Result<int> run_dump(const DumpFlags& flags) {
  TRY(const Chosen chosen, choose(flags));
  TRY(const std::string path, resolve_recording(flags.name));
  TRY(const auto run, Run::open(path));
  const Reader& reader = run->reader();
  TRY(const DumpOptions options, options_of(flags, chosen.what, reader));
  const PositionForm form = shortest_form(reader);
  if (flags.json) print_out(dump_json_header(chosen.name, path));
  uint64_t rows = 0;
  bool more = false;
  const auto dumped = dump(*run, options, [&](DumpRow&& row) {
    if (flags.limit != 0 && rows == flags.limit) {
      more = true;
      return false;
    }
    ++rows;
    print_out(flags.json ? dump_json(row) : dump_text(row, form));
    return true;
  });
  if (!dumped) return std::unexpected(dumped.error());
  print_warnings(run->binaries().warnings());
  if (more) print_note(fmt::format("stopped at the limit of {}: --limit 0 shows all", rows));
  if (reader.is_prefix())
    print_note(fmt::format("the recording is a prefix: {}", reader.prefix_note()));
  return kExitSame;
}

}  // namespace

Action setup_dump(FlagSet& app) {
  const auto flags = std::make_shared<DumpFlags>();
  app.add_option("name", flags->name, "the recording, by default the newest");
  app.add_flag("--instructions", flags->instructions, "every executed instruction (the default)");
  app.add_flag("--blocks", flags->blocks, "every executed block");
  app.add_flag("--functions", flags->functions, "calls, returns and jumps between functions");
  app.add_flag("--syscalls", flags->syscalls, "system calls with arguments and results");
  app.add_flag("--events", flags->events, "everything that was recorded beside the blocks");
  app.add_flag("--ir", flags->ir, "the IR of each block, at its first execution");
  app.add_flag("--data", flags->data, "with --syscalls: the bytes read and written, too");
  app.add_flag("--values", flags->values,
               "with --instructions: what each read and wrote, source line and variables");
  app.add_option("--range", flags->range, "only these steps: FROM..TO, FROM..+COUNT or AT")
      ->type_name("RANGE");
  app.add_option("--process", flags->process, "only this process")->type_name("N");
  app.add_option("--thread", flags->thread, "only this thread")->type_name("N");
  app.add_option("--limit", flags->limit, "stop after N rows; 0: never (the default)")
      ->type_name("N");
  app.add_flag("--json", flags->json, "print one JSON object per line");
  return [flags](const Words&) { return run_dump(*flags); };
}

}  // namespace twinrun
