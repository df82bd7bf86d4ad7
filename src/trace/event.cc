// SPDX-License-Identifier: MIT
#include "trace/event.h"

#include <fmt/format.h>

namespace twinrun {
namespace {

// Thread numbers above 32 bits are nobody's; they become the largest one, which no table knows.
uint32_t narrow(uint64_t value) {
  return value > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(value);
}

template <typename T>
std::optional<T> unless_failed(const ByteReader& in, const T& out) {
  if (in.failed()) return std::nullopt;
  return out;
}

}  // namespace

std::optional<ThreadEvent> ThreadEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  ThreadEvent out;
  out.thread = narrow(in.varint());
  if (event.kind == EventKind::kThreadStart) out.other = narrow(in.varint());
  return unless_failed(in, out);
}

std::optional<StateEvent> StateEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  StateEvent out;
  out.thread = narrow(in.varint());
  out.reason = narrow(in.varint());
  out.bytes = in.take(in.left());
  return unless_failed(in, out);
}

std::optional<StateDeltaEvent> StateDeltaEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  StateDeltaEvent out;
  out.thread = narrow(in.varint());
  out.words = in.take(in.left());
  return unless_failed(in, out);
}

std::optional<SyscallEvent> SyscallEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  SyscallEvent out;
  out.thread = narrow(in.varint());
  out.number = in.varint();
  for (uint64_t& argument : out.arguments) argument = in.varint();
  return unless_failed(in, out);
}

std::optional<SyscallResultEvent> SyscallResultEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  SyscallResultEvent out;
  out.thread = narrow(in.varint());
  out.number = in.varint();
  out.result = in.varint();
  return unless_failed(in, out);
}

std::optional<MemoryEvent> MemoryEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  MemoryEvent out;
  out.thread = narrow(in.varint());
  out.part = narrow(in.varint());
  out.address = {in.varint()};
  out.bytes = in.take(in.left());
  return unless_failed(in, out);
}

std::optional<MapEvent> MapEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  MapEvent out;
  out.address = {in.varint()};
  out.length = in.varint();
  out.prot = narrow(in.varint());
  out.kind = narrow(in.varint());
  out.offset = in.varint();
  out.device = in.varint();
  out.inode = in.varint();
  out.path = in.string();
  out.build_id = in.take(in.varint());
  return unless_failed(in, out);
}

std::optional<RangeEvent> RangeEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  RangeEvent out;
  out.address = {in.varint()};
  const EventMemory what = traits_of(event.kind).memory;
  if (what == EventMemory::kMoves) out.target = {in.varint()};
  out.length = in.varint();
  if (what == EventMemory::kProtects) out.prot = narrow(in.varint());
  return unless_failed(in, out);
}

std::optional<SignalEvent> SignalEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  SignalEvent out;
  out.thread = narrow(in.varint());
  out.signal = narrow(in.varint());
  out.code = static_cast<int64_t>(in.varint());
  out.pc = {in.varint()};
  out.flags = narrow(in.varint());
  out.completed = narrow(in.varint());
  out.opaque_at = in.varint();
  return unless_failed(in, out);
}

std::optional<StackEvent> StackEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  StackEvent out;
  out.miss = narrow(in.varint());
  out.sp = {in.varint()};
  return unless_failed(in, out);
}

std::optional<ExecEvent> ExecEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  ExecEvent out;
  out.thread = narrow(in.varint());
  out.path = in.string();
  return unless_failed(in, out);
}

std::optional<NumberEvent> NumberEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  NumberEvent out;
  if (event.kind != EventKind::kDeath) out.thread = narrow(in.varint());
  out.value = in.varint();
  return unless_failed(in, out);
}

std::optional<WarningEvent> WarningEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  WarningEvent out;
  out.code = in.string();
  out.text = in.string();
  if (!in.at_end()) out.severity = narrow(in.varint());
  return unless_failed(in, out);
}

std::optional<DescriptorEvent> DescriptorEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  DescriptorEvent out;
  out.number = static_cast<int64_t>(in.varint());
  if (const uint64_t offset = in.varint(); offset != 0) out.offset = offset - 1;
  out.path = in.string();
  return unless_failed(in, out);
}

std::optional<CallsEvent> CallsEvent::parse(const Event& event) {
  ByteReader in(event.payload);
  CallsEvent out;
  out.thread = narrow(in.varint());
  out.count = in.varint();
  out.entries = in.take(in.left());
  return unless_failed(in, out);
}

std::string event_name(const Event& event) {
  if (event.kind == EventKind::kUnknown) return fmt::format("event_{}", event.number);
  std::string out(traits_of(event.kind).name);
  for (char& c : out)
    if (c != '_') c |= 0x20;
  return out;
}

}  // namespace twinrun
