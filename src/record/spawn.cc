// SPDX-License-Identifier: MIT
#include "record/spawn.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace twinrun {
namespace {

/// Fixed width: the recorder overwrites the digits when it moves the descriptor, because the same
/// command line starts the programs that this one executes.
std::string fd_flag(std::string_view name, int fd) { return fmt::format("{}={:010}", name, fd); }

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment(const SpawnOptions& options) {
  std::vector<std::string> out = environment_with(options.variables);
  std::erase_if(out, [](const std::string& text) {
    return text.starts_with("VALGRIND_LIB=") || text.starts_with("VALGRIND_LAUNCHER=");
  });
  // The recorder takes these two out again before the program starts.
  out.push_back("VALGRIND_LIB=" + options.tool_dir);
  out.push_back("VALGRIND_LAUNCHER=" + options.tool_dir + "/twinrun-launch");
  return out;
}

rlimit limit_of(__rlimit_resource_t which) {
  rlimit limit{};
  getrlimit(which, &limit);
  return limit;
}

/// What the program is to know of its limits on files, address space and stack; of fixed width, as
/// above.
std::string limits_of(const SpawnOptions& options) {
  std::string out;
  for (const rlimit& limit : {options.file_limit, limit_of(RLIMIT_AS), limit_of(RLIMIT_STACK)})
    out += fmt::format("{}{:020},{:020}", out.empty() ? "" : ",", limit.rlim_cur, limit.rlim_max);
  return out;
}

/// The recorder needs memory of its own; the program's limit it holds to itself.
void lift_memory_limit() {
  rlimit limit = limit_of(RLIMIT_AS);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
}

}  // namespace

std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) out.emplace_back(*entry);
  for (const std::string& variable : variables) {
    const std::string_view name = std::string_view(variable).substr(0, variable.find('=') + 1);
    const auto known =
        std::ranges::find_if(out, [&](const std::string& one) { return one.starts_with(name); });
    if (known != out.end())
      *known = variable;
    else
      out.push_back(variable);
  }
  return out;
}

rlimit raise_file_limit() {
  constexpr rlim_t kWanted = 1 << 16;
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit raised{.rlim_cur = std::max(before.rlim_cur, kWanted),
                .rlim_max = std::max(before.rlim_max, kWanted)};
  if (setrlimit(RLIMIT_NOFILE, &raised) != 0) {
    raised = {.rlim_cur = before.rlim_max, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &raised);
  }
  return before;
}

StandardFds occupy_standard_fds() {
  StandardFds out;
  for (int fd = 0; fd < 3; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    out.was_closed[static_cast<size_t>(fd)] = true;
    const int opened = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (opened >= 0 && opened != fd) {
      dup3(opened, fd, O_CLOEXEC);
      close(opened);
    }
  }
  return out;
}

Result<pid_t> spawn_recorded(const SpawnOptions& options) {
  const std::string tool = options.tool_dir + "/twinrun-amd64-linux";
  if (access(tool.c_str(), X_OK) != 0) {
    return std::unexpected(Error{"R022",
                                 fmt::format("the recorder {} is missing", tool),
                                 "build or install twinrun again",
                                 {}});
  }
  // Everything that allocates happens before the fork.
  std::vector<std::string> words = {tool,
                                    "--tool=twinrun",
                                    "--command-line-only=yes",
                                    "--vgdb=no",
                                    "-q",
                                    "--trace-children=yes",
                                    "--max-threads=4096",
                                    "--fair-sched=yes",
                                    "--run-libc-freeres=no",
                                    "--vex-iropt-register-updates=allregs-at-mem-access",
                                    fd_flag("--log-fd", options.log_fd),
                                    fd_flag("--hello-fd", options.hello_fd),
                                    "--origin=1",
                                    "--limits=" + limits_of(options)};
  words.insert(words.end(), options.tool_flags.begin(), options.tool_flags.end());
  words.push_back(options.program);
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> variables = environment(options);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);

  const pid_t pid = fork();
  if (pid < 0) return fail("R023", "cannot start a process: {}", std::strerror(errno));
  if (pid > 0) return pid;
  for (int fd = 0; fd < 3; ++fd) {
    if (options.standard.was_closed[static_cast<size_t>(fd)]) close(fd);
  }
  // Valgrind keeps this many descriptors for itself; where it may, it does so beyond the program's.
  constexpr rlim_t kReserved = 12;
  rlimit files = options.file_limit;
  if (files.rlim_cur != RLIM_INFINITY && files.rlim_cur + kReserved > files.rlim_max) {
    files.rlim_max = files.rlim_cur + kReserved;
  }
  if (setrlimit(RLIMIT_NOFILE, &files) != 0) setrlimit(RLIMIT_NOFILE, &options.file_limit);
  lift_memory_limit();
  fcntl(options.hello_fd, F_SETFD, 0);
  fcntl(options.log_fd, F_SETFD, 0);
  options.in_child();
  execve(tool.c_str(), argv.data(), envp.data());
  _exit(125);
}

}  // namespace twinrun
