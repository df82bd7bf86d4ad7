// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

enum class RecordingState {
  kComplete,
  kPartial,    // its recorder ended early; everything up to the last flushed chunk opens
  kRecording,  // being written now
  kUnreadable,
};

/// One row of `twinrun ls`.
struct ListedRecording {
  std::string name;
  std::string shorthand;  // "@", "@1", or empty for a recording in progress
  std::string path;
  int64_t time = 0;  // seconds since 1970, start of the recording
  uint64_t size = 0;
  RecordingState state = RecordingState::kComplete;
  std::vector<std::string> command;  // empty when unreadable
  std::optional<uint64_t> instructions;
  std::optional<int> exit_status;  // as a shell reports it
};

struct Listing {
  std::string directory;
  std::vector<ListedRecording> recordings;  // newest first
  uint64_t hidden = 0;                      // recordings left out of the text, not of the JSON
};

std::string listing_text(const Listing& listing);
std::string listing_json(const Listing& listing);

/// What `twinrun rm` did.
struct Removal {
  std::vector<std::string> paths;
  uint64_t bytes = 0;
  bool dry_run = false;
};

std::string removal_text(const Removal& removal);
std::string removal_json(const Removal& removal);

}  // namespace twinrun
