// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// Recordings live in one directory as NAME.twin; while being written, and for ever after a
/// recorder that was killed, as NAME.twin.partial. A writer holds an exclusive flock on the latter.
inline constexpr std::string_view kRecordingSuffix = ".twin";
inline constexpr std::string_view kPartialSuffix = ".partial";

struct StoreEntry {
  std::string name;  // without suffixes
  std::string path;
  uint64_t size = 0;
  int64_t time_ns = 0;     // start of the recording, else last write, since 1970
  bool partial = false;    // has the partial suffix
  bool recording = false;  // a recorder is writing it now
};

/// Where a new recording goes.
struct OutputPlace {
  std::string path;     // final path; the writer adds kPartialSuffix until it is complete
  std::string name;     // how later verbs call it
  bool chosen = false;  // the name was ours to choose: on a collision ask again
};

/// $XDG_DATA_HOME/twinrun, by default ~/.local/share/twinrun.
Result<std::string> store_directory();

/// Whether a recorder holds the file, which then is a partial recording.
bool is_being_written(const std::string& path);

/// Every recording of the store, newest first (ties by name). A store that is not there is empty.
Result<std::vector<StoreEntry>> list_recordings();

/// "@" or "@N" for the entry at `index` among those that are not being written; empty for others.
std::string shorthand(const std::vector<StoreEntry>& entries, size_t index);

/// The file begins as recordings do.
bool looks_like_recording(const std::string& path);

/// The file that `name` means: "@" the newest, "@1" the one before; with a '/' or ending in .twin a
/// path; else a name in the store.
Result<std::string> resolve_recording(std::string_view name);

/// The place for a recording of `program`. `wanted` is a name, a path (by the rule above) or empty:
/// then the program's base name and the next free number. Makes the store (mode 0700) when needed.
/// An existing recording is an error unless `force`.
Result<OutputPlace> choose_output(std::string_view wanted, std::string_view program, bool force);
/// Others may take the name before it is used; then the next one is tried, so often.
inline constexpr int kNameAttempts = 20;

}  // namespace twinrun
