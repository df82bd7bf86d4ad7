// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

/// A file that a process used, by the name that it used.
struct ReadFile {
  std::string path;
  std::string contents;  // from its beginning as far as it was read without a gap
  bool is_opened = false;
  bool is_at_end = false;  // the contents are all that there was
  std::string error;       // why it could not be opened, when no attempt succeeded
  bool is_made = false;  // by the process: what it reads there it has written, or was given before
};

/// In the order of their first use. What was mapped, and not read, has no contents.
Result<std::vector<ReadFile>> read_files(const Reader& reader, const Process& process);

}  // namespace twinrun
