// SPDX-License-Identifier: MIT
#include "run/summary.h"

#include "trace/event.h"
#include "trace/initial_stack.h"
#include "trace/maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace twinrun {
namespace {

constexpr std::array<const char*, TW_STREAM_COUNT> kStreamNames = {
    "block ids", "miss positions", "miss values", "opaque results", "events", "definitions"};

std::string uuid_text(const uint8_t (&uuid)[16]) {
  std::string out;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += fmt::format("{:02x}", uuid[i]);
  }
  return out;
}

// Warnings and executable files that the events of a process tell.
class EventFacts {
 public:
  explicit EventFacts(RecordingSummary& out) : out_(out) {}

  Result<void> read(const Reader& reader, const Process& process) {
    MapHistory maps;
    for (const uint32_t frame : process.segments) {
      TRY(const SegmentData data, reader.load(frame, stream_bit(TW_STREAM_EVENTS)));
      EventReader events(data.events());
      Event event;
      while (events.next(event)) {
        if (event.kind == EventKind::kWarning) {
          if (const auto w = WarningEvent::parse(event))
            warn({process.info.number, std::string(w->code), std::string(w->text)});
        } else {
          maps.apply(event, 0);
        }
      }
    }
    for (const MappedFile& file : maps.files()) {
      if (!file.executable || !known_.insert({file.path, file.build_id}).second) continue;
      ModuleSummary module{file.path, file.build_id, false};
      for (const Reader::PackedEntry& entry : reader.packed())
        module.packed |= entry.file.kind == FileKind::kBinary && entry.file.path == file.path &&
                         entry.file.build_id == file.build_id;
      out_.modules.push_back(std::move(module));
    }
    return {};
  }

  void warn(TraceWarning warning) {
    if (warned_.insert({warning.process, warning.code, warning.text}).second)
      out_.warnings.push_back(std::move(warning));
  }

 private:
  RecordingSummary& out_;
  std::set<std::pair<std::string, Bytes>> known_;
  std::set<std::tuple<uint32_t, std::string, std::string>> warned_;
};

}  // namespace

Result<RecordingSummary> summarize(const Reader& reader) {
  RecordingSummary out;
  out.path = reader.path();
  out.file_size = reader.file_size();
  out.version = reader.header().version;
  out.features = reader.header().features;
  out.uuid = uuid_text(reader.header().uuid);
  out.start_time_ns = reader.header().start_time_ns;
  out.recording = reader.recording();
  out.end = reader.summary();
  out.is_prefix = reader.is_prefix();
  out.prefix_note = reader.prefix_note();
  out.lost_bytes = reader.lost_bytes();
  out.instructions = reader.instructions();
  out.blocks = reader.blocks();
  for (int i = 0; i < TW_STREAM_COUNT; ++i) out.streams[i].name = kStreamNames[i];
  for (const FrameEntry& frame : reader.frames()) {
    if (frame.type != TW_FRAME_SEGMENT) continue;
    for (int i = 0; i < TW_STREAM_COUNT; ++i) {
      out.streams[i].raw += frame.segment.stream[i].raw_size;
      out.streams[i].coded += frame.segment.stream[i].coded_size;
    }
  }
  EventFacts facts(out);
  for (const TraceWarning& warning : reader.warnings()) facts.warn(warning);
  for (const auto& [number, process] : reader.processes()) {
    ProcessSummary p{process.info, process.end, {}, process.blocks, process.instructions, {}};
    for (const auto& [thread, steps] : process.thread_steps) p.threads.push_back({thread, steps});
    TRY(InitialStack stack, initial_stack(reader, number));
    p.command = std::move(stack.argv);
    out.processes.push_back(std::move(p));
    TRY_VOID(facts.read(reader, process));
  }
  return out;
}

}  // namespace twinrun
