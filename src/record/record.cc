// SPDX-License-Identifier: MIT
#include "record/record.h"

#include "base/version.h"
#include "record/hub.h"
#include "record/program.h"
#include "record/spawn.h"
#include "run/pack.h"
#include "trace/writer.h"

#include <cpuid.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>

namespace twinrun {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTimeoutStatus = 124;  // as timeout(1) has it

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

uint64_t now_ns() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
}

std::string cpu_name() {
  std::string out;
  for (uint32_t leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    std::array<uint32_t, 4> part{};
    if (__get_cpuid(leaf, &part[0], &part[1], &part[2], &part[3]) == 0) return "unknown";
    out.append(reinterpret_cast<const char*>(part.data()), sizeof part);
  }
  return out.substr(0, out.find('\0'));
}

RecordingInfo describe(const RecordOptions& options) {
  RecordingInfo info;
  info.argv = options.command;
  info.env = environment_with(options.variables);
  std::error_code ignored;
  info.cwd = std::filesystem::current_path(ignored).string();
  info.twinrun_version = kVersion;
  info.valgrind_version = kValgrindVersion;
  utsname host{};
  uname(&host);
  info.host = fmt::format("{} {} {} {}", host.sysname, host.release, host.version, host.machine);
  info.cpu_features = cpu_name();
  if (options.pad_stack) info.flags |= kRecordingPadded;
  if (options.control_flow_only) info.flags |= kRecordingControlFlowOnly;
  if (!options.from.empty()) info.facts.emplace_back(kFactFrom, options.from);
  return info;
}

/// Signals that would end us before the recording is whole. Those that a person sends to us alone
/// are passed on to the program; a terminal sends its own to both.
class Signals {
 public:
  Signals() {
    sigset_t mine;
    sigemptyset(&mine);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
      sigaddset(&mine, signal);
    }
    sigprocmask(SIG_BLOCK, &mine, &before_);
    pipe_before_ = std::signal(SIGPIPE, SIG_IGN);
    size_before_ = std::signal(SIGXFSZ, SIG_IGN);
    fd_ = signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~Signals() {
    if (fd_ >= 0) close(fd_);
    restore();
  }
  /// As we found them; also for the program, in the forked child.
  void restore() const {
    std::signal(SIGPIPE, pipe_before_);
    std::signal(SIGXFSZ, size_before_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  [[nodiscard]] int fd() const { return fd_; }

  /// Whether the user wants the recording to stop: the second Ctrl-C.
  bool handle(pid_t root) {
    signalfd_siginfo info{};
    while (read(fd_, &info, sizeof info) == sizeof info) {
      if (info.ssi_code == SI_USER) kill(root, static_cast<int>(info.ssi_signo));
      if (info.ssi_signo == SIGINT && ++interrupts_ > 1) return true;
    }
    return false;
  }

 private:
  sigset_t before_{};
  void (*pipe_before_)(int) = SIG_DFL;
  void (*size_before_)(int) = SIG_DFL;
  int fd_ = -1;
  int interrupts_ = 0;
};

/// The recorder has its code, its buffers and its own heap beside those of the program.
Result<void> check_memory_limit() {
  constexpr rlim_t kLeast = rlim_t{144} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_max >= kLeast) return {};
  return std::unexpected(
      Error{"R026",
            fmt::format("the limit on memory is {} MiB, too low for the recorder "
                        "beside the program",
                        limit.rlim_max >> 20),
            "ulimit -v unlimited",
            {}});
}

/// What Valgrind itself had to say; read when all is over.
std::vector<std::string> log_lines(int fd) {
  std::string text;
  char buffer[4096];
  lseek(fd, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(got));
    if (text.size() > size_t{1} << 20) break;
  }
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (line.find_first_not_of("=0123456789- ") != std::string::npos) out.push_back(line);
    at = end + 1;
  }
  return out;
}

struct Ended {
  int status = 0;
  rusage usage{};
};

enum class Stop : uint8_t { kByItself, kByUser, kByTime };

