// SPDX-License-Identifier: MIT
#include "report/listing.h"

#include "base/escape.h"
#include "base/text.h"
#include "report/json.h"
#include "report/table.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace twinrun {
namespace {

constexpr size_t kCommandWidth = 60;

std::string_view state_name(RecordingState state) {
  switch (state) {
    case RecordingState::kComplete: return "complete";
    case RecordingState::kPartial: return "partial";
    case RecordingState::kRecording: return "recording";
    case RecordingState::kUnreadable: return "unreadable";
  }
  return "unknown";
}

std::string local_time(int64_t seconds) {
  const time_t when = seconds;
  std::tm local{};
  if (localtime_r(&when, &local) == nullptr) return "?";
  return fmt::format("{:%Y-%m-%d %H:%M}", local);
}

std::string short_command(const std::vector<std::string>& command) {
  std::string out;
  for (const std::string& word : command) {
    if (!out.empty()) out += ' ';
    out += quote_for_shell(word);
    if (out.size() > kCommandWidth) {
      size_t end = kCommandWidth;
      while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0) == 0x80) --end;
      return out.substr(0, end) + "...";
    }
  }
  return out;
}

}  // namespace

std::string listing_text(const Listing& listing) {
  if (listing.recordings.empty()) {
    return fmt::format("no recordings in {}\nnext:  twinrun record -- PROGRAM [ARG...]\n",
                       escape_for_terminal(listing.directory));
  }
  using Align = TextTable::Align;
  TextTable table({{"NAME"},
                   {""},
                   {"WHEN"},
                   {"SIZE", Align::kRight},
                   {"INSTRUCTIONS", Align::kRight},
                   {"EXIT", Align::kRight},
                   {"STATE"},
                   {"COMMAND"}});
  const size_t shown =
      listing.recordings.size() - std::min<size_t>(listing.hidden, listing.recordings.size());
  for (size_t i = 0; i < shown; ++i) {
    const ListedRecording& row = listing.recordings[i];
    table.add_row({escape_for_terminal(row.name), row.shorthand, local_time(row.time),
                   format_size(row.size), row.instructions ? format_count(*row.instructions) : "-",
                   row.exit_status ? fmt::format("{}", *row.exit_status) : "-",
                   std::string(state_name(row.state)), short_command(row.command)});
  }
  std::string out = table.render();
  if (listing.hidden > 0) out += fmt::format("{} more: --all\n", listing.hidden);
  return out;
}

std::string listing_json(const Listing& listing) {
  Json rows = Json::array();
  for (const ListedRecording& row : listing.recordings) {
    Json item = {{"name", row.name},
                 {"path", row.path},
                 {"time", row.time},
                 {"size", row.size},
                 {"state", state_name(row.state)}};
    item["shorthand"] = row.shorthand.empty() ? Json() : Json(row.shorthand);
    item["command"] = row.command;
    item["instructions"] = row.instructions ? Json(*row.instructions) : Json();
    item["exit_status"] = row.exit_status ? Json(*row.exit_status) : Json();
    rows.push_back(std::move(item));
  }
  return render_json("ls", 1, {{"directory", listing.directory}, {"recordings", rows}});
}

std::string removal_text(const Removal& removal) {
  std::string out;
  for (const std::string& path : removal.paths) {
    out += fmt::format("{} {}\n", removal.dry_run ? "would remove" : "removed",
                       escape_for_terminal(path));
  }
  if (removal.paths.empty()) return "nothing to remove\n";
  if (removal.paths.size() > 1) {
    out += fmt::format("{} recordings, {}\n", removal.paths.size(), format_size(removal.bytes));
  }
  return out;
}

std::string removal_json(const Removal& removal) {
  return render_json(
      "rm", 1,
      {{"dry_run", removal.dry_run}, {"removed", removal.paths}, {"bytes", removal.bytes}});
}

}  // namespace twinrun
