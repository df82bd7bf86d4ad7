// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/model.h"
#include "trace/reader.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

struct ThreadSummary {
  uint32_t number = 0;
  uint64_t instructions = 0;
};

struct ProcessSummary {
  ProcessInfo info;
  std::optional<ProcessEnd> end;
  std::vector<std::string> command;  // empty when it was not recorded
  uint64_t blocks = 0;
  uint64_t instructions = 0;
  std::vector<ThreadSummary> threads;
};

struct StreamSummary {
  const char* name = "";
  uint64_t raw = 0;
  uint64_t coded = 0;
};

struct ModuleSummary {
  std::string path;
  Bytes build_id;
  bool packed = false;
};

/// What `twinrun info` says.
struct RecordingSummary {
  std::string path;
  uint64_t file_size = 0;
  uint32_t version = 0;
  uint64_t features = 0;
  std::string uuid;
  uint64_t start_time_ns = 0;
  std::optional<RecordingInfo> recording;
  std::optional<RecordingEnd> end;
  bool is_prefix = false;
  std::string prefix_note;
  uint64_t lost_bytes = 0;
  uint64_t instructions = 0;
  uint64_t blocks = 0;
  std::vector<ProcessSummary> processes;  // by number
  std::array<StreamSummary, TW_STREAM_COUNT> streams;
  std::vector<ModuleSummary> modules;  // executable files, in the order of their mapping
  std::vector<TraceWarning> warnings;  // each once a process
};

/// Reads the events of all segments.
Result<RecordingSummary> summarize(const Reader& reader);

}  // namespace twinrun
