// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/paths_cache.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "cli/why_cache.h"
#include "memory/memory_history.h"
#include "report/listing.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>

namespace twinrun {
namespace {

struct RmFlags {
  std::vector<std::string> names;
  bool partial = false;
  bool dry_run = false;
  bool json = false;
};

/// Every path is known before the first is removed, so a typo removes nothing.
Result<std::vector<std::string>> paths_to_remove(const RmFlags& flags) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
  };
  for (const std::string& name : flags.names) {
    TRY(const std::string path, resolve_recording(name));
    if (!looks_like_recording(path)) {
      return std::unexpected(
          Error{"S006", fmt::format("{} is no recording", path), "remove other files with rm", {}});
    }
    if (is_being_written(path))
      return std::unexpected(Error{"S011",
                                   fmt::format("{} is being written", path),
                                   "wait for the program to end, or end it",
                                   {}});
    add(path);
  }
  if (flags.partial) {
    TRY(const std::vector<StoreEntry> entries, list_recordings());
    for (const StoreEntry& entry : entries) {
      if (entry.partial && !entry.recording) add(entry.path);
    }
  }
  return paths;
}

Result<int> run_rm(const RmFlags& flags) {
  if (flags.names.empty() && !flags.partial) {
    return std::unexpected(
        Error{"C004", "rm needs the name of a recording", "twinrun ls lists the recordings", {}});
  }
  TRY(const std::vector<std::string> paths, paths_to_remove(flags));
  Removal removal{.dry_run = flags.dry_run};
  for (const std::string& path : paths) {
    struct stat info{};
    if (stat(path.c_str(), &info) == 0) removal.bytes += static_cast<uint64_t>(info.st_size);
    // What was made of it goes with it.
    std::vector<std::string> derived = kept_answers(path);
    std::ranges::copy(kept_histories(path), std::back_inserter(derived));
    derived.push_back(path + std::string(kPathsSuffix));
    if (!flags.dry_run && unlink(path.c_str()) != 0) {
      return fail("S007", "cannot remove {}: {}", path, std::strerror(errno));
    }
    for (const std::string& file : derived) {
      if (stat(file.c_str(), &info) != 0) continue;
      removal.bytes += static_cast<uint64_t>(info.st_size);
      if (!flags.dry_run) unlink(file.c_str());
    }
    removal.paths.push_back(path);
  }
  print_out(flags.json ? removal_json(removal) : removal_text(removal));
  return kExitSame;
}

}  // namespace

Action setup_rm(FlagSet& app) {
  const auto flags = std::make_shared<RmFlags>();
  app.add_option("name", flags->names, "recordings to remove");
  app.add_flag("--partial", flags->partial, "remove all recordings that were not finished");
  app.add_flag("-n,--dry-run", flags->dry_run, "only say what would be removed");
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_rm(*flags); };
}

}  // namespace twinrun
