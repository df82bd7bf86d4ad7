// SPDX-License-Identifier: MIT
#include "kernel/event_row.h"

#include "kernel/syscall_row.h"
#include "kernel/syscalls.h"

#include <fmt/format.h>

namespace twinrun {
namespace {

constexpr size_t kShownOfEvent = 64;
using Fields = std::vector<std::pair<std::string, std::string>>;

template <typename T>
std::string number(T value) {
  return fmt::format("{}", value);
}
std::string address(uint64_t value) { return fmt::format("{:#x}", value); }

std::string part_name(uint32_t part) {
  switch (part) {
    case TW_PART_SYSCALL: return "syscall";
    case TW_PART_SIGNAL: return "signal";
    case TW_PART_STARTUP: return "startup";
    default: return "other";
  }
}

std::string prot_text(uint32_t prot) {
  return fmt::format(
      "{}{}{}{}", (prot & TW_PROT_READ) != 0 ? 'r' : '-', (prot & TW_PROT_WRITE) != 0 ? 'w' : '-',
      (prot & TW_PROT_EXECUTE) != 0 ? 'x' : '-', (prot & TW_PROT_SHARED) != 0 ? "s" : "");
}

std::string map_kind(uint32_t kind) {
  switch (kind) {
    case TW_MAP_FILE: return "file";
    case TW_MAP_ANON: return "anonymous";
    case TW_MAP_HEAP: return "heap";
    case TW_MAP_STACK: return "stack";
    case TW_MAP_SHM: return "shared";
    default: return "unknown";
  }
}

std::string hex_text(ByteSpan bytes) {
  std::string out;
  for (const uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

std::string syscall_name(uint64_t number_of) {
  const std::string_view name = syscall_signature(number_of).name;
  return name.empty() ? fmt::format("syscall_{}", number_of) : std::string(name);
}

bool add_fields(const Event& event, Fields& out) {
  const auto add = [&](const char* name, std::string value) {
    out.emplace_back(name, std::move(value));
  };
  switch (event.kind) {
    case EventKind::kThreadStart:
    case EventKind::kThreadExit:
    case EventKind::kThreadSwitch: {
      const auto e = ThreadEvent::parse(event);
      if (!e) return false;
      add("thread", number(e->thread));
      if (event.kind == EventKind::kThreadStart) add("parent", number(e->other));
      return true;
    }
    case EventKind::kState: {
      const auto e = StateEvent::parse(event);
      if (!e) return false;
      add("thread", number(e->thread));
      add("reason", number(e->reason));
      add("size", number(e->bytes.size()));
      return true;
    }
    case EventKind::kStateDelta: {
      const auto e = StateDeltaEvent::parse(event);
      if (!e) return false;
      add("thread", number(e->thread));
      ByteReader in(e->words);
      while (!in.at_end() && !in.failed()) {
        const uint64_t offset = in.varint();
        add("word", fmt::format("{}={:#x}", offset, in.fixed<uint64_t>()));
      }
      return !in.failed();
    }
    case EventKind::kSyscall: {
      const auto e = SyscallEvent::parse(event);
      if (!e) return false;
      add("thread", number(e->thread));
      add("call", syscall_name(e->number));
      for (const uint64_t argument : e->arguments) add("argument", address(argument));
      return true;
    }
    case EventKind::kSyscallResult: {
      const auto e = SyscallResultEvent::parse(event);
      if (!e) return false;
      add("thread", number(e->thread));
      add("call", syscall_name(e->number));
      add("result", address(e->result));
      return true;
    }
    case EventKind::kWritten:
    case EventKind::kRead:
    case EventKind::kInitialStack: {
      const auto e = MemoryEvent::parse(event);
      if (!e) return false;
      add("thread", number(e->thread));
      add("part", part_name(e->part));
      add("address", address(e->address.value));
      add("size", number(e->bytes.size()));
      add("bytes", quoted(e->bytes, kShownOfEvent));
      return true;
    }
    case EventKind::kMap: {
      const auto e = MapEvent::parse(event);
      if (!e) return false;
      add("address", address(e->address.value));
      add("length", address(e->length));
      add("prot", prot_text(e->prot));
      add("kind", map_kind(e->kind));
      if (e->path.empty()) return true;
      add("path", std::string(e->path));
      add("offset", address(e->offset));
      if (!e->build_id.empty()) add("build_id", hex_text(e->build_id));
      return true;
    }
    case EventKind::kClobbered:
    case EventKind::kUnmap:
    case EventKind::kProtect:
    case EventKind::kRemap: {
      const auto e = RangeEvent::parse(event);
      if (!e) return false;
      add("address", address(e->address.value));
      if (event.kind == EventKind::kRemap) add("to", address(e->target.value));
      add("length", address(e->length));
      if (event.kind == EventKind::kProtect) add("prot", prot_text(e->prot));
      return true;
    }
    case EventKind::kSignal: {
      const auto e = SignalEvent::parse(event);
      if (!e) return false;
      add("thread", number(e->thread));
      add("signal", signal_name(e->signal));
      add("pc", address(e->pc.value));
      add("handled", (e->flags & TW_SIGNAL_HANDLED) != 0 ? "yes" : "no");
      if ((e->flags & TW_SIGNAL_PARTIAL) != 0) add("completed", number(e->completed));
      return true;
    }
    case EventKind::kStack: {
      const auto e = StackEvent::parse(event);
      if (!e) return false;
      add("at", e->miss == TW_STACK_CALL ? "call" : "return");
      add("sp", address(e->sp.value));
      return true;
    }
    case EventKind::kCalls: {
      const auto e = CallsEvent::parse(event);
      if (!e) return false;
      add("thread", number(e->thread));
      add("count", number(e->count));
      return true;
    }
    case EventKind::kExec: {
      const auto e = ExecEvent::parse(event);
      if (!e) return false;
      add("thread", number(e->thread));
      add("path", std::string(e->path));
      return true;
    }
    case EventKind::kExit:
    case EventKind::kFork:
    case EventKind::kDeath: {
      const auto e = NumberEvent::parse(event);
      if (!e) return false;
      if (event.kind == EventKind::kDeath) {
        add("signal", signal_name(e->value));
        return true;
      }
      add("thread", number(e->thread));
      add(event.kind == EventKind::kExit ? "status" : "pid", number(e->value));
      return true;
    }
    case EventKind::kDescriptor: {
      const auto e = DescriptorEvent::parse(event);
      if (!e) return false;
      add("number", number(static_cast<uint64_t>(e->number)));
      if (e->offset) add("offset", number(*e->offset));
      add("path", std::string(e->path));
      return true;
    }
    case EventKind::kWarning: {
      const auto e = WarningEvent::parse(event);
      if (!e) return false;
      add("code", std::string(e->code));
      add("text", std::string(e->text));
      return true;
    }
    case EventKind::kChunk:
    case EventKind::kReset: return true;
    case EventKind::kUnknown: add("size", number(event.payload.size())); return true;
  }
  return false;
}

}  // namespace

EventRow event_row(const Event& event, const Position& position) {
  EventRow row{position, event_name(event), {}};
  if (!add_fields(event, row.fields)) row.fields.emplace_back("malformed", "yes");
  return row;
}

}  // namespace twinrun
