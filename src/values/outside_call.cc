// SPDX-License-Identifier: MIT
#include "values/outside_call.h"

#include "kernel/syscalls.h"

#include <algorithm>
#include <map>

namespace twinrun {

std::optional<std::string> OutsideCall::text_at(uint64_t address) const {
  for (const Piece& piece : read) {
    if (address < piece.address.value || address - piece.address.value >= piece.bytes.size())
      continue;
    const auto from = piece.bytes.begin() + static_cast<ptrdiff_t>(address - piece.address.value);
    return std::string(from, std::find(from, piece.bytes.end(), 0));
  }
  return std::nullopt;
}

std::optional<std::string> OutsideCall::text() const {
  const std::string_view kinds = syscall_signature(number).arguments;
  for (size_t i = 0; i < std::min(kinds.size(), arguments.size()); ++i)
    if (kinds[i] == 's') return text_at(arguments[i]);
  return std::nullopt;
}

Result<std::optional<OutsideCall>> outside_call(const ProcessView& view, const LastWriter& writer) {
  if (writer.kind != LastWriter::Kind::kOutside || writer.outside.syscall == OutsideWrite::kNone)
    return std::nullopt;
  const uint32_t frame = view.process().segments[writer.block.segment];
  TRY(const SegmentData data, view.of.reader().load(frame, stream_bit(TW_STREAM_EVENTS)));
  std::map<uint32_t, OutsideCall> under_way;  // by thread
  std::optional<OutsideCall> out;
  uint32_t thread = 0;  // of the call that is asked for
  EventReader events(data.events());
  uint32_t index = 0;
  for (Event event; events.next(event); ++index) {
    if (event.kind == EventKind::kSyscall) {
      if (const auto call = SyscallEvent::parse(event)) {
        if (out && call->thread == thread) break;
        under_way[call->thread] = {call->number, call->arguments, {}, {}};
      }
    } else if (event.kind == EventKind::kRead) {
      const auto memory = MemoryEvent::parse(event);
      if (memory && memory->part == TW_PART_SYSCALL && under_way.contains(memory->thread))
        under_way[memory->thread].read.push_back(
            {memory->address, Bytes(memory->bytes.begin(), memory->bytes.end())});
    } else if (event.kind == EventKind::kSyscallResult) {
      const auto result = SyscallResultEvent::parse(event);
      const auto call = result ? under_way.find(result->thread) : under_way.end();
      if (call != under_way.end()) call->second.result = result->result;
      if (out && result && result->thread == thread) out->result = result->result;
    }
    if (index != writer.outside.event) continue;
    thread = writer.outside.thread;
    if (event.kind == EventKind::kWritten) {
      if (const auto memory = MemoryEvent::parse(event)) thread = memory->thread;
    }
    const auto call = under_way.find(thread);
    if (call == under_way.end() || call->second.number != writer.outside.syscall)
      return std::nullopt;
    out = call->second;
    if (out->result) break;
  }
  return out;
}

}  // namespace twinrun
