// SPDX-License-Identifier: MIT
#include "base/suggest.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/terminal.h"

#include <memory>

namespace twinrun {
namespace {

struct HelpFlags {
  std::string verb;
  std::string part;
  bool json = false;
};

Result<int> run_help(const HelpFlags& flags) {
  const Command* command = find_command(flags.verb);
  if (!flags.verb.empty() && command == nullptr) {
    std::string help = did_you_mean(flags.verb, command_names());
    if (help.empty()) help = "twinrun --help lists the verbs";
    return std::unexpected(
        Error{"C001", fmt::format("twinrun has no verb '{}'", flags.verb), std::move(help), {}});
  }
  if (!flags.part.empty()) {
    TRY(command, find_part(*command, flags.part));
  }
  if (flags.json) {
    std::vector<Verb> verbs;
    if (command != nullptr) verbs.push_back(describe_verb(*command));
    if (command == nullptr)
      for (const Command& each : commands()) verbs.push_back(describe_verb(each));
    print_out(verbs_json(verbs));
  } else {
    print_out(command == nullptr ? overview_text() : command_help(*command));
  }
  return kExitSame;
}

}  // namespace

Action setup_help(FlagSet& app) {
  const auto flags = std::make_shared<HelpFlags>();
  app.add_option("verb", flags->verb, "the verb to explain");
  app.add_option("part", flags->part, "the part of the verb to explain");
  app.add_flag("--json", flags->json, "print verbs and flags as JSON");
  return [flags](const Words&) { return run_help(*flags); };
}

}  // namespace twinrun
