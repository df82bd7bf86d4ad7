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
  if (flags.json) {
    std::vector<Verb> verbs;
    for (const Command& each : commands()) {
      if (command == nullptr || command == &each) verbs.push_back(describe_verb(each));
    }
    print_out(verbs_json(verbs));
  } else {
    print_out(command == nullptr ? overview_text() : command_help(*command));
  }
  return kExitSame;
}

}  // namespace

Run setup_help(CLI::App& app) {
  const auto flags = std::make_shared<HelpFlags>();
  app.add_option("verb", flags->verb, "the verb to explain");
  app.add_flag("--json", flags->json, "print verbs and flags as JSON");
  return [flags](const Words&) { return run_help(*flags); };
}

}  // namespace twinrun
