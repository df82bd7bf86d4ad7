// SPDX-License-Identifier: MIT
#include "base/suggest.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/pager.h"
#include "cli/parse.h"
#include "cli/terminal.h"
#include "report/json.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <string_view>

namespace twinrun {
namespace {

int finish(int exit_code, int trouble) {
  if (close_stdout()) return exit_code;
  print_error({"C006", "cannot write to standard output", "is the disk full?", {}});
  return trouble;
}

/// Also of words that could not be parsed. Where --json is there, --format json is the same.
bool wants_json(const FlagSet& flags, const Words& words) {
  if (std::ranges::find(words, "--json") != words.end()) return true;
  if (find_flag(flags, "--json") == nullptr) return false;
  return std::ranges::find(words, "--format=json") != words.end() ||
         std::ranges::search(words, Words{"--format", "json"}).begin() != words.end();
}

int run_command(const Command& command, const Words& words) {
  const bool runs_program = command.operand == Operand::kProgram;
  const int trouble = runs_program ? kExitRecordTrouble : kExitTrouble;
  // The program's own messages share the terminal with ours.
  const std::string_view prefix = runs_program ? "twinrun: " : "";
  if (!runs_program) Pager::instance().allow();
  FlagSet flags;
  const auto failed = [&](const Error& error) {
    print_error(error, prefix);
    if (!runs_program && wants_json(flags, words)) print_out(error_json(command.name, error));
    return finish(trouble, trouble);
  };

  const Action run = declare_flags(command, flags);
  const Result<Parsed> parsed = parse_arguments(flags, command, words);
  if (!parsed) return failed(parsed.error());
  if (parsed->wants_help) {
    print_out(command_help(command));
    return finish(kExitSame, trouble);
  }
  const Result<int> exit_code = run(parsed->program);
  if (!exit_code) return failed(exit_code.error());
  return finish(*exit_code, trouble);
}

int run_main(const Words& words) {
  if (words.empty()) {
    static_cast<void>(fputs(overview_text().c_str(), stderr));
    return kExitTrouble;
  }
  const std::string& verb = words[0];
  if (verb == "--help" || verb == "-h") {
    print_out(overview_text());
    return finish(kExitSame, kExitTrouble);
  }
  if (verb == "--version" || verb == "-V") {
    print_out(fmt::format("twinrun {}\n", kVersion));
    return finish(kExitSame, kExitTrouble);
  }
  const Command* command = find_command(verb);
  if (command == nullptr) {
    const bool is_flag = verb.starts_with("-");
    std::vector<std::string> candidates = command_names();
    if (is_flag) candidates = {"--help", "--version", "-V"};
    std::string help = did_you_mean(verb, candidates);
    if (help.empty()) help = "twinrun --help lists the verbs";
    print_error({is_flag ? "C002" : "C001",
                 fmt::format("twinrun has no {} '{}'", is_flag ? "flag" : "verb", verb),
                 help,
                 {}});
    return kExitTrouble;
  }
  if (command->parts != nullptr && words.size() > 1 && !words[1].starts_with("-")) {
    const Result<const Command*> part = find_part(*command, words[1]);
    if (part) return run_command(**part, {words.begin() + 2, words.end()});
    print_error(part.error());
    return kExitTrouble;
  }
  return run_command(*command, {words.begin() + 1, words.end()});
}

/// Says so by itself: what says it otherwise takes more stack than there is.
bool has_stack() {
  constexpr rlim_t kLeast = rlim_t{112} << 10;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kLeast) return true;
  for (const std::string_view part : {"error[", "C009", "]: the limit on the stack is too low\n",
                                      "= help: ulimit -s 128 or more\n"}) {
    [[maybe_unused]] const ssize_t wrote = write(STDERR_FILENO, part.data(), part.size());
  }
  return false;
}

}  // namespace
}  // namespace twinrun

int main(int argc, char** argv) {
  if (!twinrun::has_stack()) return twinrun::kExitRecordTrouble;
  // Our code throws nothing; what a library throws at us is our bug.
  try {
    return twinrun::run_main(twinrun::Words(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& error) {
    twinrun::print_error({"I001", error.what(), "this is a defect of twinrun", {}});
    return twinrun::kExitInternal;
  }
}
