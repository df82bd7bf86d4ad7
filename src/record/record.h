// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// A function as a place in the file that it comes from, wherever that is mapped.
struct FunctionPlace {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t offset = 0;
};

struct RecordOptions {
  std::vector<std::string> command;
  std::vector<std::string> variables;   // "NAME=value" of its environment, instead of ours
  std::string from;                     // the function that the recording begins at; empty: start
  std::vector<FunctionPlace> from_any;  // what has that name
  std::string output_path;              // final path; PATH.partial while it is being written
  bool control_flow_only = false;
  bool pad_stack = true;
  uint64_t max_size = 0;    // bytes of the recording; 0 = no limit
  bool replace = false;     // a recording of that name
  uint64_t reserve = 0;     // bytes to leave free on the disk; 0 = default
  double wait_seconds = 2;  // for descendants after the root ends; negative = for ever
  double timeout = 0;       // seconds after which the program is killed; 0 = never
  bool keep_partial = true;
  std::vector<std::string> tool_flags;  // for tests
  bool keep_binaries = true;            // those that do not belong to the system
  bool quiet = false;
  std::string tool_dir;  // holds the recorder
};

struct RecordOutcome {
  int exit_status = 0;  // 0..255, as a shell reports: 128 + signal
  int term_signal = 0;
  bool timed_out = false;  // then the status is that of timeout(1)
  uint64_t instructions = 0;
  uint64_t processes = 0;
  std::string path;
  bool complete = false;
  std::vector<std::string> warnings;  // "[W018]: the recording is a prefix: ..."
  uint64_t bytes = 0;                 // of the file
  double tool_cpu_seconds = 0;        // of the root process under the recorder
  double driver_cpu_seconds = 0;      // ours
  double wall_seconds = 0;
  uint64_t tool_max_rss_kb = 0;
  uint64_t driver_max_rss_kb = 0;
  bool nothing_recorded = false;  // there is no file
};

/// Error codes that callers tell apart.
inline constexpr std::string_view kErrorNotExecutable = "R126";
inline constexpr std::string_view kErrorNotFound = "R127";
inline constexpr std::string_view kErrorOutputExists = "R017";  // nothing has run yet

/// Runs the command under the recorder and returns when it, and the descendants that were waited
/// for, have ended.
Result<RecordOutcome> record(const RecordOptions& options);

}  // namespace twinrun
