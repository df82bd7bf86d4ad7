// SPDX-License-Identifier: MIT
#include "memory/history_bytes.h"

#include <gtest/gtest.h>

#include <array>

namespace twinrun {
namespace {

constexpr std::array<uint8_t, 3> kKey = {1, 2, 3};

/// Every field of every row has a value of its own, and some have the greatest.
KeptMemory example() {
  uint64_t last = 1000;
  const auto number = [&] { return last += 17; };
  const auto small = [&] { return static_cast<uint32_t>(number()); };
  const auto byte = [&] { return static_cast<uint8_t>(number() % 6); };
  KeptMemory out;
  for (AllocationLog::Parts* const log : {&out.blocks, &out.mappings}) {
    log->names = {"malloc", "operator new"};
    for (uint32_t i = 0; i < 5; ++i)
      log->all.push_back({.address = ~number(),
                          .size = number(),
                          .site = number(),
                          .thread = {small()},
                          .step = {number()},
                          .block = number(),
                          .freed_by = {small()},
                          .freed = {number()},
                          .freed_from = {number()},
                          .freed_argument = byte(),
                          .freed_block = i % 2 == 0 ? Allocation::kNever : number(),
                          .freed_site = number(),
                          .allocator = i % 2,
                          .called = number(),
                          .from_step = {number()},
                          .argument = byte(),
                          .is_zeroed = i % 2 == 0,
                          .is_replaced = i % 2 == 1,
                          .from = i == 0 ? Allocation::kNoBlock : i - 1});
    log->bad_frees = {{.address = number(),
                       .site = number(),
                       .thread = {small()},
                       .step = {number()},
                       .block = number(),
                       .freed = 3,
                       .inside = Allocation::kNoBlock,
                       .resizes = true}};
    log->unknown_frees = number();
    log->most_bytes = number();
    log->uses_usable_size = log == &out.blocks;
  }
  for (uint32_t i = 0; i < 4; ++i)
    out.areas.push_back({.begin = number(),
                         .end = number(),
                         .frame = number(),
                         .thread = {small()},
                         .step = {number()},
                         .site = number(),
                         .block = number(),
                         .ended = i == 0 ? StackArea::kNever : number(),
                         .outer = i == 0 ? StackArea::kNone : i - 1});
  out.segments.resize(3);
  out.segments[1] = {.lines = {1, 2, ~uint64_t{0}},
                     .mappings = {{.at = small(),
                                   .kind = OutsideWrite::Kind::kMapped,
                                   .thread = small(),
                                   .address = number(),
                                   .length = number(),
                                   .event = small(),
                                   .syscall = OutsideWrite::kNone}}};
  return out;
}

Bytes encode(const KeptMemory& kept, ByteSpan key) {
  const AllocationLog blocks = AllocationLog::of(kept.blocks);
  const AllocationLog mappings = AllocationLog::of(kept.mappings);
  return encode_history({.blocks = blocks,
                         .mappings = mappings,
                         .areas = kept.areas,
                         .segment_count = static_cast<uint32_t>(kept.segments.size()),
                         .segment =
                             [&](uint32_t i) {
                               const auto& segment = kept.segments[i];
                               return segment
                                          ? HistoryView::Segment{&segment->lines, segment->mappings}
                                          : HistoryView::Segment{};
                             }},
                        key);
}

void expect_same(const AllocationLog::Parts& a, const AllocationLog::Parts& b) {
  EXPECT_EQ(a.all, b.all);
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(a.bad_frees, b.bad_frees);
  EXPECT_EQ(a.unknown_frees, b.unknown_frees);
  EXPECT_EQ(a.most_bytes, b.most_bytes);
  EXPECT_EQ(a.uses_usable_size, b.uses_usable_size);
}

TEST(HistoryBytes, HaveEverything) {
  const KeptMemory kept = example();
  const auto read = decode_history(encode(kept, kKey), kKey);
  ASSERT_TRUE(read);
  expect_same(read->blocks, kept.blocks);
  expect_same(read->mappings, kept.mappings);
  EXPECT_EQ(read->areas, kept.areas);
  ASSERT_EQ(read->segments.size(), 3u);
  EXPECT_FALSE(read->segments[0] || read->segments[2]);
  ASSERT_TRUE(read->segments[1]);
  EXPECT_EQ(read->segments[1]->lines, kept.segments[1]->lines);
  EXPECT_EQ(read->segments[1]->mappings, kept.segments[1]->mappings);
}

TEST(HistoryBytes, MayBeOfNothing) {
  const auto read = decode_history(encode({}, {}), {});
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->blocks.all.empty() && read->areas.empty() && read->segments.empty());
}

TEST(HistoryBytes, HaveOneKey) {
  const Bytes bytes = encode(example(), kKey);
  EXPECT_FALSE(decode_history(bytes, {}));
  EXPECT_FALSE(decode_history(bytes, ByteSpan(kKey).first(2)));
}

TEST(HistoryBytes, ShowDamage) {
  const Bytes bytes = encode(example(), kKey);
  for (size_t i = 0; i < bytes.size(); ++i) {
    Bytes damaged = bytes;
    damaged[i] ^= 0x10;
    EXPECT_FALSE(decode_history(damaged, kKey)) << i;
    EXPECT_FALSE(decode_history(ByteSpan(bytes).first(i), kKey)) << i;
  }
}

/// With a checksum that is right, as somebody would make them who means it.
TEST(HistoryBytes, LeadNowhereElse) {
  const auto refuses = [](auto&& change) {
    KeptMemory kept = example();
    change(kept);
    return !decode_history(encode(kept, kKey), kKey);
  };
  EXPECT_FALSE(refuses([](KeptMemory&) {}));
  EXPECT_TRUE(refuses([](KeptMemory& k) { k.blocks.all[2].from = 2; }));
  EXPECT_TRUE(refuses([](KeptMemory& k) { k.blocks.all[2].allocator = 2; }));
  EXPECT_TRUE(refuses([](KeptMemory& k) { k.blocks.all[2].block = 1; }));
  EXPECT_TRUE(refuses([](KeptMemory& k) { k.blocks.bad_frees[0].freed = 5; }));
  EXPECT_TRUE(refuses([](KeptMemory& k) { k.blocks.bad_frees[0].inside = 5; }));
  EXPECT_TRUE(refuses([](KeptMemory& k) { k.areas[1].outer = 1; }));
  EXPECT_TRUE(refuses([](KeptMemory& k) { k.segments[1]->lines = {2, 1}; }));
  EXPECT_TRUE(refuses([](KeptMemory& k) {
    k.segments[1]->mappings[0].kind = static_cast<OutsideWrite::Kind>(77);
  }));
}

}  // namespace
}  // namespace twinrun
