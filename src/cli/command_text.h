// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace twinrun {

/// A command as it is started.
struct CommandLine {
  std::vector<std::string> variables;  // "NAME=value", set for it alone
  std::vector<std::string> words;
};

/// Reads a command as a shell would: variables in front, blanks, quotes and backslashes. One that
/// needs a shell for more than that, or is to have one, becomes {"/bin/sh", "-c", text}. C003 for
/// an open quote.
Result<CommandLine> read_command(std::string_view text, bool in_shell = false);

/// The text as one word of a shell's command, in quotes if it needs them.
std::string shell_word(const std::string& text);

/// A run that a user named, and how it can be named again.
struct NamedRun {
  std::string path;
  std::string name;  // as one word of a shell's command
};

/// A recording by its name, or that of a command which is run and recorded now: what holds a blank,
/// or is a program in a directory that is no recording. Its standard output goes to standard error.
Result<std::string> recording_or_command(const std::string& text);

/// Two of them. When one of two commands needs a shell both get one: a shell that only one of the
/// runs has is no difference that anybody asked for. `timeout`: seconds after which a command is
/// killed; 0: never.
Result<std::pair<NamedRun, NamedRun>> recordings_or_commands(const std::string& a,
                                                             const std::string& b,
                                                             double timeout = 0);

}  // namespace twinrun
