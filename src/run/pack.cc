// SPDX-License-Identifier: MIT
#include "run/pack.h"

#include "base/files.h"
#include "program/debug_files.h"
#include "program/elf_symbols.h"
#include "run/summary.h"
#include "run/symbols.h"
#include "trace/writer.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

namespace twinrun {
namespace {

const Reader::PackedEntry* find_packed(const Reader& reader, FileKind kind,
                                       const ModuleSummary& module) {
  for (const Reader::PackedEntry& entry : reader.packed())
    if (entry.file.kind == kind && entry.file.path == module.path &&
        entry.file.build_id == module.build_id)
      return &entry;
  return nullptr;
}

// Larger ones are left to `pack`: they would be larger than many recordings of them.
constexpr size_t kMostKept = size_t{8} << 20;

/// The file, if it still is what was executed; else why not.
std::variant<Bytes, std::string> same_binary(const std::string& path, const Bytes& build_id,
                                             ElfSymbols& symbols) {
  auto bytes = read_file(path);
  if (!bytes) return bytes.error().message;
  auto read = ElfSymbols::from_memory(*bytes);
  if (!read) return read.error().message;
  if (!build_id.empty() && read->build_id() != build_id)
    return "it has changed since it was recorded (another build id)";
  symbols = std::move(*read);
  return std::move(*bytes);
}

Result<PackedBinary> pack_module(const Run& run, const ModuleSummary& module, Writer& writer) {
  const Reader& reader = run.reader();
  PackedBinary out{module.path, module.build_id, 0, {}, {}, 0};
  if (const auto* entry = find_packed(reader, FileKind::kBinary, module)) {
    out.size = entry->file.size;  // its frame is copied with the others
    if (const auto* debug = find_packed(reader, FileKind::kDebug, module)) {
      out.debug_path = "packed before";
      out.debug_size = debug->file.size;
    }
    return out;
  }
  ElfSymbols symbols;
  const auto found = same_binary(module.path, module.build_id, symbols);
  if (const auto* missing = std::get_if<std::string>(&found)) {
    out.missing = *missing;
    return out;
  }
  const Bytes& bytes = std::get<Bytes>(found);
  TRY_VOID(writer.file({FileKind::kBinary, module.path, module.build_id, bytes.size()}, bytes));
  out.size = bytes.size();
  const std::string debug_path = find_debug_file(
      {module.path, symbols.build_id(), symbols.debug_link()}, run.binaries().debug_directories());
  if (debug_path.empty()) return out;
  const auto debug = read_file(debug_path);
  if (!debug) return out;
  const auto debug_symbols = ElfSymbols::from_memory(*debug);
  if (!debug_symbols || debug_symbols->build_id() != symbols.build_id()) return out;
  TRY_VOID(writer.file({FileKind::kDebug, module.path, module.build_id, debug->size()}, *debug));
  out.debug_path = debug_path;
  out.debug_size = debug->size();
  return out;
}

/// Nanoseconds since the epoch; 0 when it cannot be told.
uint64_t changed_at(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return 0;
  return static_cast<uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(info.st_mtim.tv_nsec);
}

/// Nothing when it is not there and nobody misses it.
Result<std::optional<PackedSource>> pack_source(const Reader& reader, const SourceFile& source,
                                                Writer& writer) {
  PackedSource out{.path = source.name};
  for (const Reader::PackedEntry& entry : reader.packed())
    if (entry.file.kind == FileKind::kSource && entry.file.path == source.name) {
      out.size = entry.file.size;
      return out;
    }
  const auto bytes = read_source(source.found);
  if (!bytes) {
    if (source.is_spare) return std::nullopt;
    out.missing = bytes.error().message;
    return out;
  }
  TRY_VOID(writer.file({FileKind::kSource, source.name, {}, bytes->size()}, *bytes));
  out.size = bytes->size();
  out.is_newer = changed_at(source.found.path) > reader.header().start_time_ns;
  return out;
}

Result<void> copy_frames(const Reader& reader, Writer& writer) {
  for (uint32_t i = 0; i < reader.frames().size(); ++i) {
    const FrameEntry& frame = reader.frames()[i];
    if (frame.type == TW_FRAME_SUMMARY || frame.type == TW_FRAME_INDEX) continue;
    TRY(const Bytes payload, reader.payload(i));
    TRY_VOID(writer.copy(frame, payload));
  }
  return {};
}

}  // namespace

bool PackResult::has_binaries() const {
  return std::ranges::all_of(binaries, &std::string::empty, &PackedBinary::missing);
}

Result<PackResult> pack(const Run& run, const std::string& output,
                        const std::vector<SourceFile>& sources) {
  const Reader& reader = run.reader();
  TRY(const RecordingSummary summary, summarize(reader));
  FileInfo info{reader.header().features | TW_FEATURE_PACKED, reader.header().start_time_ns, {}};
  std::copy(std::begin(reader.header().uuid), std::end(reader.header().uuid), info.uuid.begin());
  TRY(const auto writer, Writer::create({.final_path = output}, info));
  PackResult result{.path = output, .size_before = reader.file_size()};
  const auto fill = [&]() -> Result<void> {
    TRY_VOID(copy_frames(reader, *writer));
    for (const ModuleSummary& module : summary.modules) {
      TRY(PackedBinary binary, pack_module(run, module, *writer));
      result.binaries.push_back(std::move(binary));
    }
    for (const SourceFile& source : sources) {
      TRY(std::optional<PackedSource> packed, pack_source(reader, source, *writer));
      if (packed) result.sources.push_back(std::move(*packed));
    }
    if (writer->stopped()) return fail("T007", "cannot write {}: {}", output, writer->stop_note());
    return {};
  };
  if (auto filled = fill(); !filled) {
    writer->abandon();
    return std::unexpected(std::move(filled).error());
  }
  RecordingEnd end = reader.summary().value_or(RecordingEnd{});
  if (reader.is_prefix()) {
    end.stop = StopReason::kLost;
    end.note = reader.prefix_note();
  }
  TRY_VOID(writer->finish(end));
  result.size = writer->size();
  return result;
}

void keep_own_binaries(const std::vector<MappedFile>& files, Writer& writer) {
  for (const MappedFile& file : files) {
    if (file.build_id.empty() || is_system_file(file.path)) continue;
    std::error_code ignored;
    const uintmax_t size = std::filesystem::file_size(file.path, ignored);
    if (ignored || size > kMostKept) continue;
    ElfSymbols symbols;
    const auto found = same_binary(file.path, file.build_id, symbols);
    if (const auto* bytes = std::get_if<Bytes>(&found))
      writer.spare_file({FileKind::kBinary, file.path, file.build_id, bytes->size()}, *bytes);
  }
}

}  // namespace twinrun