/// Serves the recorder until the root process has ended, the user stops the recording, or the time
/// is over.
Stop serve_until_end(Hub& hub, Signals& signals, pid_t root, double seconds, Ended& ended) {
  const auto start = Clock::now();
  while (true) {
    pollfd wait[2] = {{hub.poll_fd(), POLLIN, 0}, {signals.fd(), POLLIN, 0}};
    ::poll(wait, 2, 50);
    if ((wait[0].revents & POLLIN) != 0) hub.poll(0);
    if ((wait[1].revents & POLLIN) != 0 && signals.handle(root)) return Stop::kByUser;
    // A root that died leaves its socket readable, so this is asked soon enough.
    if (wait4(root, &ended.status, WNOHANG, &ended.usage) == root) return Stop::kByItself;
    const std::chrono::duration<double> passed = Clock::now() - start;
    if (seconds > 0 && passed.count() >= seconds) return Stop::kByTime;
  }
}

void serve_descendants(Hub& hub, Signals& signals, double seconds) {
  const auto start = Clock::now();
  while (!hub.live().empty()) {
    const std::chrono::duration<double> passed = Clock::now() - start;
    if (seconds >= 0 && passed.count() >= seconds) return;
    hub.poll(20);
    if (signals.handle(0)) return;
  }
}

ProcessEnd end_of(int status) {
  ProcessEnd out;
  out.how = WIFSIGNALED(status) ? EndKind::kKilled : EndKind::kExited;
  out.status = static_cast<uint32_t>(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return out;
}

void set_status(RecordOutcome& outcome, const ProcessEnd& root, Stop stop) {
  outcome.term_signal = root.how == EndKind::kKilled ? static_cast<int>(root.status) : 0;
  outcome.exit_status = stop == Stop::kByTime     ? kTimeoutStatus
                        : stop == Stop::kByUser   ? 130
                        : outcome.term_signal > 0 ? 128 + outcome.term_signal
                                                  : static_cast<int>(root.status);
}

}  // namespace

