// SPDX-License-Identifier: MIT
// Names for the rows of events.def: the only place that lists the kinds of events and says what
// each is about. For the core; the recorder has TwEvent (trace_format.h), from the same rows.
#pragma once

#include "format/registers.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace twinrun {

/// What an event is. Everything that treats events by their kind is a `switch` over this, or over
/// one of the columns below, without a default (docs/adding.md).
enum class EventKind : uint8_t {
  kUnknown = 0,  // of a later version; for the caller to skip
#define EVENT(number, NAME, Name, whose, memory, registers, call) k##Name = number,
#include "format/events.def"
#undef EVENT
};

/// Whose an event is.
enum class EventOwner : uint8_t { kProcess, kThread };

/// What an event does to memory and mappings, which also says what its payload is. Decoded by
/// memory_effect() (trace/event_effects.h).
enum class EventMemory : uint8_t {
  kNone,
  kWrites,    // MemoryEvent: those bytes are there now
  kMaps,      // MapEvent
  kUnmaps,    // RangeEvent, as all that follow
  kProtects,  // other rights, the same bytes
  kMoves,     // a mapping with its bytes
  kClobbers,  // bytes are changed, to what is not recorded
};

/// What an event does to the register file of its thread. Decoded by register_effect().
enum class EventRegisters : uint8_t {
  kNone,
  kAll,    // StateEvent
  kWords,  // StateDeltaEvent
};

/// Which part of a system call an event is: the call, what the kernel was given to read, what it
/// wrote, and the result.
enum class EventCall : uint8_t { kNone, kBegins, kReads, kWrites, kEnds };

struct EventTraits {
  uint8_t number = 0;
  std::string_view name;  // "SYSCALL_RESULT"
  EventOwner owner = EventOwner::kProcess;
  EventMemory memory = EventMemory::kNone;
  EventRegisters registers = EventRegisters::kNone;
  EventCall call = EventCall::kNone;
};

namespace events_def {

inline constexpr auto kRows = std::to_array<EventTraits>({
#define EVENT(number, NAME, Name, whose, memory, registers, call) \
  {number,                                                        \
   #NAME,                                                         \
   EventOwner::k##whose,                                          \
   EventMemory::k##memory,                                        \
   EventRegisters::k##registers,                                  \
   EventCall::k##call},
#include "format/events.def"
#undef EVENT
});

constexpr bool are_in_order() {
  int before = 0;
  for (const EventTraits& row : kRows) {
    if (row.number <= before) return false;
    before = row.number;
  }
  return true;
}

static_assert(are_in_order());
#define EVENT(number, NAME, Name, whose, memory, registers, call) \
  static_assert(registers_def::is_spelled(#NAME, #Name));
#include "format/events.def"
#undef EVENT

/// By number; empty rows for numbers that no kind has.
inline constexpr auto kTraits = [] {
  std::array<EventTraits, 256> out{};
  for (const EventTraits& row : kRows) out[row.number] = row;
  return out;
}();

}  // namespace events_def

constexpr const EventTraits& traits_of(EventKind kind) {
  return events_def::kTraits[static_cast<uint8_t>(kind)];
}

/// The kind of a number in a recording.
constexpr EventKind event_kind(uint8_t number) {
  return static_cast<EventKind>(events_def::kTraits[number].number);
}

}  // namespace twinrun
