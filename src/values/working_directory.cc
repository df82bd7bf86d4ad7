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
        const auto value = static_cast<int64_t>(result->result);
        const auto& [call, path] = found->second;
        const auto number = static_cast<int64_t>(call.arguments[0]);
        const bool opens = call.number == sys::kOpen ||
                           (call.number == sys::kOpenat && static_cast<int>(number) == AT_FDCWD);
        if (value >= 0 && opens) opened_[value] = {path, changed_};
        if (value == 0 && call.number == sys::kClose) opened_.erase(number);
        if (value == 0 && call.number == sys::kChdir) changed_ = path;
        if (value == 0 && call.number == sys::kFchdir) {
          const auto opened = opened_.find(number);
          changed_ = opened == opened_.end() ? std::nullopt : std::optional(opened->second.path);
        }
        if (value >= 0 &&
            (call.number == sys::kDup2 || call.number == sys::kDup3 || call.number == sys::kDup)) {
          const auto opened = opened_.find(number);
          if (opened != opened_.end())
            opened_[value] = Opened(opened->second);
          else
            opened_.erase(value);
        }
        calls.erase(found);
      }
    }
  }
  return {};
}

}  // namespace twinrun
