// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/ids.h"
#include "format/events.h"
#include "format/trace_format.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace twinrun {

/// One event of an EVENTS stream; `payload` points into the stream.
struct Event {
  EventKind kind = EventKind::kUnknown;
  uint8_t number = 0;  // of the kind, known or not
  uint64_t at = 0;     // blocks of the segment that had begun
  ByteSpan payload;
};

/// Walks an EVENTS stream without allocating. Ends at the first event that does not fit; then
/// failed() is true.
class EventReader {
 public:
  explicit EventReader(ByteSpan stream) : in_(stream) {}

  bool next(Event& out) {
    if (in_.at_end() || failed_) return false;
    out.number = in_.fixed<uint8_t>();
    out.kind = event_kind(out.number);
    out.at = in_.varint();
    out.payload = in_.take(in_.varint());
    failed_ = in_.failed();
    return !failed_;
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] size_t position() const { return in_.position(); }

 private:
  ByteReader in_;
  bool failed_ = false;
};

// Typed views of payloads. parse() yields nothing when the payload is too short; bytes behind the
// last known field are ignored, so that later writers can add some.

struct ThreadEvent {  // THREAD_START (other: parent), THREAD_EXIT, THREAD_SWITCH
  uint32_t thread = 0;
  uint32_t other = 0;
  static std::optional<ThreadEvent> parse(const Event& event);
};

struct StateEvent {
  uint32_t thread = 0;
  uint32_t reason = 0;  // TwStateReason
  ByteSpan bytes;
  static std::optional<StateEvent> parse(const Event& event);
};

struct StateDeltaEvent {
  uint32_t thread = 0;
  ByteSpan words;  // (varint offset, 8 bytes)*
  static std::optional<StateDeltaEvent> parse(const Event& event);
};

struct SyscallEvent {
  uint32_t thread = 0;
  uint64_t number = 0;
  std::array<uint64_t, 6> arguments{};
  static std::optional<SyscallEvent> parse(const Event& event);
};

struct SyscallResultEvent {
  uint32_t thread = 0;
  uint64_t number = 0;
  uint64_t result = 0;
  static std::optional<SyscallResultEvent> parse(const Event& event);
};

struct MemoryEvent {  // WRITTEN, READ, INITIAL_STACK
  uint32_t thread = 0;
  uint32_t part = 0;  // TwPart
  Addr address;
  ByteSpan bytes;
  static std::optional<MemoryEvent> parse(const Event& event);
};

struct MapEvent {
  Addr address;
  uint64_t length = 0;
  uint32_t prot = 0;
  uint32_t kind = 0;  // TwMapKind
  uint64_t offset = 0;
  uint64_t device = 0;
  uint64_t inode = 0;
  std::string_view path;
  ByteSpan build_id;
  static std::optional<MapEvent> parse(const Event& event);
};

struct RangeEvent {  // UNMAP, CLOBBERED, PROTECT (prot), REMAP (address: old, target: new)
  Addr address;
  Addr target;
  uint64_t length = 0;
  uint32_t prot = 0;
  static std::optional<RangeEvent> parse(const Event& event);
};

struct SignalEvent {
  uint32_t thread = 0;
  uint32_t signal = 0;
  int64_t code = 0;
  Addr pc;
  uint32_t flags = 0;  // TwSignalFlags
  uint32_t completed = 0;
  uint64_t opaque_at = 0;
  static std::optional<SignalEvent> parse(const Event& event);
};

struct StackEvent {
  uint32_t miss = 0;  // TwStackMiss
  Addr sp;
  static std::optional<StackEvent> parse(const Event& event);
};

struct ExecEvent {
  uint32_t thread = 0;
  std::string_view path;
  static std::optional<ExecEvent> parse(const Event& event);
};

struct NumberEvent {  // EXIT (thread, status), DEATH (signal in value), FORK (thread, pid)
  uint32_t thread = 0;
  uint64_t value = 0;
  static std::optional<NumberEvent> parse(const Event& event);
};

struct WarningEvent {
  std::string_view code;
  std::string_view text;
  uint32_t severity = 0;  // 0: a note, 1: a warning
  static std::optional<WarningEvent> parse(const Event& event);
};

struct DescriptorEvent {
  int64_t number = 0;
  std::optional<uint64_t> offset;  // where the next read takes from
  std::string_view path;
  static std::optional<DescriptorEvent> parse(const Event& event);
};

struct CallsEvent {  // the call ring of a thread; `entries` from the innermost outward
  uint32_t thread = 0;
  uint64_t count = 0;
  ByteSpan entries;  // (varint stack pointer minus the one before, varint calling block)*
  static std::optional<CallsEvent> parse(const Event& event);
};

/// "syscall_result"; "event_99" for an unknown kind.
std::string event_name(const Event& event);

/// A zigzag number: 0, -1, 1, -2 ... are written as 0, 1, 2, 3 ...
inline int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}
inline uint64_t zigzag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}

}  // namespace twinrun
