// SPDX-License-Identifier: MIT
#include "trace/verify.h"

#include "trace/frame.h"

#include <cstring>
#include <set>

namespace twinrun {
namespace {

void verify_frames(const Reader& reader, VerifyReport& report) {
  const auto scan = reader.scan();
  if (!scan) return report.add({.check = "scan", .text = scan.error().message});
  report.frames = scan->frames.size();
  if (reader.is_prefix()) return;  // what a scan found is all there is
  if (!scan->note.empty())
    report.add({.check = "scan", .text = fmt::format("{} at byte {}", scan->note, scan->end)});
  const auto index = reader.written_index();
  if (!index) return report.add({.check = "index", .text = index.error().message});
  if (encode_index(*index) != encode_index(scan->frames))
    report.add({.check = "index", .text = "the index differs from what a scan finds"});
}

void verify_totals(const Reader& reader, VerifyReport& report) {
  const auto total = [&](const char* what, uint64_t said, uint64_t found) {
    if (said != found)
      report.add({.check = "summary",
                  .text = fmt::format("the summary says {} {}, found are {}", said, what, found)});
  };
  const auto& summary = reader.summary();
  if (!summary) {
    if (!reader.is_prefix()) report.add({.check = "summary", .text = "there is no summary"});
    return;
  }
  uint64_t raw = 0;
  for (const FrameEntry& frame : reader.frames())
    if (frame.type == TW_FRAME_SEGMENT)
      for (const auto& stream : frame.segment.stream) raw += stream.raw_size;
  total("instructions", summary->instructions, reader.instructions());
  total("blocks", summary->blocks, reader.blocks());
  total("raw bytes", summary->raw_bytes, raw);
}

void verify_processes(const Reader& reader, VerifyReport& report) {
  if (!reader.recording() && !reader.is_cut())
    report.add({.check = "recording", .text = "there is no recording frame"});
  std::set<std::string> names;
  for (const auto& [number, process] : reader.processes()) {
    const auto bad = [&, n = number](std::string text) {
      report.add({.check = "process", .process = n, .text = std::move(text)});
    };
    const ProcessInfo& info = process.info;
    if (info.origin < TW_ORIGIN_ROOT || info.origin > TW_ORIGIN_LATE)
      bad(fmt::format("unknown origin {}", info.origin));
    if (info.origin == TW_ORIGIN_FORK) {
      const Process* parent = reader.process(info.parent);
      if (parent == nullptr)
        bad(fmt::format("its parent {} is not recorded", info.parent));
      else if (info.parent_block > parent->blocks && !reader.is_cut())
        bad(fmt::format("forked after block {} of {}", info.parent_block, parent->blocks));
    }
    for (const RegisterName& reg : info.registers)
      if (reg.offset > info.state_size || reg.size > info.state_size - reg.offset)
        bad(fmt::format("register {} is outside of the register file", reg.name));
    if (!process.end && !reader.is_cut()) bad("it has no end");
  }
}

}  // namespace

void VerifyReport::add(Violation violation) {
  if (++failures[violation.check] <= kShownPerCheck) violations.push_back(std::move(violation));
}

VerifyReport verify(const Reader& reader, const WorkSink& work) {
  VerifyReport report;
  verify_frames(reader, report);
  verify_totals(reader, report);
  verify_processes(reader, report);
  uint64_t computed = 0;
  for (const auto& [number, process] : reader.processes()) {
    const size_t before = report.failures.size();
    verify_process(reader, process, report, [&](uint64_t instructions) {
      tell(work, kChecking, share_of(instructions, reader.instructions()));
    });
    // Values of a process whose structure is broken would only repeat it.
    if (reader.has_values() && report.failures.size() == before)
      verify_values(reader, process, report, [&](uint64_t instructions) {
        tell(work, kComputingAgain, share_of(computed + instructions, reader.instructions()));
      });
    computed += process.instructions;
  }
  return report;
}

}  // namespace twinrun
