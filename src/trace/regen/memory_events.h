// SPDX-License-Identifier: MIT
#pragma once

#include "trace/event_effects.h"

namespace twinrun {

/// Tells a memory (with `write(address, bytes)` and `forget(address, length)`) what an event
/// between two blocks did to it.
template <typename Memory>
void apply_to_memory(const Event& event, Memory& memory) {
  std::visit(Effects{[](const NoEffect&) {}, [](const Protected&) {},
                     [&](const MemoryEvent& e) { memory.write(e.address.value, e.bytes); },
                     [&](const MapEvent& e) { memory.forget(e.address.value, e.length); },
                     [&](const Unmapped& e) { memory.forget(e.address.value, e.length); },
                     [&](const Moved& e) {
                       memory.forget(e.from.value, e.length);
                       memory.forget(e.to.value, e.length);
                     },
                     [&](const Clobbered& e) { memory.forget(e.address.value, e.length); }},
             memory_effect(event));
}

}  // namespace twinrun
