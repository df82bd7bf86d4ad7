// SPDX-License-Identifier: MIT
#include "cli/pager.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

namespace twinrun {
namespace {

/// The command; empty when the output is to go to the terminal as it is.
std::string pager_command() {
  for (const char* name : {"TWINRUN_PAGER", "PAGER"}) {
    const char* value = std::getenv(name);
    if (value == nullptr) continue;
    return std::string_view(value) == "cat" ? "" : value;
  }
  return "less";
}

/// A shell that runs the command, its standard input `input`; 0 when there is none. `output` is not
/// for it.
pid_t spawn_pager(const std::string& command, int input, int output) {
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return 0;
  pid_t child = 0;
  // Without a pager the text is shown all the same. The variable stands in for "command not found".
  const std::string script = command + " || { [ $? != 127 ] || cat; }";
  std::array<char*, 4> words{const_cast<char*>("sh"), const_cast<char*>("-c"),
                             const_cast<char*>(script.c_str()), nullptr};
  const bool ready = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) == 0 &&
                     posix_spawn_file_actions_addclose(&actions, output) == 0;
  if (!ready || posix_spawn(&child, "/bin/sh", &actions, nullptr, words.data(), environ) != 0)
    child = 0;
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

}  // namespace

Pager& Pager::instance() {
  static Pager pager;
  return pager;
}

void Pager::start() {
  if (!allowed_) return;
  allowed_ = false;
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
  const std::string command = pager_command();
  if (command.empty() || dumb || isatty(STDOUT_FILENO) == 0) return;
  // What fits on one screen is shown without more ado, colours pass, the text stays when less ends.
  if (setenv("LESS", "FRX", 0) != 0) return;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  child_ = spawn_pager(command, ends[0], ends[1]);
  if (child_ != 0) {
    const bool errors_too = isatty(STDERR_FILENO) != 0;
    // dup2() to a descriptor that is open fails on a signal only, and then the terminal is written.
    static_cast<void>(dup2(ends[1], STDOUT_FILENO));
    if (errors_too) static_cast<void>(dup2(ends[1], STDERR_FILENO));
    // Ctrl-C is for the pager, which does not end by it; a user who leaves it early ends us
    // quietly.
    static_cast<void>(std::signal(SIGINT, SIG_IGN));
    static_cast<void>(std::signal(SIGPIPE, SIG_DFL));
  }
  close(ends[0]);
  close(ends[1]);
}

void Pager::finish() {
  if (child_ == 0) return;
  // Its input ends when no descriptor is left.
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    static_cast<void>(dup2(nowhere, STDOUT_FILENO));
    static_cast<void>(dup2(nowhere, STDERR_FILENO));
    close(nowhere);
  }
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  child_ = 0;
}

}  // namespace twinrun
