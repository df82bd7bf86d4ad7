// SPDX-License-Identifier: MIT
#include "kernel/how_ended.h"

#include "kernel/syscalls.h"
#include "trace/event.h"

#include <csignal>

namespace twinrun {
namespace {

/// Whether the last system call sent that signal. A process that does not end may have made its
/// last call long ago, but one that kills itself has just made it.
Result<bool> sent_it_itself(const Reader& reader, const Process& process, uint32_t signal) {
  bool sent = false;
  if (process.segments.empty()) return false;
  TRY(const SegmentData data, reader.load(process.segments.back(), stream_bit(TW_STREAM_EVENTS)));
  EventReader events(data.events());
  for (Event event; events.next(event);) {
    if (event.kind != EventKind::kSyscall) continue;
    const auto call = SyscallEvent::parse(event);
    if (!call) continue;
    sent = ((call->number == sys::kKill || call->number == sys::kTkill) &&
            call->arguments[1] == signal) ||
           (call->number == sys::kTgkill && call->arguments[2] == signal);
  }
  return sent;
}

HowEnded cut(const Reader& reader) {
  HowEnded out{.text = "stopped"};
  const auto& summary = reader.summary();
  constexpr std::string_view kSubject = "the program ";
  if (summary && summary->stop == StopReason::kTimeout && summary->note.starts_with(kSubject))
    out.text = summary->note.substr(kSubject.size());
  else
    out.is_cut = true;
  return out;
}

}  // namespace

const Process* root_process(const Reader& reader) {
  const Process* out = nullptr;
  for (const auto& [number, process] : reader.processes()) {
    const bool is_next = out != nullptr && process.info.origin == TW_ORIGIN_EXEC &&
                         process.info.parent == out->info.number;
    if (out == nullptr || is_next) out = &process;
  }
  return out;
}

Result<HowEnded> how_ended(const Reader& reader, const Process& process) {
  using Kind = HowEnded::Kind;
  if (!process.end) {
    HowEnded out = cut(reader);
    if (out.is_cut) out.text = "the recording ends";
    return out;
  }
  const uint32_t status = process.end->status;
  switch (process.end->how) {
    case EndKind::kExited:
      return HowEnded{Kind::kExited, status, false, fmt::format("exit status {}", status)};
    case EndKind::kExec: return HowEnded{Kind::kOtherBegan, 0, false, "became another program"};
    case EndKind::kCut: return cut(reader);
    case EndKind::kKilled: break;
  }
  HowEnded out{Kind::kCrashed, status, false, "killed by " + signal_name(status)};
  switch (status) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS: return out;
    case SIGPIPE:
    case SIGXFSZ: out.kind = Kind::kKilled; return out;
    default: break;
  }
  TRY(const bool by_itself, sent_it_itself(reader, process, status));
  if (by_itself && status == SIGABRT) return out;
  out.kind = by_itself ? Kind::kKilled : Kind::kStopped;
  if (!by_itself) out.text = "stopped by " + signal_name(status);
  return out;
}

}  // namespace twinrun
