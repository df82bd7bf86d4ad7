// SPDX-License-Identifier: MIT
#include "values/working_directory.h"

#include "format/registers.h"
#include "format/syscalls.h"
#include "trace/event.h"

#include <fcntl.h>

#include <algorithm>

namespace twinrun {

std::optional<GivenPath> WorkingDirectory::changed_for(int64_t descriptor) const {
  const auto opened = opened_.find(descriptor);
  if (opened == opened_.end() || !is_relative(opened->second.path.text)) return std::nullopt;
  return opened->second.changed;
}

Result<WorkingDirectory> WorkingDirectory::at(const Reader& reader, const Process& process,
                                              BlockAt block) {
  const FrameEntry& frame = reader.frames()[process.segments[block.segment]];
  WorkingDirectory out;
  TRY_VOID(out.pass(reader, process, frame.segment.first_block + block.ordinal + 1));
  return out;
}

void WorkingDirectory::finish(const SyscallEvent& call, const GivenPath& path, int64_t result) {
  if (result < 0) return;
  const auto number = static_cast<int64_t>(call.arguments[0]);
  const auto opened = opened_.find(number);
  switch (call.number) {
    case sys::kOpenat:
      // By another directory, its number has no meaning here any more.
      opened_.erase(result);
      if (static_cast<int>(number) != AT_FDCWD) break;
      [[fallthrough]];
    case sys::kOpen: opened_[result] = {path, changed_}; break;
    case sys::kClose: opened_.erase(number); break;
    case sys::kChdir: changed_ = path; break;
    case sys::kFchdir:
      changed_ = opened == opened_.end() ? std::nullopt : std::optional(opened->second.path);
      break;
    case sys::kDup:
    case sys::kDup2:
    case sys::kDup3:
      if (opened != opened_.end())
        opened_[result] = Opened(opened->second);
      else
        opened_.erase(result);
      break;
    default: break;
  }
}

Result<void> WorkingDirectory::pass(const Reader& reader, const Process& process,
                                    uint64_t before_block) {
  const ProcessInfo& info = process.info;
  const Process* parent = reader.process(info.parent);
  if (parent != nullptr && info.origin != TW_ORIGIN_ROOT && info.parent < info.number)
    TRY_VOID(
        pass(reader, *parent, info.origin == TW_ORIGIN_FORK ? info.parent_block : ~uint64_t{0}));
  struct Call {
    SyscallEvent event;
    GivenPath path;
  };
  std::map<uint32_t, Call> calls;  // by thread
  for (uint32_t segment = 0; segment < process.segments.size(); ++segment) {
    const uint64_t first = reader.frames()[process.segments[segment]].segment.first_block;
    if (first >= before_block) break;
    TRY(const SegmentData data,
        reader.load(process.segments[segment], stream_bit(TW_STREAM_EVENTS)));
    EventReader events(data.events());
    for (Event event; events.next(event) && first + event.at < before_block;) {
      if (event.kind == EventKind::kSyscall) {
        const auto call = SyscallEvent::parse(event);
        if (!call) continue;
        const bool is_second = call->number == sys::kOpenat;
        const auto at = static_cast<uint32_t>(event.at);
        calls[call->thread] = {*call,
                               {.process = info.number,
                                .block = {segment, at == 0 ? 0 : at - 1},
                                .pointer = is_second ? reg::kRsi : reg::kRdi,
                                .address = call->arguments[is_second ? 1 : 0]}};
      } else if (event.kind == EventKind::kRead) {
        const auto memory = MemoryEvent::parse(event);
        const auto call = memory ? calls.find(memory->thread) : calls.end();
        if (call != calls.end() && memory->address.value == call->second.path.address)
          call->second.path.text.assign(memory->bytes.begin(),
                                        std::ranges::find(memory->bytes, uint8_t{0}));
      } else if (event.kind == EventKind::kSyscallResult) {
        const auto result = SyscallResultEvent::parse(event);
        const auto found = result ? calls.find(result->thread) : calls.end();
        if (found == calls.end()) continue;
        finish(found->second.event, found->second.path, static_cast<int64_t>(result->result));
        calls.erase(found);
      }
    }
  }
  return {};
}

}  // namespace twinrun
