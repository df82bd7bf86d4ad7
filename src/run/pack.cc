// SPDX-License-Identifier: MIT
#include "run/pack.h"

#include "base/files.h"
#include "program/elf_symbols.h"
#include "run/summary.h"
#include "trace/writer.h"

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

Result<PackedBinary> pack_module(const Reader& reader, const ModuleSummary& module,
                                 Writer& writer) {
  PackedBinary out{module.path, module.build_id, 0, {}, {}, 0};
  if (const auto* entry = find_packed(reader, FileKind::kBinary, module)) {
    out.size = entry->file.size;  // its frame is copied with the others
    if (const auto* debug = find_packed(reader, FileKind::kDebug, module)) {
      out.debug_path = "packed before";
      out.debug_size = debug->file.size;
    }
    return out;
  }
  const auto bytes = read_file(module.path);
  if (!bytes) {
    out.missing = bytes.error().message;
    return out;
  }
  const auto symbols = ElfSymbols::from_memory(*bytes);
  if (!symbols) {
    out.missing = symbols.error().message;
    return out;
  }
  if (!module.build_id.empty() && symbols->build_id() != module.build_id) {
    out.missing = "it has changed since it was recorded (another build id)";
    return out;
  }
  TRY_VOID(writer.file({FileKind::kBinary, module.path, module.build_id, bytes->size()}, *bytes));
  out.size = bytes->size();
  const std::string debug_path =
      find_debug_file(module.path, symbols->build_id(), symbols->debug_link());
  if (debug_path.empty()) return out;
  const auto debug = read_file(debug_path);
  if (!debug) return out;
  const auto debug_symbols = ElfSymbols::from_memory(*debug);
  if (!debug_symbols || debug_symbols->build_id() != symbols->build_id()) return out;
  TRY_VOID(writer.file({FileKind::kDebug, module.path, module.build_id, debug->size()}, *debug));
  out.debug_path = debug_path;
  out.debug_size = debug->size();
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

Result<PackResult> pack(const Reader& reader, const std::string& output) {
  TRY(const RecordingSummary summary, summarize(reader));
  FileInfo info{reader.header().features | TW_FEATURE_PACKED, reader.header().start_time_ns, {}};
  std::copy(std::begin(reader.header().uuid), std::end(reader.header().uuid), info.uuid.begin());
  TRY(const auto writer, Writer::create({.final_path = output}, info));
  PackResult result{output, reader.file_size(), 0, {}};
  const auto fill = [&]() -> Result<void> {
    TRY_VOID(copy_frames(reader, *writer));
    for (const ModuleSummary& module : summary.modules) {
      TRY(PackedBinary binary, pack_module(reader, module, *writer));
      result.binaries.push_back(std::move(binary));
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

}  // namespace twinrun
