// SPDX-License-Identifier: MIT
#pragma once

#include "trace/event.h"

namespace twinrun {

/// Tells a memory (with `write(address, bytes)` and `forget(address, length)`) what an event
/// between two blocks did to it.
template <typename Memory>
void apply_to_memory(const Event& event, Memory& memory) {
  switch (event.kind) {
    case TW_EVENT_WRITTEN:
    case TW_EVENT_INITIAL_STACK:
      if (const auto e = MemoryEvent::parse(event)) memory.write(e->address.value, e->bytes);
      return;
    case TW_EVENT_MAP:
      if (const auto e = MapEvent::parse(event)) memory.forget(e->address.value, e->length);
      return;
    case TW_EVENT_CLOBBERED:
    case TW_EVENT_UNMAP:
    case TW_EVENT_REMAP:
      if (const auto e = RangeEvent::parse(event)) {
        memory.forget(e->address.value, e->length);
        if (event.kind == TW_EVENT_REMAP) memory.forget(e->target.value, e->length);
      }
      return;
    default: return;
  }
}

}  // namespace twinrun
