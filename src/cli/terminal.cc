// SPDX-License-Identifier: MIT
#include "cli/terminal.h"

#include "base/escape.h"
#include "cli/pager.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace twinrun {

namespace {

/// The size of the terminal that standard output is; asked before a pager stands in between.
winsize terminal_size() {
  static const winsize kSize = [] {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = {};
    return size;
  }();
  return kSize;
}

}  // namespace

bool is_terminal(int fd) {
  return isatty(fd) == 1 || (fd == STDOUT_FILENO && Pager::instance().is_running());
}

bool color_allowed(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool refused = no_color != nullptr && *no_color != '\0';
  const bool dumb = term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
  return !refused && !dumb && is_terminal(fd);
}

Style stdout_style() { return {.color = color_allowed(STDOUT_FILENO)}; }

size_t output_width() {
  constexpr size_t kPlain = 100;
  const winsize size = terminal_size();
  return size.ws_col == 0 ? kPlain : size.ws_col;
}

void print_out(std::string_view text) {
  print_bytes(escape_lines(text, color_allowed(STDOUT_FILENO)));
}

void print_bytes(std::string_view bytes) {
  static_cast<void>(terminal_size());
  Pager::instance().start();
  // A failed write stays visible in ferror(stdout) until close_stdout().
  static_cast<void>(std::fwrite(bytes.data(), 1, bytes.size(), stdout));
}

bool close_stdout() {
  const bool wrote_all = std::fflush(stdout) == 0;
  Pager::instance().finish();
  return wrote_all && std::ferror(stdout) == 0;
}

void print_error(const Error& error, std::string_view prefix) {
  const Style style{.color = color_allowed(STDERR_FILENO)};
  std::string out =
      fmt::format("{}{}: {}\n", prefix, style.red(fmt::format("error[{}]", error.code)),
                  escape_for_terminal(error.message));
  for (const std::string& where : error.context) {
    out += fmt::format("{}  {}\n", prefix, escape_for_terminal(where));
  }
  if (!error.help.empty()) {
    out += fmt::format("{}  = help: {}\n", prefix, escape_for_terminal(error.help));
  }
  static_cast<void>(std::fwrite(out.data(), 1, out.size(), stderr));
}

void print_note(std::string_view text) {
  // Both may go through one pager, in the order in which they were said.
  if (Pager::instance().is_running()) static_cast<void>(std::fflush(stdout));
  const std::string line = "twinrun: " + escape_for_terminal(text) + "\n";
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) print_note("warning: " + warning);
}

}  // namespace twinrun
