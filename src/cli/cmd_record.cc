// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/places.h"
#include "cli/progress.h"
#include "cli/record_from.h"
#include "cli/seconds.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "memory/memory_history.h"
#include "record/program.h"
#include "record/record.h"
#include "report/recorded.h"
#include "trace/writer.h"

#include <unistd.h>

#include <ctime>
#include <memory>

namespace twinrun {
namespace {

struct RecordFlags {
  std::string output;
  bool control_flow_only = false;
  bool follow_memory = false;
  bool no_binaries = false;
  std::string from;
  bool no_pad = false;
  std::string max_size = "0";
  std::string reserve = "0";
  std::string wait = "2";
  std::string timeout = "0";
  bool quiet = false;
  bool verbose = false;
  bool force = false;
  std::string json_file;
  std::vector<std::string> tool_flags;
};

Result<double> parse_wait(const std::string& text) {
  if (text == "all") return -1.0;
  return parse_seconds("--wait", text, "write seconds (0, 2, 0.5) or 'all'");
}

Result<RecordOptions> options_from(const RecordFlags& flags, const Words& program) {
  RecordOptions options;
  options.command = program;
  options.control_flow_only = flags.control_flow_only;
  options.pad_stack = !flags.no_pad;
  options.keep_binaries = !flags.no_binaries;
  TRY(options.max_size, parse_size(flags.max_size));
  TRY(options.reserve, parse_size(flags.reserve));
  TRY(options.wait_seconds, parse_wait(flags.wait));
  TRY(options.timeout, parse_seconds("--timeout", flags.timeout));
  options.tool_flags = flags.tool_flags;
  options.quiet = flags.quiet;
  TRY(options.tool_dir, tool_directory());
  return options;
}

Result<void> write_summary(const std::string& path, bool force, const Recorded& recorded) {
  TRY(const auto file, OutputFile::create(path, force));
  file->write(recorded_json(recorded));
  return file->finish();
}

Recorded summary_of(const RecordOutcome& outcome, const OutputPlace& place, const Words& program) {
  return {.name = place.name,
          .path = outcome.path,
          .command = program,
          .exit_status = outcome.exit_status,
          .term_signal = outcome.term_signal,
          .instructions = outcome.instructions,
          .processes = outcome.processes,
          .size = outcome.bytes,
          .complete = outcome.complete,
          .wall_seconds = outcome.wall_seconds,
          .tool_cpu_seconds = outcome.tool_cpu_seconds,
          .driver_cpu_seconds = outcome.driver_cpu_seconds,
          .tool_max_rss_kb = outcome.tool_max_rss_kb,
          .driver_max_rss_kb = outcome.driver_max_rss_kb,
          .warnings = outcome.warnings};
}

/// Warnings may start with their code: "[W021]: two processes outlived the program".
void print_warning(const std::string& warning) {
  print_note((warning.starts_with('[') ? "warning" : "warning: ") + warning);
}

/// The codes of env(1) for a program that never ran.
int exit_code_of(const Error& error) {
  if (error.code == kErrorNotFound) return kExitNotFound;
  if (error.code == kErrorNotExecutable) return kExitCannotExecute;
  return kExitRecordTrouble;
}

Result<void> add_beginning(const std::string& from, RecordOptions& options) {
  if (from.empty()) return {};
  TRY(const Program program, find_program(options.command[0]));
  options.from = from;
  TRY(options.from_any, find_function_places(program.path, from));
  return {};
}

/// What why would begin with. CPU seconds; the program has run: trouble is a note.
double follow_memory(const std::string& path, bool quiet) {
  const std::clock_t begin = std::clock();
  const auto follow = [&]() -> Result<void> {
    TRY(const auto run, Run::open(path));
    Progress progress("following memory", run->reader().instructions());
    uint64_t before = 0;
    for (const auto& [number, process] : run->reader().processes()) {
      if (process.instructions >= kLeastKeptHistory) {
        TRY(const auto borrowed, run->borrow(number));
        TRY_VOID(memory_history(*borrowed, [&](uint64_t done) { progress.update(before + done); }));
      }
      before += process.instructions;
    }
    progress.finish();
    return {};
  };
  if (const Result<void> done = follow(); !done && !quiet)
    print_note("memory is not followed: " + done.error().message);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

Result<int> run_record(const RecordFlags& flags, const Words& program) {
  if (program.empty()) {
    return std::unexpected(Error{
        "C004", "record needs a program to run", "twinrun record -o NAME -- PROGRAM [ARG...]", {}});
  }
  if (flags.follow_memory && flags.control_flow_only)
    return fail("C008", "--follow-memory needs values, and --control-flow-only records none");
  TRY(RecordOptions options, options_from(flags, program));
  if (!flags.json_file.empty()) {
    TRY_VOID(OutputFile::check(flags.json_file, flags.force));
  }
  if (const Result<void> found = add_beginning(flags.from, options); !found) {
    print_error(found.error(), "twinrun: ");
    return exit_code_of(found.error());
  }
  for (int attempt = 1;; ++attempt) {
    TRY(const OutputPlace place, choose_output(flags.output, program[0], flags.force));
    options.output_path = place.path;
    options.replace = flags.force;
    const Result<RecordOutcome> outcome = record(options);
    if (!outcome) {
      // Two recorders may choose the same free name; the loser has run nothing yet.
      const bool collided = place.chosen && outcome.error().code == kErrorNameTaken;
      if (collided && attempt < kNameAttempts) continue;
      print_error(outcome.error(), "twinrun: ");
      return exit_code_of(outcome.error());
    }
    if (outcome->nothing_recorded) {
      for (const std::string& warning : outcome->warnings) print_warning(warning);
      return outcome->exit_status;
    }
    Recorded recorded = summary_of(*outcome, place, program);
    if (!flags.quiet) {
      for (const std::string& warning : recorded.warnings) print_warning(warning);
      if (flags.verbose || is_terminal(STDERR_FILENO)) print_note(recorded_line(recorded));
    }
    if (flags.follow_memory)
      recorded.memory_cpu_seconds = follow_memory(recorded.path, flags.quiet);
    if (!flags.json_file.empty()) {
      // The program has run: its status is worth more than ours.
      const Result<void> wrote = write_summary(flags.json_file, flags.force, recorded);
      if (!wrote) print_error(wrote.error(), "twinrun: ");
    }
    return recorded.exit_status;
  }
}

}  // namespace

Action setup_record(FlagSet& app) {
  const auto flags = std::make_shared<RecordFlags>();
  app.add_option("-o,--output", flags->output, "name or path of the recording")
      ->type_name("NAME|PATH");
  app.add_flag("--force", flags->force, "replace an existing recording");
  app.add_flag("--control-flow-only", flags->control_flow_only,
               "record no values: smaller and faster, but only control flow can be analysed");
  app.add_flag("--follow-memory", flags->follow_memory,
               "at the end follow allocations, too: why and mem then need not");
  app.add_flag("--no-binaries", flags->no_binaries,
               "do not put the program's own binaries into the recording");
  app.add_option("--from", flags->from, "record nothing before the first call of this function")
      ->type_name("FUNCTION");
  app.add_flag("--no-pad", flags->no_pad, "leave the start of the stack where it falls");
  app.add_option("--max-size", flags->max_size, "stop recording at this size (K, M, G)")
      ->type_name("SIZE");
  app.add_option("--reserve", flags->reserve, "disk space to leave free (K, M, G)")
      ->type_name("SIZE");
  app.add_option("--wait", flags->wait,
                 "how long to record descendants after the program has ended (default 2)")
      ->type_name("SECONDS|all");
  app.add_option("--timeout", flags->timeout, "kill the program when it has run for this long")
      ->type_name("SECONDS");
  app.add_option("--json", flags->json_file, "write a summary as JSON to this file")
      ->type_name("FILE");
  app.add_flag("-q,--quiet", flags->quiet, "print no warnings and no summary line");
  app.add_flag("-v,--verbose", flags->verbose, "print the summary line even without a terminal");
  app.add_option("--tool-flag", flags->tool_flags, "pass a flag to the recorder")
      ->expected(1)
      ->take_all()
      ->hidden();
  return [flags](const Words& program) { return run_record(*flags, program); };
}

}  // namespace twinrun
