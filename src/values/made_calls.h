// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/event.h"
#include "trace/reader.h"
#include "values/values.h"

#include <optional>

namespace twinrun {

/// A system call, and the block of its process that ended with it.
struct MadeCall {
  SyscallEvent call;
  BlockAt block;
};

/// Calls `visit` with the system calls that a process began, in order. Costs its events.
template <typename Visit>
Result<void> for_each_call(const Reader& reader, const Process& process, Visit&& visit) {
  for (uint32_t number = 0; number < process.segments.size(); ++number) {
    TRY(const SegmentData data,
        reader.load(process.segments[number], stream_bit(TW_STREAM_EVENTS)));
    EventReader events(data.events());
    for (Event event; events.next(event);) {
      if (event.kind != EventKind::kSyscall) continue;
      const auto at = static_cast<uint32_t>(event.at);
      if (const auto call = SyscallEvent::parse(event))
        visit(MadeCall{*call, {number, at == 0 ? 0 : at - 1}});
    }
  }
  return {};
}

/// The last one; nothing for a process that made none.
inline Result<std::optional<MadeCall>> last_call_of(const Reader& reader, const Process& process) {
  std::optional<MadeCall> out;
  TRY_VOID(for_each_call(reader, process, [&](const MadeCall& made) { out = made; }));
  return out;
}

}  // namespace twinrun
