// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "record/channel.h"
#include "trace/maps.h"
#include "trace/writer.h"

#include <sys/types.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace twinrun {

/// Takes in the processes of a recording and what they record, and passes it to the writer.
///
/// Each process announces itself over one inherited socket and gets a Channel. Its own socket says
/// when slots are filled and, by closing, that it ended or became another program; what it had not
/// handed over by then is still in the channel and is salvaged. Single-threaded: everything
/// happens inside poll(). A process that waits for the function that it is recorded from is taken
/// in like any other, and gets its number in the recording with its first segment.
class Hub {
 public:
  static Result<std::unique_ptr<Hub>> create(Writer& writer, std::string root_argv0);
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  /// The end of the hello socket that recorded processes inherit; close_inherited() after the
  /// first of them was started.
  [[nodiscard]] int inherited_fd() const { return inherited_fd_; }
  void close_inherited();
  [[nodiscard]] int poll_fd() const { return epoll_fd_; }

  /// Handles what is there; waits up to `timeout_ms` for something to be.
  void poll(int timeout_ms);
  /// Processes that may still record something.
  [[nodiscard]] std::vector<pid_t> live() const;
  /// Those of them of which something is recorded.
  [[nodiscard]] size_t recorded_live() const;
  /// Stops recording; processes run on. Waits shortly for their last segments.
  void detach_all();
  /// How the root process ended, once its parent knows.
  void set_root_end(const ProcessEnd& end) { root_end_ = end; }
  /// Writes the ends of all processes; after this only the writer's finish() is left.
  void close_books();

  /// In the recording.
  [[nodiscard]] uint32_t process_count() const { return last_number_; }
  /// That said hello.
  [[nodiscard]] uint32_t heard_count() const { return static_cast<uint32_t>(numbers_.size()); }
  /// A process ran unrecorded, because nothing could be written any more.
  [[nodiscard]] bool refused_some() const { return refused_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  /// The executable files that processes which ended had mapped, each once.
  [[nodiscard]] std::vector<MappedFile> executable_files() const {
    return {executable_files_.begin(), executable_files_.end()};
  }

 private:
  struct Process {
    uint32_t key = 0;     // the recorder calls it so
    uint32_t number = 0;  // in the recording; 0: nothing is recorded of it yet
    ProcessInfo info;
    pid_t pid = 0;
    int socket = -1;
    int pid_fd = -1;
    Channel channel;
    bool became_other = false;  // it said that it would, and its socket closed
    bool exec_pending = false;
    bool gone = false;
    bool cut = false;  // stopped by us
    std::string argv0;
    MapHistory maps;
    bool has_end = false;
    ProcessEnd end;
  };

  explicit Hub(Writer& writer) : writer_(writer) {}
  void take_hello();
  void welcome(const TwHello& hello, pid_t pid, int socket);
  void begin(Process& process);
  void watch(int fd, uint64_t tag);
  void take_message(Process& process);
  void drain(Process& process);
  void pass_on(Process& process, const Channel::Filled& filled);
  void process_gone(Process& process);
  void end(Process& process);
  Process* before_exec(pid_t pid);

  Writer& writer_;
  std::string root_argv0_;
  int epoll_fd_ = -1;
  int hello_fd_ = -1;
  int inherited_fd_ = -1;
  uint32_t last_number_ = 0;
  std::vector<uint32_t> numbers_;                           // in the recording, by key - 1
  std::map<uint32_t, std::unique_ptr<Process>> processes_;  // that have not been ended, by key
  ProcessEnd root_end_;
  std::vector<std::string> warnings_;
  std::set<MappedFile> executable_files_;
  bool detached_ = false;
  bool refused_ = false;
};

}  // namespace twinrun
