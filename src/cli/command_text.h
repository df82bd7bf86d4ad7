// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// The words of a command as a shell would split it: blanks, quotes and backslashes. A command that
/// needs a shell for more than that becomes {"/bin/sh", "-c", text}. C003 for an open quote.
Result<std::vector<std::string>> split_command(std::string_view text);

/// The text as one word of a shell's command, in quotes if it needs them.
std::string shell_word(const std::string& text);

/// A recording by its name, or that of a command which is run and recorded now: what holds a blank,
/// or is a program in a directory that is no recording. Its standard output goes to standard error.
/// `timeout`: seconds after which the command is killed; 0: never.
Result<std::string> recording_or_command(const std::string& text, double timeout = 0);

}  // namespace twinrun
