// SPDX-License-Identifier: MIT
#include "values/shared_memory.h"

#include "format/syscalls.h"
#include "trace/event.h"

#include <fmt/format.h>

namespace twinrun {
namespace {

/// Adds what a process mapped before a block.
Result<void> add_parts(const Reader& reader, const Process& process, uint64_t before_block,
                       std::vector<SharedPart>& out) {
  const ProcessInfo& info = process.info;
  const Process* parent = reader.process(info.parent);
  if (parent != nullptr && info.origin == TW_ORIGIN_FORK && info.parent < info.number)
    TRY_VOID(add_parts(reader, *parent, info.parent_block, out));
  uint64_t attaching = 0;  // the segment that was asked for last
  uint32_t made = 0;
  for (const uint32_t frame : process.segments) {
    const uint64_t first = reader.frames()[frame].segment.first_block;
    if (first >= before_block) break;
    TRY(const SegmentData data, reader.load(frame, stream_bit(TW_STREAM_EVENTS)));
    EventReader events(data.events());
    for (Event event; events.next(event) && first + event.at < before_block;) {
      if (event.kind == EventKind::kSyscall) {
        const auto call = SyscallEvent::parse(event);
        if (call && call->number == sys::kShmat) attaching = call->arguments[0];
        continue;
      }
      if (event.kind != EventKind::kMap) continue;
      // A forked process begins with a list of what it has from its parent.
      const bool is_inherited =
          info.origin == TW_ORIGIN_FORK && frame == process.segments[0] && event.at == 0;
      const auto map = MapEvent::parse(event);
      if (!map || is_inherited) continue;
      const bool is_segment = map->kind == TW_MAP_SHM;
      if (!is_segment && (map->prot & TW_PROT_SHARED) == 0) continue;
      out.push_back(
          {.address = map->address.value,
           .length = map->length,
           .offset = map->kind == TW_MAP_FILE ? map->offset : 0,
           .is_writable = (map->prot & TW_PROT_WRITE) != 0,
           .object = is_segment ? fmt::format("segment {}", attaching)
                     : map->kind == TW_MAP_FILE
                         ? fmt::format("file {} {} {}", map->device, map->inode, map->path)
                         : fmt::format("memory {} {}", info.number, ++made)});
    }
  }
  return {};
}

}  // namespace

Result<std::vector<SharedPart>> shared_parts(const Reader& reader, const Process& process) {
  std::vector<SharedPart> out;
  TRY_VOID(add_parts(reader, process, ~uint64_t{0}, out));
  return out;
}

}  // namespace twinrun
