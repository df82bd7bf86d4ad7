// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "cli/flags.h"
#include "program/debug_files.h"
#include "report/source_text.h"

#include <string>
#include <vector>

namespace twinrun {

/// Flags that say where files are now which recordings and binaries name as they were.
struct FileFlags {
  std::vector<std::string> source_dirs;
  std::vector<std::string> debug_dirs;
};
/// Of the verbs that read debug information.
void add_debug_flag(FlagSet& app, FileFlags& flags);
/// Of those that show sources, too.
void add_file_flags(FlagSet& app, FileFlags& flags);

/// With those of the system behind them. C003 for what is no directory.
Result<DebugDirectories> debug_directories(const FileFlags& flags);
/// C003 for what is not OLD=NEW.
Result<SourceDirectories> source_directories(const FileFlags& flags);

}  // namespace twinrun