Result<RecordOutcome> record(const RecordOptions& options) {
  const auto start = Clock::now();
  const StandardFds standard = occupy_standard_fds();
  const rlimit file_limit = raise_file_limit();
  constexpr rlim_t kDescriptors = 32;
  if (file_limit.rlim_max < kDescriptors) {
    return std::unexpected(Error{"R025",
                                 fmt::format("the limit on open files is {}, too low for the "
                                             "recorder beside the program",
                                             file_limit.rlim_max),
                                 fmt::format("ulimit -n {} or more", kDescriptors),
                                 {}});
  }
  TRY_VOID(check_memory_limit());
  TRY(const Program program, find_program(options.command.at(0)));

  TRY(const std::unique_ptr<Writer> writer,
      Writer::create({.final_path = options.output_path,
                      .replace = options.replace,
                      .max_size = options.max_size,
                      .reserve = options.reserve},
                     {.features = TW_FEATURE_JUMPS |
                                  (options.control_flow_only ? 0u : uint64_t{TW_FEATURE_VALUES}) |
                                  (options.from.empty() ? 0u : uint64_t{TW_FEATURE_LATE}),
                      .start_time_ns = now_ns()}));
  TRY_VOID(writer->recording(describe(options)));

  TRY(const std::unique_ptr<Hub> hub,
      Hub::create(*writer, program.is_script ? "" : options.command[0]));
  const int log_fd = memfd_create("twinrun-log", MFD_CLOEXEC);
  fcntl(log_fd, F_SETFL, O_APPEND);

  // Below this line the program runs: whatever goes wrong, it runs on to its own status.
  Signals signals;
  SpawnOptions spawn{.tool_dir = options.tool_dir,
                     .program = program.path,
                     .arguments = {options.command.begin() + 1, options.command.end()},
                     .variables = options.variables,
                     .tool_flags = options.tool_flags,
                     .hello_fd = hub->inherited_fd(),
                     .log_fd = log_fd,
                     .standard = standard,
                     .file_limit = file_limit,
                     .in_child = [&signals] { signals.restore(); }};
  if (options.control_flow_only) spawn.tool_flags.emplace_back("--values=no");
  if (!options.pad_stack) spawn.tool_flags.emplace_back("--pad=no");
  if (!options.from.empty()) spawn.tool_flags.emplace_back("--wait=1");
  for (const FunctionPlace& place : options.from_any)
    spawn.tool_flags.push_back(
        fmt::format("--from={}:{}:{}", place.device, place.inode, place.offset));
  Result<pid_t> root = spawn_recorded(spawn);
  if (!root) {
    writer->abandon();
    return std::unexpected(std::move(root).error());
  }
  hub->close_inherited();

  Ended ended;
  const Stop stop = serve_until_end(*hub, signals, *root, options.timeout, ended);
  const bool by_itself = stop == Stop::kByItself;
  const bool timed_out = stop == Stop::kByTime;
  if (by_itself) {
    hub->set_root_end(end_of(ended.status));
    serve_descendants(*hub, signals, options.wait_seconds);
  }
  const std::vector<pid_t> live = hub->live();
  const size_t left = hub->recorded_live();
  // Before anybody is killed: the recordings shall end where the processes were, not in a handler
  // of theirs.
  hub->close_books();
  if (timed_out) {
    for (const pid_t pid : live) kill(pid, SIGKILL);
    kill(*root, SIGKILL);
    wait4(*root, &ended.status, 0, &ended.usage);
  }

  RecordOutcome outcome;
  outcome.warnings = hub->warnings();
  outcome.timed_out = timed_out;
  const std::string too_long =
      fmt::format("the program did not end within {:g} s", options.timeout);
  if (hub->process_count() == 0 && !hub->refused_some()) {
    writer->abandon();
    if (hub->heard_count() > 0) {
      close(log_fd);
      outcome.nothing_recorded = true;
      const ProcessEnd how = by_itself ? end_of(ended.status) : ProcessEnd{};
      set_status(outcome, how, stop);
      outcome.warnings.push_back(
          fmt::format("[W027]: nothing is recorded: the program did not call {}{}", options.from,
                      timed_out ? fmt::format(" within {:g} s", options.timeout) : std::string()));
      return outcome;
    }
    if (timed_out) {
      close(log_fd);
      outcome.nothing_recorded = true;
      outcome.exit_status = kTimeoutStatus;
      outcome.warnings.push_back(fmt::format(
          "[W018]: nothing is recorded: the program did not begin within {:g} s", options.timeout));
      return outcome;
    }
    const ProcessEnd how = by_itself ? end_of(ended.status) : ProcessEnd{};
    if (how.how == EndKind::kKilled && (how.status == SIGKILL || how.status == SIGTERM)) {
      close(log_fd);
      outcome.nothing_recorded = true;
      outcome.term_signal = static_cast<int>(how.status);
      outcome.exit_status = 128 + outcome.term_signal;
      outcome.warnings.emplace_back(
          "[W018]: nothing is recorded: the program was killed before it began");
      return outcome;
    }
    std::string said;
    for (const std::string& line : log_lines(log_fd)) said += "\n  " + line;
    close(log_fd);
    return fail("R024", "the recorder did not start on {}{}", program.path, said);
  }
  if (timed_out) outcome.warnings.push_back(fmt::format("[W026]: {} and was killed", too_long));
  if (left > 0 && by_itself) {
    outcome.warnings.push_back(
        fmt::format("[W021]: {} process{} outlived the program and {} recorded only so far", left,
                    left == 1 ? "" : "es", left == 1 ? "is" : "are"));
  }
  if (writer->stopped()) {
    outcome.warnings.push_back(
        fmt::format("[W018]: the recording is a prefix: {}; free space or raise the limit, or "
                    "record with --control-flow-only",
                    writer->stop_note()));
  }
  close(log_fd);

  RecordingEnd end;
  const ProcessEnd root_end = by_itself ? end_of(ended.status) : ProcessEnd{};
  end.how = root_end.how;
  end.status = root_end.status;
  end.time_ns = now_ns();
  if (!by_itself) end.stop = timed_out ? StopReason::kTimeout : StopReason::kInterrupted;
  if (timed_out) end.note = too_long;
  if (options.keep_binaries) keep_own_binaries(hub->executable_files(), *writer);
  const Result<void> finished = writer->finish(end);
  if (!finished) outcome.warnings.push_back("[W018]: " + finished.error().message);

  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  set_status(outcome, root_end, stop);
  outcome.instructions = writer->instructions();
  outcome.processes = hub->process_count();
  outcome.path = finished ? options.output_path : writer->path();
  outcome.complete = finished && !writer->stopped() && by_itself;
  outcome.bytes = writer->size();
  outcome.tool_cpu_seconds = seconds_of(ended.usage.ru_utime) + seconds_of(ended.usage.ru_stime);
  outcome.driver_cpu_seconds = seconds_of(own.ru_utime) + seconds_of(own.ru_stime);
  outcome.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  outcome.tool_max_rss_kb = static_cast<uint64_t>(ended.usage.ru_maxrss);
  outcome.driver_max_rss_kb = static_cast<uint64_t>(own.ru_maxrss);
  return outcome;
}

}  // namespace twinrun
