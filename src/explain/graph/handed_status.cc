// SPDX-License-Identifier: MIT
// What a parent is told of how its child ended, and who made it end so.
//
//   exited      the argument of exit
//   killed      the number of the signal, in the call that sent it: the child's own last one
//   (raise,
//               abort), else the only one with which a recorded process sent that signal to it
//   crashed     nobody sent the signal: the instruction that could not be executed
//
// wait4 tells a word, waitid members of a structure, and both tell more that is of no child's
// making: times, users, process numbers. So the bytes that are asked about must be those of the
// status, and the recorded end of the child has to be what was told: a child that was only stopped,
// or another one with the same number, is not taken for it. Costs the events of the processes.
#include "explain/graph/handed_over.h"

#include "kernel/syscalls.h"
#include "values/made_calls.h"
#include "values/outside_call.h"
#include "values/past_memory.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>

namespace twinrun {
namespace {

struct ToldOfChild {
  uint64_t pid = 0;
  bool has_exited = false;
  uint32_t status = 0;  // of exit, or the signal that killed it
};

bool touches(const BytesOf& bytes, uint64_t begin, uint64_t size) {
  return bytes.where < begin + size && begin < bytes.where + bytes.size;
}

std::optional<ToldOfChild> told_by_wait4(PastMemory& memory, const OutsideCall& call,
                                         const BytesOf& bytes) {
  int status = 0;
  std::array<uint8_t, sizeof status> word{};
  if (!call.result || !touches(bytes, call.arguments[1], word.size()) ||
      !memory.read(call.arguments[1], word))
    return std::nullopt;
  std::memcpy(&status, word.data(), sizeof status);
  if (WIFEXITED(status))
    return ToldOfChild{*call.result, true, static_cast<uint32_t>(WEXITSTATUS(status))};
  if (WIFSIGNALED(status))
    return ToldOfChild{*call.result, false, static_cast<uint32_t>(WTERMSIG(status))};
  return std::nullopt;
}

std::optional<ToldOfChild> told_by_waitid(PastMemory& memory, const OutsideCall& call,
                                          const BytesOf& bytes) {
  const auto member = [&](size_t offset) -> std::optional<int> {
    int value = 0;
    std::array<uint8_t, sizeof value> word{};
    if (!memory.read(call.arguments[2] + offset, word)) return std::nullopt;
    std::memcpy(&value, word.data(), sizeof value);
    return value;
  };
  constexpr size_t kCode = offsetof(siginfo_t, si_code);
  constexpr size_t kStatus = offsetof(siginfo_t, si_status);
  if (!touches(bytes, call.arguments[2] + kCode, sizeof(int)) &&
      !touches(bytes, call.arguments[2] + kStatus, sizeof(int)))
    return std::nullopt;
  const auto code = member(kCode);
  const auto pid = member(offsetof(siginfo_t, si_pid));
  const auto status = member(kStatus);
  if (!code || !pid || !status) return std::nullopt;
  if (*code != CLD_EXITED && *code != CLD_KILLED && *code != CLD_DUMPED) return std::nullopt;
  return ToldOfChild{static_cast<uint64_t>(*pid), *code == CLD_EXITED,
                     static_cast<uint32_t>(*status) & 0xff};
}

/// Whether the process can have ended like that. SIGKILL leaves it no time to say so.
bool ended_so(const Process& process, const ToldOfChild& told) {
  const bool is_cut = !process.end || process.end->how == EndKind::kCut;
  if (is_cut) return !told.has_exited && told.status == SIGKILL;
  return process.end->how == (told.has_exited ? EndKind::kExited : EndKind::kKilled) &&
         process.end->status == told.status;
}

/// A child can be killed before it has recorded anything.
bool is_recorded(const Reader& reader, const Process& parent, uint64_t pid) {
  return std::ranges::any_of(reader.processes(), [&](const auto& one) {
    return one.second.info.pid == pid && one.first > parent.info.number;
  });
}

/// The process whose recorded end is the one that was told.
const Process* child_of(const Reader& reader, const Process& parent, const ToldOfChild& told) {
  // Of several programs in one process, the last one ended it.
  const Process* out = nullptr;
  for (const auto& [number, process] : reader.processes()) {
    if (process.info.pid == told.pid && number > parent.info.number && ended_so(process, told))
      out = &process;
  }
  return out;
}

/// The register with the signal, when the call sends that one to the process.
std::optional<uint32_t> signal_in(const SyscallEvent& call, uint64_t pid, uint32_t signal) {
  const bool has_thread = call.number == sys::kTgkill;
  const bool sends = has_thread || call.number == sys::kKill || call.number == sys::kTkill ||
                     call.number == sys::kRtSigqueueinfo;
  if (!sends || static_cast<uint32_t>(call.arguments[0]) != pid ||
      call.arguments[has_thread ? 2 : 1] != signal)
    return std::nullopt;
  return has_thread ? reg::kRdx : reg::kRsi;
}

HandedOver argument(ProcessView* from, const MadeCall& made, uint32_t where, uint32_t size) {
  return {.from = from, .block = made.block, .bytes = {false, where, size}};
}

}  // namespace

Result<std::optional<HandedOver>> HandOvers::from_child(RunSide side, ProcessView& view,
                                                        const LastWriter& writer,
                                                        const BytesOf& bytes) {
  TRY(const auto call, outside_call(view, writer));
  if (!call || !bytes.in_memory) return std::nullopt;
  PastMemory memory(view, {writer.block, 0});
  const auto told = call->number == sys::kWaitid ? told_by_waitid(memory, *call, bytes)
                                                 : told_by_wait4(memory, *call, bytes);
  if (!told) return std::nullopt;
  Run& run = runs_.run(side);
  const Process* child = child_of(run.reader(), view.process(), *told);
  if (child == nullptr &&
      (told->has_exited || is_recorded(run.reader(), view.process(), told->pid)))
    return std::nullopt;
  if (!told->has_exited) return from_signal(run, told->pid, child, told->status);
  TRY(const auto last, last_call_of(run.reader(), *child));
  if (!last || (last->call.number != sys::kExitGroup && last->call.number != sys::kExit))
    return std::nullopt;
  TRY(ProcessView* const from, view_of(run, child->info.number));
  return argument(from, *last, reg::kRdi, 1);
}

Result<std::optional<HandedOver>> HandOvers::from_signal(Run& run, uint64_t pid,
                                                         const Process* child, uint32_t signal) {
  if (child != nullptr) {
    TRY(const auto last, last_call_of(run.reader(), *child));
    if (const auto where = last ? signal_in(last->call, pid, signal) : std::nullopt) {
      TRY(ProcessView* const from, view_of(run, child->info.number));
      return argument(from, *last, *where, sizeof(uint32_t));
    }
  }
  std::optional<MadeCall> sent;
  uint32_t sender = 0;
  uint32_t count = 0;
  for (const auto& [number, process] : run.reader().processes()) {
    const uint32_t before = count;
    TRY_VOID(for_each_call(run.reader(), process, [&](const MadeCall& made) {
      if (!signal_in(made.call, pid, signal)) return;
      sent = made;
      ++count;
    }));
    if (count != before) sender = number;
  }
  if (count > 1) return std::nullopt;  // either of them
  if (sent) {
    TRY(ProcessView* const from, view_of(run, sender));
    return argument(from, *sent, *signal_in(sent->call, pid, signal), sizeof(uint32_t));
  }
  if (child == nullptr) return std::nullopt;
  const bool is_fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE ||
                        signal == SIGILL || signal == SIGTRAP;
  if (!is_fault) return std::nullopt;
  TRY(ProcessView* const from, view_of(run, child->info.number));
  TRY(const auto block, last_block_of(*from));
  if (!block) return std::nullopt;
  return HandedOver{.from = from, .block = *block, .is_fault = true};
}

}  // namespace twinrun
