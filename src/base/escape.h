// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace twinrun {

/// Makes a name from a binary, a path or a recorded program harmless on a terminal: control
/// characters (C0, DEL, C1), bidirectional and line controls and bytes that are no UTF-8 become
/// `\n`, `\t`, `\x1b` or `\u{202e}`; all else passes unchanged.
std::string escape_for_terminal(std::string_view text);

/// A command line that a POSIX shell reads back as these words, escaped for terminals.
std::string quote_for_shell(std::string_view word);

}  // namespace twinrun
