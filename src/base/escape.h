// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace twinrun {

/// Makes a name from a binary, a path or a recorded program harmless on a terminal: control
/// characters (C0, DEL, C1), bidirectional and line controls and bytes that are no UTF-8 become
/// `\n`, `\t`, `\x1b` or `\u{202e}`; all else passes unchanged.
std::string escape_for_terminal(std::string_view text);

/// The last look at text on its way out, which has been escaped in its parts: the same, but lines
/// and tabs pass, and colours (`ESC [ 31 m`) where `colors` says so.
std::string escape_lines(std::string_view text, bool colors);

/// JSON as it may go anywhere: what escape_for_terminal() takes for hostile stands as `\u009b` in
/// its strings, which mean the same.
std::string escape_json(std::string_view json);

/// A command line that a POSIX shell reads back as these words, escaped for terminals.
std::string quote_for_shell(std::string_view word);

}  // namespace twinrun
