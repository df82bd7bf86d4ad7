// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "paths/paths_file.h"
#include "run/symbols.h"
#include "trace/reader.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace twinrun {

/// What is added to the name of a recording for the file with its paths.
inline constexpr std::string_view kPathsSuffix = ".paths";

enum class PathsKeep : uint8_t { kNo, kYes };
enum class PathsSize : uint8_t { kFast, kSmall };

/// The paths of a recording: from the file beside it if that fits, else made now, and kept there
/// if that is wanted and the recording is finished. A file that cannot be written is a
/// note.
Result<std::unique_ptr<PathsFile>> open_paths(Run& run, PathsKeep keep, PathsSize size);

}  // namespace twinrun
