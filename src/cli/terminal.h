// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "report/style.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace twinrun {

/// Escape sequences are allowed on `fd`: it is a terminal, TERM is set and not "dumb", and NO_COLOR
/// is unset or empty.
bool color_allowed(int fd);

bool is_terminal(int fd);

/// The style for standard output.
Style stdout_style();

/// Characters of a line on standard output: the terminal's, or 100 when it is none.
size_t output_width();

/// Writes text to standard output: the only way there, see escape_lines(). Nothing is lost
/// silently: close_stdout() reports what failed.
void print_out(std::string_view text);
/// The same of what is no text, and of completion scripts, which are our own.
void print_bytes(std::string_view bytes);

/// False when anything written to standard output did not get there.
[[nodiscard]] bool close_stdout();

/// "error[R012]: message", its context and help, on standard error, each line starting with
/// `prefix`.
void print_error(const Error& error, std::string_view prefix = "");

/// One "twinrun: ..." line on standard error, escaped.
void print_note(std::string_view text);
/// Each as a note "warning: ...".
void print_warnings(const std::vector<std::string>& warnings);

}  // namespace twinrun
