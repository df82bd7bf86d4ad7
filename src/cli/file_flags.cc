// SPDX-License-Identifier: MIT
#include "cli/file_flags.h"

#include <fmt/format.h>

#include <filesystem>

namespace twinrun {
namespace {

Result<void> check_directory(const std::string& flag, const std::string& directory) {
  std::error_code ignored;
  if (std::filesystem::is_directory(directory, ignored)) return {};
  return fail("C003", "{}: there is no directory {}", flag, directory);
}

}  // namespace

void add_debug_flag(FlagSet& app, FileFlags& flags) {
  app.add_option("--debug-dir", flags.debug_dirs,
                 "look for separate debug files here, too, before /usr/lib/debug")
      ->type_name("DIR")
      ->one_at_a_time();
}

void add_file_flags(FlagSet& app, FileFlags& flags) {
  app.add_option("--source-dir", flags.source_dirs,
                 "sources that were below OLD when the program was built are below NEW")
      ->type_name("OLD=NEW")
      ->one_at_a_time();
  add_debug_flag(app, flags);
}

Result<DebugDirectories> debug_directories(const FileFlags& flags) {
  DebugDirectories out;
  for (const std::string& directory : flags.debug_dirs) {
    TRY_VOID(check_directory("--debug-dir", directory));
    out.push_back(std::filesystem::absolute(directory).lexically_normal().string());
  }
  for (std::string& directory : system_debug_directories()) out.push_back(std::move(directory));
  return out;
}

Result<SourceDirectories> source_directories(const FileFlags& flags) {
  SourceDirectories out;
  for (const std::string& moved : flags.source_dirs) {
    const size_t at = moved.find('=');
    if (at == 0 || at == std::string::npos)
      return std::unexpected(Error{"C003",
                                   fmt::format("--source-dir: '{}' is not OLD=NEW", moved),
                                   "--source-dir /build/csv=$HOME/csv",
                                   {}});
    const std::string to = moved.substr(at + 1);
    TRY_VOID(check_directory("--source-dir", to));
    out.add(moved.substr(0, at), to);
  }
  return out;
}

}  // namespace twinrun
