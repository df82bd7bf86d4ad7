// SPDX-License-Identifier: MIT
#include "trace/event_effects.h"

namespace twinrun {
namespace {

template <typename Effect, typename Payload>
Effect or_none(const std::optional<Payload>& payload) {
  if (!payload) return NoEffect{};
  return *payload;
}

template <typename Make>
MemoryEffect of_range(const Event& event, Make make) {
  const auto e = RangeEvent::parse(event);
  if (!e) return NoEffect{};
  return make(*e);
}

}  // namespace

MemoryEffect memory_effect(const Event& event) {
  switch (traits_of(event.kind).memory) {
    case EventMemory::kNone: return NoEffect{};
    case EventMemory::kWrites: return or_none<MemoryEffect>(MemoryEvent::parse(event));
    case EventMemory::kMaps: return or_none<MemoryEffect>(MapEvent::parse(event));
    case EventMemory::kUnmaps:
      return of_range(event, [](const RangeEvent& e) { return Unmapped{e.address, e.length}; });
    case EventMemory::kProtects:
      return of_range(event,
                      [](const RangeEvent& e) { return Protected{e.address, e.length, e.prot}; });
    case EventMemory::kMoves:
      return of_range(event,
                      [](const RangeEvent& e) { return Moved{e.address, e.target, e.length}; });
    case EventMemory::kClobbers:
      return of_range(event, [](const RangeEvent& e) { return Clobbered{e.address, e.length}; });
  }
  return NoEffect{};
}

RegisterEffect register_effect(const Event& event) {
  switch (traits_of(event.kind).registers) {
    case EventRegisters::kNone: return NoEffect{};
    case EventRegisters::kAll: return or_none<RegisterEffect>(StateEvent::parse(event));
    case EventRegisters::kWords: return or_none<RegisterEffect>(StateDeltaEvent::parse(event));
  }
  return NoEffect{};
}

}  // namespace twinrun
