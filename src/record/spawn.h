// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace twinrun {

/// Standard descriptors that were closed when we started. We open /dev/null there for our own
/// safety; the recorded program finds them closed again.
struct StandardFds {
  std::array<bool, 3> was_closed{};
};
StandardFds occupy_standard_fds();

/// Each recorded process takes some of our descriptors. Returns the limit as it was, which stays
/// the program's.
rlimit raise_file_limit();

struct SpawnOptions {
  std::string tool_dir;
  std::string program;                 // file to run
  std::vector<std::string> arguments;  // without argv[0]
  std::vector<std::string> variables;  // "NAME=value", instead of ours
  std::vector<std::string> tool_flags;
  int hello_fd = -1;
  int log_fd = -1;
  StandardFds standard;
  rlimit file_limit{};
  std::function<void()> in_child;  // runs just before the program; must not allocate
};

/// Our environment with these variables set.
std::vector<std::string> environment_with(const std::vector<std::string>& variables);

/// Starts the program under the recorder.
Result<pid_t> spawn_recorded(const SpawnOptions& options);

}  // namespace twinrun
