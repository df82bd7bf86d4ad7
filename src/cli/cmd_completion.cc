// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/completion/scripts.h"
#include "cli/terminal.h"

#include <memory>

namespace twinrun {
namespace {

Result<int> run_completion(const std::string& shell) {
  if (shell == "bash") {
    print_bytes(bash_completion());
  } else if (shell == "zsh") {
    print_bytes(zsh_completion());
  } else if (shell == "fish") {
    print_bytes(fish_completion());
  } else {
    return std::unexpected(Error{"C003",
                                 shell.empty() ? std::string("completion needs the name of a shell")
                                               : fmt::format("no completion for '{}'", shell),
                                 "there is bash, zsh and fish",
                                 {}});
  }
  return kExitSame;
}

}  // namespace

Action setup_completion(FlagSet& app) {
  const auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "bash, zsh or fish");
  return [shell](const Words&) { return run_completion(*shell); };
}

}  // namespace twinrun
