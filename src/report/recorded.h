// SPDX-License-Identifier: MIT
#pragma once

#include "report/style.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

/// What `twinrun record` says when the program has ended.
struct Recorded {
  std::string name;  // how later verbs can call it
  std::string path;
  std::vector<std::string> command;
  int exit_status = 0;  // as a shell reports it
  int term_signal = 0;
  uint64_t instructions = 0;
  uint64_t processes = 0;
  uint64_t size = 0;
  bool complete = true;
  double wall_seconds = 0;
  double tool_cpu_seconds = 0;    // of the program under the recorder
  double driver_cpu_seconds = 0;  // of the process that compresses and writes
  double memory_cpu_seconds = 0;  // of following memory when the program had ended
  uint64_t tool_max_rss_kb = 0;
  uint64_t driver_max_rss_kb = 0;
  std::vector<std::string> warnings;
};

/// One line without its newline: "recorded good: exit 0, 138 k instructions, 12.1 KiB".
std::string recorded_line(const Recorded& recorded);
std::string recorded_json(const Recorded& recorded);

}  // namespace twinrun
