// SPDX-License-Identifier: MIT
#include "base/escape.h"
#include "cli/commands.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "report/listing.h"
#include "trace/reader.h"

#include <memory>
#include <string>
#include <vector>

namespace twinrun {
namespace {

constexpr size_t kShownByDefault = 20;
// A file without an index must be read from end to end: too slow for a listing beyond this size.
constexpr uint64_t kScanLimit = uint64_t{256} << 20;

struct LsFlags {
  bool all = false;
  bool names = false;
  bool json = false;
  std::vector<std::string> completed;  // when given, the word that a shell completes
};

void add_contents(ListedRecording& row) {
  if (row.state == RecordingState::kRecording) return;
  if (row.state == RecordingState::kPartial && row.size > kScanLimit) return;
  const Result<std::unique_ptr<Reader>> reader = Reader::open(row.path);
  if (!reader) {
    row.state = RecordingState::kUnreadable;
    return;
  }
  if ((*reader)->is_cut()) row.state = RecordingState::kPartial;
  if (const auto& recording = (*reader)->recording()) row.command = recording->argv;
  if (const auto& end = (*reader)->summary()) {
    row.instructions = end->instructions;
    if (end->how == EndKind::kExited) row.exit_status = static_cast<int>(end->status);
    if (end->how == EndKind::kKilled) row.exit_status = 128 + static_cast<int>(end->status);
  }
}

/// What a shell can offer where a recording is to be named, with a description: names with their
/// shorthands, and shorthands for a word that begins like one. The shell picks those that go on
/// from the word.
void print_offers(const std::vector<StoreEntry>& entries, bool of_shorthands) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string shorter = shorthand(entries, i);
    if (of_shorthands && shorter.empty()) continue;
    const std::string name = escape_for_terminal(entries[i].name);
    // A name that cannot be printed as it is cannot be typed either.
    if (!of_shorthands && name != entries[i].name) continue;
    print_out(of_shorthands ? fmt::format("{}\t{}\n", shorter, name)
                            : fmt::format("{}\t{}\n", name, shorter));
  }
}

Result<int> run_ls(const LsFlags& flags) {
  TRY(const std::vector<StoreEntry> entries, list_recordings());
  if (!flags.completed.empty()) {
    print_offers(entries, flags.completed[0].starts_with('@'));
    return kExitSame;
  }
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
  const size_t needed = flags.json ? entries.size() : entries.size() - listing.hidden;
  for (size_t i = 0; i < needed; ++i) add_contents(listing.recordings[i]);
  print_out(flags.json ? listing_json(listing) : listing_text(listing));
  return kExitSame;
}

}  // namespace

Action setup_ls(FlagSet& app) {
  const auto flags = std::make_shared<LsFlags>();
  app.add_flag("-a,--all", flags->all, "show all recordings, not only the newest 20");
  app.add_flag("--names", flags->names, "print only the names, one per line");
  app.add_option("--complete", flags->completed, "for completion scripts: what the word can be")
      ->type_name("WORD")
      ->expected(1)
      ->hidden();
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_ls(*flags); };
}

}  // namespace twinrun
