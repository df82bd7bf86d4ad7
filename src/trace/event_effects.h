// SPDX-License-Identifier: MIT
// What an event does to memory and to registers, decoded once.
//
// Memory that is told what happens between two blocks, mappings with their lifetimes, and the
// search for who wrote a byte all ask the same of an event. Here it becomes one of a few effects;
// those who apply them name every effect (std::visit), so that a new one does not compile until
// each has said what it means to it. Which kind has which effect stands in format/events.def. A
// malformed event has none: `verify` tells of it.
#pragma once

#include "trace/event.h"

#include <variant>

namespace twinrun {

struct NoEffect {};

struct Unmapped {
  Addr address;
  uint64_t length = 0;
};

/// Other rights: the mapping and its bytes stay.
struct Protected {
  Addr address;
  uint64_t length = 0;
  uint32_t prot = 0;
};

/// The mapping goes elsewhere with its bytes.
struct Moved {
  Addr from;
  Addr to;
  uint64_t length = 0;
};

/// The bytes are others now, or will be, and nobody knows which.
struct Clobbered {
  Addr address;
  uint64_t length = 0;
};

/// MemoryEvent: bytes that were written; MapEvent: a mapping that is there now, with other bytes.
using MemoryEffect =
    std::variant<NoEffect, MemoryEvent, MapEvent, Unmapped, Protected, Moved, Clobbered>;
MemoryEffect memory_effect(const Event& event);

/// StateEvent: all of them; StateDeltaEvent: some words.
using RegisterEffect = std::variant<NoEffect, StateEvent, StateDeltaEvent>;
RegisterEffect register_effect(const Event& event);

/// Calls take(offset, 8 bytes) for each word; one that is cut short ends it.
template <typename Take>
void for_each_word(const StateDeltaEvent& delta, Take&& take) {
  ByteReader words(delta.words);
  while (!words.at_end() && !words.failed()) {
    const uint64_t offset = words.varint();
    const ByteSpan value = words.take(8);
    if (value.size() == 8) take(offset, value);
  }
}

/// For std::visit: one function for each effect.
template <typename... Functions>
struct Effects : Functions... {
  using Functions::operator()...;
};

}  // namespace twinrun
