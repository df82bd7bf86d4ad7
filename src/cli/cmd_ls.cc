// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "report/listing.h"

#include <memory>

namespace twinrun {
namespace {

constexpr size_t kShownByDefault = 20;

struct LsFlags {
  bool all = false;
  bool names = false;
  bool json = false;
};

Result<int> run_ls(const LsFlags& flags) {
  TRY(const std::vector<StoreEntry> entries, list_recordings());
  if (flags.names) {
    for (const StoreEntry& entry : entries) print_out(entry.name + "\n");
    return kExitSame;
  }
  Listing listing;
  TRY(listing.directory, store_directory());
  for (size_t i = 0; i < entries.size(); ++i) {
    const StoreEntry& entry = entries[i];
    listing.recordings.push_back({.name = entry.name,
                                  .shorthand = shorthand(entries, i),
                                  .path = entry.path,
                                  .time = entry.time_ns / 1'000'000'000,
                                  .size = entry.size,
                                  .state = entry.recording ? RecordingState::kRecording
                                           : entry.partial ? RecordingState::kPartial
                                                           : RecordingState::kComplete});
  }
  if (!flags.all && entries.size() > kShownByDefault) {
    listing.hidden = entries.size() - kShownByDefault;
  }
  print_out(flags.json ? listing_json(listing) : listing_text(listing));
  return kExitSame;
}

}  // namespace

Run setup_ls(CLI::App& app) {
  const auto flags = std::make_shared<LsFlags>();
  app.add_flag("-a,--all", flags->all, "show all recordings, not only the newest 20");
  app.add_flag("--names", flags->names, "print only the names, one per line");
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_ls(*flags); };
}

}  // namespace twinrun
