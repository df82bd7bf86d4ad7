// SPDX-License-Identifier: MIT
// Histories of memory are kept beside the recordings, one file for each process.
//
// The walk that makes one computes the whole run: more than a quarter of what `why` does on a run
// that allocates all the time (perl, bench/history.sh), and tells the same whenever it is done.
// What it tells depends on the recording, on the names in its binaries, by which allocators are
// recognised, and on this build of the program; all of that is the key of the file, and another key
// is another file's. Rules that the user adds change the log, so that only the standard ones are
// kept.
//
// The file has what goes with the log, too: who asks for pointers asks for areas of frames, and for
// what each segment writes.
#include "memory/memory_history.h"

#include "base/files.h"
#include "base/kept_file.h"
#include "base/own_build.h"
#include "base/text.h"
#include "base/version.h"
#include "memory/history_bytes.h"
#include "run/binary_states.h"
#include "values/process_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace twinrun {
namespace {

constexpr std::string_view kSuffix = ".memory-";

/// What is known of a process by the standard rules: a facet of it.
struct KnownHistory {
  static Result<std::unique_ptr<KnownHistory>> make(RunProcess& process);

  std::optional<MemoryHistory> history;
  // Of a history that was kept, until somebody has values to learn them.
  std::vector<std::optional<SegmentSummary>> segments;
};

/// Empty when none is kept of it.
std::string path_of(const RunProcess& process) {
  const Reader& reader = process.reader();
  const bool is_worth_it = process.process().instructions >= kLeastKeptHistory;
  if (reader.path().empty() || !reader.summary() || !is_worth_it) return {};
  return fmt::format("{}{}{}", reader.path(), kSuffix, process.number());
}

Bytes key_of(const RunProcess& process) {
  const Reader& reader = process.reader();
  ByteWriter out;
  out.string(kVersion);
  out.raw(own_build_id());
  out.raw({reinterpret_cast<const uint8_t*>(&reader.header()), sizeof(TwFileHeader)});
  for (const uint64_t number :
       {reader.file_size(), reader.blocks(), reader.instructions(), uint64_t{process.number()}})
    out.varint(number);
  std::vector<MappedFile> files;
  for (const MappedFile& file : process.maps().files())
    if (file.executable && std::ranges::find(files, file) == files.end()) files.push_back(file);
  add_binary_states(out, files, process.binaries().debug_directories());
  return out.take();
}

Result<std::unique_ptr<KnownHistory>> KnownHistory::make(RunProcess& process) {
  auto out = std::make_unique<KnownHistory>();
  const std::string path = path_of(process);
  if (path.empty()) return out;
  const auto bytes = read_file(path);
  if (!bytes) return out;
  auto kept = decode_history(*bytes, key_of(process));
  if (!kept || kept->segments.size() != process.process().segments.size()) return out;
  out->history = MemoryHistory{.blocks = AllocationLog::of(std::move(kept->blocks)),
                               .mappings = AllocationLog::of(std::move(kept->mappings)),
                               .areas = StackAreas::of(std::move(kept->areas))};
  out->segments = std::move(kept->segments);
  return out;
}

/// As the walk tells it, whoever had computed it before: not of the last segment, nor what events
/// say more.
HistoryView::Segment segment_of(const ProcessValues& values, uint32_t number) {
  if (number + 1 >= values.segments() || !values.is_surveyed(number)) return {};
  HistoryView::Segment out{values.written_lines(number), *values.mappings(number)};
  for (OutsideWrite& mapping : out.mappings) {
    mapping.event = 0;
    mapping.syscall = OutsideWrite::kNone;
  }
  return out;
}

void keep(RunProcess& process, const MemoryHistory& history, const ProcessValues& values) {
  const std::string path = path_of(process);
  if (path.empty()) return;
  const HistoryView view{.blocks = history.blocks,
                         .mappings = history.mappings,
                         .areas = history.areas.all(),
                         .segment_count = values.segments(),
                         .segment = [&](uint32_t number) { return segment_of(values, number); }};
  (void)write_kept(path, encode_history(view, key_of(process)));
}

}  // namespace

Result<MemoryHistory> MemoryHistory::build(RunProcess& process, const Options& options) {
  TRY(ProcessView* const view, process.facet<ProcessView>());
  MemoryHistory out;
  TRY(out.blocks, AllocationLog::build(process, {.more = options.more,
                                                 .progress = options.progress,
                                                 .surveyed = view->values.get(),
                                                 .mapped = &out.mappings,
                                                 .areas = &out.areas}));
  return out;
}

Result<const MemoryHistory*> memory_history(RunProcess& process,
                                            const std::function<void(uint64_t)>& progress) {
  TRY(KnownHistory* const known, process.facet<KnownHistory>());
  TRY(ProcessView* const view, process.facet<ProcessView>());
  if (!known->history) {
    TRY(known->history, MemoryHistory::build(process, {.more = {}, .progress = progress}));
    keep(process, *known->history, *view->values);
  }
  for (uint32_t i = 0; i < known->segments.size(); ++i) {
    if (auto& segment = known->segments[i])
      view->values->learn(i, std::move(segment->lines), std::move(segment->mappings));
  }
  known->segments.clear();
  return &*known->history;
}

Result<std::shared_ptr<const AllocationLog>> kept_or_built_log(
    RunProcess& process, const AllocationLog::Options& options) {
  if (options.more.empty() && process.reader().has_values()) {
    TRY(const KnownHistory* const known, process.facet<KnownHistory>());
    // Lives with the process.
    if (known->history)
      return std::shared_ptr<const AllocationLog>(std::shared_ptr<void>(), &known->history->blocks);
  }
  TRY(AllocationLog built, AllocationLog::build(process, options));
  return std::make_shared<const AllocationLog>(std::move(built));
}

std::vector<std::string> kept_histories(const std::string& recording) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  const std::string own = std::string(base_name(recording)) + std::string(kSuffix);
  const fs::path directory = fs::path(recording).parent_path();
  std::error_code status;
  fs::directory_iterator files(directory.empty() ? fs::path(".") : directory, status);
  for (; !status && files != fs::directory_iterator(); files.increment(status)) {
    const std::string name = files->path().filename().string();
    if (name.starts_with(own)) out.push_back((directory / name).string());
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace twinrun
