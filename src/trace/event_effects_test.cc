// SPDX-License-Identifier: MIT
#include "trace/event_effects.h"

#include <gtest/gtest.h>

#include <vector>

namespace twinrun {
namespace {

Bytes varints(std::initializer_list<uint64_t> values) {
  ByteWriter out;
  for (const uint64_t value : values) out.varint(value);
  return {out.bytes().begin(), out.bytes().end()};
}

Event event(uint8_t number, const Bytes& payload) {
  return {event_kind(number), number, 0, payload};
}

TEST(EventEffects, ARemapMovesAndAProtectDoesNot) {
  const Bytes remap = varints({0x1000, 0x9000, 0x3000});
  const auto moved = std::get<Moved>(memory_effect(event(TW_EVENT_REMAP, remap)));
  EXPECT_EQ(moved.from.value, 0x1000u);
  EXPECT_EQ(moved.to.value, 0x9000u);
  EXPECT_EQ(moved.length, 0x3000u);
  const Bytes protect = varints({0x1000, 0x3000, TW_PROT_READ});
  const auto rights = std::get<Protected>(memory_effect(event(TW_EVENT_PROTECT, protect)));
  EXPECT_EQ(rights.length, 0x3000u);
  EXPECT_EQ(rights.prot, uint32_t{TW_PROT_READ});
}

TEST(EventEffects, BothTheKernelAndTheStartWriteBytes) {
  Bytes payload = varints({1, TW_PART_STARTUP, 0x1000});
  payload.push_back(7);
  for (const uint8_t kind : {TW_EVENT_WRITTEN, TW_EVENT_INITIAL_STACK}) {
    const auto written = std::get<MemoryEvent>(memory_effect(event(kind, payload)));
    EXPECT_EQ(written.address.value, 0x1000u);
    EXPECT_EQ(written.bytes.size(), 1u);
  }
  EXPECT_TRUE(std::holds_alternative<NoEffect>(memory_effect(event(TW_EVENT_READ, payload))));
}

TEST(EventEffects, MalformedAndUnknownEventsHaveNone) {
  EXPECT_TRUE(std::holds_alternative<NoEffect>(memory_effect(event(TW_EVENT_UNMAP, {}))));
  EXPECT_TRUE(std::holds_alternative<NoEffect>(register_effect(event(TW_EVENT_STATE, {}))));
  const Bytes payload = varints({0x1000, 0x1000});
  EXPECT_TRUE(std::holds_alternative<NoEffect>(memory_effect(event(200, payload))));
  EXPECT_EQ(event_name(event(200, payload)), "event_200");
  EXPECT_EQ(event_name(event(TW_EVENT_SYSCALL_RESULT, {})), "syscall_result");
}

TEST(EventEffects, AWordThatIsCutShortIsNone) {
  Bytes payload = varints({1, 16});
  payload.resize(payload.size() + 8, 5);
  payload.push_back(24);
  payload.push_back(0);
  const auto delta =
      std::get<StateDeltaEvent>(register_effect(event(TW_EVENT_STATE_DELTA, payload)));
  std::vector<uint64_t> offsets;
  for_each_word(delta, [&](uint64_t offset, ByteSpan) { offsets.push_back(offset); });
  EXPECT_EQ(offsets, std::vector<uint64_t>{16});
}

}  // namespace
}  // namespace twinrun
